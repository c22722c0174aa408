//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Conversations of ChatGPT that are small for what they could cost.

const hostileTalk = `{"conversation_id":"c-%d","title":"T","create_time":1700000000,"update_time":1700000001,"current_node":"a","mapping":{"a":{"id":"a","message":{"id":"a",` +
	`"author":{"role":"user"},"create_time":1700000000,"content":{"content_type":"text","parts":["%s"]},"metadata":{%s}},"parent":null,"children":[]}}%s}`

// hostileChat is a list of one conversation.
func hostileChat(id int, text string) string {
	return "[" + fmt.Sprintf(hostileTalk, id, text, "", "") + "]"
}

// writeRepeated writes a text n times between two others; i counts in the format of the text if it
// has a verb.
func writeRepeated(w io.Writer, before, text, between, after string, n int) error {
	b := bufio.NewWriterSize(w, 1<<20)
	_, _ = b.WriteString(before) // the writer keeps its first error until Flush
	counted := strings.Contains(text, "%")
	for i := range n {
		if i > 0 {
			_, _ = b.WriteString(between)
		}
		if counted {
			_, _ = fmt.Fprintf(b, text, i)
		} else {
			_, _ = b.WriteString(text)
		}
	}
	_, _ = b.WriteString(after)
	return b.Flush()
}

// writeText gives the writer of a message that repeats a unit, which is escaped as JSON.
func writeText(unit string) func(io.Writer, int) error {
	before, after, _ := strings.Cut(hostileChat(0, "@"), "@")
	return func(w io.Writer, n int) error { return writeRepeated(w, before, unit, "", after, n) }
}

// writeExtra gives the writer of a conversation with one more member, in which a unit is repeated.
func writeExtra(open, unit, between, closed string) func(io.Writer, int) error {
	before := "[" + strings.TrimSuffix(fmt.Sprintf(hostileTalk, 0, "hi", "", ""), "}") + `,"extra":` + open
	return func(w io.Writer, n int) error { return writeRepeated(w, before, unit, between, closed+"}]", n) }
}

// writeAttachments writes a message with n files that the export lacks.
func writeAttachments(w io.Writer, n int) error {
	before, after, _ := strings.Cut("["+fmt.Sprintf(hostileTalk, 0, "hi", `"attachments":[@]`, "")+"]", "@")
	return writeRepeated(w, before, `{"id":"file-%d","name":"a.png","mimeType":"image/png","size":1}`, ",", after, n)
}

// writeNesting writes a value that is nested n times.
func writeNesting(w io.Writer, n int) error {
	return writeExtra(strings.Repeat("[", n), "", "", strings.Repeat("]", n))(w, 0)
}

// writeNodes gives the writer of a conversation of n messages whose parents and children are given.
func writeNodes(linked func(i int) (parent, child string)) func(io.Writer, int) error {
	return func(w io.Writer, n int) error {
		b := bufio.NewWriterSize(w, 1<<20)
		_, _ = fmt.Fprintf(b, `[{"conversation_id":"c","title":"T","create_time":1700000000,"update_time":1700000001,"current_node":"n%d","mapping":{`, n-1)
		for i := range n {
			parent, child := linked(i)
			if i == 0 {
				parent = "null"
			}
			if i == n-1 {
				child = ""
			}
			_, _ = fmt.Fprintf(b, `%s"n%d":{"id":"n%d","message":{"id":"n%d","author":{"role":"user"},"create_time":1700000000,"content":{"content_type":"text","parts":["x"]}},"parent":%s,"children":[%s]}`,
				strings.Repeat(",", min(i, 1)), i, i, i, parent, child)
		}
		_, _ = b.WriteString("}}]")
		return b.Flush()
	}
}

func inChain(i int) (parent, child string) {
	return fmt.Sprintf(`"n%d"`, i-1), fmt.Sprintf(`"n%d"`, i+1)
}

func inFan(int) (parent, child string) { return `"n0"`, "" }
