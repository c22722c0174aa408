//go:build linux

package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostile are inputs that are small for what they could cost; n is their size at full scale.
// docs/limits.md has what the full ones take.
var hostile = []struct {
	name  string
	n     int
	write func(w io.Writer, n int) error
}{
	{"members.zip", 200_000, writeMembers},
	{"entries.zip", 999_999, writeEntries},
	{"nested.zip", 16, writeNested},
	{"keys.json", 10_000_000, func(w io.Writer, n int) error {
		return writeTalk(w, `,"extra":{`, "}", n, func(i int) string { return fmt.Sprintf(`"k%d":1`, i) })
	}},
	{"chain.json", 1_000_000, func(w io.Writer, n int) error {
		return writeNodes(w, n, func(i int) (string, string) { return fmt.Sprintf(`"n%d"`, i-1), fmt.Sprintf(`"n%d"`, i+1) })
	}},
	{"fan.json", 1_000_000, func(w io.Writer, n int) error {
		return writeNodes(w, n, func(int) (string, string) { return `"n0"`, "" })
	}},
	{"rows.csv", 600_000, writeRows},
	{"fences.json", 10_000_000, func(w io.Writer, n int) error { return writeText(w, "```\\n", n) }},
	{"colons.json", 40_000_000, func(w io.Writer, n int) error { return writeText(w, ":", n) }},
}

// hostileMemory is the peak memory, in bytes, that no hostile input may exceed.
const hostileMemory = 1 << 30

// hostileScale divides the size of the inputs, unless HOSTILE_INPUTS=full is set (make hostile).
const hostileScale = 25

func TestHostileInputsStayWithinTheMemoryOfAGigabyte(t *testing.T) {
	full := os.Getenv("HOSTILE_INPUTS") == "full"
	for _, tc := range hostile {
		t.Run(tc.name, func(t *testing.T) {
			n := tc.n
			if !full && n > 16 { // the nested one is small
				n /= hostileScale
			}
			file := filepath.Join(t.TempDir(), tc.name)
			if err := writeHostile(file, n, tc.write); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			cmd := exec.CommandContext(t.Context(), "pamline", "import", "--data", t.TempDir(), "--owner", "me", "--set", "memory=400MiB", "--set", "limits.max_conversation=64MiB", file)
			cmd.Env = append(os.Environ(), "GOMEMLIMIT=900MiB")
			text, err := cmd.CombinedOutput()
			var exited *exec.ExitError
			if err != nil && !errors.As(err, &exited) {
				t.Fatal(err)
			}
			code := cmd.ProcessState.ExitCode()
			peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
			t.Logf("exit %d, %.1f s, %d MB", code, time.Since(begun).Seconds(), peak>>20)
			if code != 0 && code != 1 && code != 3 || code != 0 && len(text) == 0 {
				t.Errorf("exit code %d: %s", code, text)
			}
			if peak > hostileMemory && !raceEnabled {
				t.Errorf("%d MB of memory", peak>>20)
			}
		})
	}
}

func writeHostile(file string, n int, write func(io.Writer, int) error) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(write(w, n), w.Flush(), f.Close())
}

const hostileTalk = `{"conversation_id":"c-%d","title":"T","create_time":1700000000,"update_time":1700000001,"current_node":"a","mapping":{"a":{"id":"a","message":{"id":"a",` +
	`"author":{"role":"user"},"create_time":1700000000,"content":{"content_type":"text","parts":["%s"]},"metadata":{}},"parent":null,"children":[]}}%s}`

// writeTalk writes a conversation with n more members.
func writeTalk(w io.Writer, before, after string, n int, member func(i int) string) error {
	head := strings.TrimSuffix(fmt.Sprintf(hostileTalk, 0, "hi", before), "}")
	if _, err := io.WriteString(w, "["+head); err != nil {
		return err
	}
	for i := range n {
		text := member(i)
		if i > 0 {
			text = "," + text
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, after+"}]")
	return err
}

// writeText writes a message of n times a unit, which is escaped as JSON.
func writeText(w io.Writer, unit string, n int) error {
	before, after, _ := strings.Cut(fmt.Sprintf("["+hostileTalk+"]", 0, "@", ""), "@")
	if _, err := io.WriteString(w, before); err != nil {
		return err
	}
	for range n {
		if _, err := io.WriteString(w, unit); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, after)
	return err
}

// writeNodes writes a conversation of n messages whose parents and children are given.
func writeNodes(w io.Writer, n int, linked func(i int) (parent, child string)) error {
	if _, err := fmt.Fprintf(w, `[{"conversation_id":"c","title":"T","create_time":1700000000,"update_time":1700000001,"current_node":"n%d","mapping":{`, n-1); err != nil {
		return err
	}
	for i := range n {
		parent, child := linked(i)
		if i == 0 {
			parent = "null"
		}
		if i == n-1 {
			child = ""
		}
		_, err := fmt.Fprintf(w, `%s"n%d":{"id":"n%d","message":{"id":"n%d","author":{"role":"user"},"create_time":1700000000,"content":{"content_type":"text","parts":["x"]}},"parent":%s,"children":[%s]}`,
			strings.Repeat(",", min(i, 1)), i, i, i, parent, child)
		if err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "}}]")
	return err
}

// writeRows writes a table whose rows all have one title.
func writeRows(w io.Writer, n int) error {
	if _, err := io.WriteString(w, "Conversation,Time,Author,Message\n"); err != nil {
		return err
	}
	for i := range n {
		if _, err := fmt.Fprintf(w, "One,2024-01-01T00:00:%02d,Human,row %d\n", i%60, i); err != nil {
			return err
		}
	}
	return nil
}

// writeMembers writes a zip of n conversations, each a file.
func writeMembers(w io.Writer, n int) error {
	return writeZip(w, n, func(i int) (string, []byte) {
		return fmt.Sprintf("files/conversations-%06d.json", i), fmt.Appendf(nil, "["+hostileTalk+"]", i, "I like tea.", "")
	})
}

// writeEntries writes a zip of n empty files.
func writeEntries(w io.Writer, n int) error {
	return writeZip(w, n, func(i int) (string, []byte) { return fmt.Sprintf("f/%07d", i), nil })
}

// writeNested writes n zips of n zips of n conversations.
func writeNested(w io.Writer, n int) error {
	talk := fmt.Appendf(nil, "["+hostileTalk+"]", 0, "hi", "")
	for _, form := range []string{"conversations-%02d.json", "z%02d.zip"} {
		var b bytes.Buffer
		if err := zipOf(&b, n, func(i int) (string, []byte) { return fmt.Sprintf(form, i), talk }); err != nil {
			return err
		}
		talk = b.Bytes()
	}
	return zipOf(w, n, func(i int) (string, []byte) { return fmt.Sprintf("z%02d.zip", i), talk })
}

// writeZip writes a zip with a conversation and n files.
func writeZip(w io.Writer, n int, file func(i int) (string, []byte)) error {
	return zipOf(w, n+1, func(i int) (string, []byte) {
		if i == 0 {
			return "conversations.json", fmt.Appendf(nil, "["+hostileTalk+"]", n, "hi", "")
		}
		return file(i - 1)
	})
}

func zipOf(w io.Writer, n int, file func(i int) (string, []byte)) error {
	z := zip.NewWriter(w)
	for i := range n {
		name, body := file(i)
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write(body)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}
