package gpt4all

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio"
)

// The versions of the file that are known.
const (
	minVersion = 1
	maxVersion = 12
)

// maxSubDepth is how deep the parts of an answer may be nested. The program writes two levels.
const maxSubDepth = 32

// Names of items and of parts of answers.
const (
	itemPrompt       = "Prompt: "
	itemResponse     = "Response: "
	itemSystem       = "System: "
	partText         = "Text: "
	partThink        = "Think: "
	partToolCall     = "ToolCall: "
	partToolResponse = "ToolResponse: "
)

// unknownVersion is the error about a file of a version that is not known.
type unknownVersion int32

func (v unknownVersion) Error() string {
	return fmt.Sprintf("the file is of version %d; versions %d to %d can be read", int32(v), minVersion, maxVersion)
}

// chat reads a file as JSON, value by value in the order in which they stand, under the names that
// the program has for them. What the model needs to go on, which may be hundreds of megabytes, is
// passed over and its size kept.
type chat struct {
	stream
	version int32
	out     []byte
	limit   int
	more    bool // a comma stands before the next value
}

// readChat reads a file behind its magic number. max bounds the bytes of its texts, and those of
// the JSON.
func readChat(r io.Reader, max int64) (out []byte, at int64, err error) {
	c := &chat{stream: stream{r: bufio.NewReaderSize(r, 64<<10), left: max, at: 4}, limit: int(max)}
	c.version = c.i32()
	if c.err == nil && (c.version < minVersion || c.version > maxVersion) {
		return nil, c.at, unknownVersion(c.version)
	}
	c.open('{')
	c.put("version", strconv.AppendInt(nil, int64(c.version), 10))
	c.put("creationDate", strconv.AppendInt(nil, c.i64(), 10))
	for _, name := range []string{"id", "name", "userName", "modelId"} {
		c.put(name, c.text())
	}
	if c.version > 2 {
		c.put("collections", c.texts())
	}
	if c.version < 11 {
		c.state()
	}
	n := c.i32()
	if n < 0 {
		c.fail(malformed{"there is a negative number of items"})
	}
	c.key("items")
	c.open('[')
	for i := int32(0); i < n && c.ok(); i++ {
		c.item()
	}
	c.close(']')
	if c.err == nil {
		if behind := c.rest(); behind > 0 {
			c.put("bytesBehindTheEnd", strconv.AppendInt(nil, behind, 10))
		}
	}
	c.close('}')
	return c.out, c.at, c.err
}

// ok tells whether reading may go on.
func (c *chat) ok() bool {
	if len(c.out) > c.limit {
		c.fail(errLarge)
	}
	return c.err == nil
}

// rest counts the bytes that nobody has read.
func (c *chat) rest() int64 {
	n, err := io.Copy(io.Discard, c.r)
	if err != nil {
		c.fail(err)
	}
	return n
}

func (c *chat) comma() {
	if c.more {
		c.out = append(c.out, ',')
	}
	c.more = true
}

func (c *chat) open(bracket byte) {
	if bracket == '{' || bracket == '[' {
		if n := len(c.out); n > 0 && c.out[n-1] != ':' {
			c.comma()
		}
	}
	c.out = append(c.out, bracket)
	c.more = false
}

func (c *chat) close(bracket byte) {
	c.out = append(c.out, bracket)
	c.more = true
}

func (c *chat) key(name string) {
	c.comma()
	c.out = append(pamio.AppendString(c.out, name), ':')
}

func (c *chat) put(name string, value []byte) {
	c.key(name)
	c.out = append(c.out, value...)
}

func (c *chat) number(name string) { c.put(name, strconv.AppendInt(nil, int64(c.i32()), 10)) }
func (c *chat) flag(name string)   { c.put(name, strconv.AppendBool(nil, c.boolean())) }

// state passes over what the model needs to go on.
func (c *chat) state() {
	saved := true
	if c.version >= 6 {
		saved = c.boolean()
		c.put("savesContext", strconv.AppendBool(nil, saved))
	}
	if c.version >= 2 {
		c.number("modelType")
		c.number("stateVersion")
	}
	c.put("response", c.text())
	c.put("nameResponse", c.text())
	c.number("tokens")
	if !saved {
		return
	}
	from := c.at
	if c.version < 4 {
		c.u32() // logits of the response
	}
	c.u32() // tokens so far
	if c.version >= 7 {
		c.u32() // size of the context
	}
	if c.version < 9 {
		c.skip(c.fixed(8), 4) // logits
	}
	c.skip(c.fixed(8), 4) // tokens
	if n := c.u32(); n != null {
		c.skip(uint64(n), 1)
	}
	c.put("stateBytes", strconv.AppendInt(nil, c.at-from, 10))
}

// item reads one message.
func (c *chat) item() {
	c.open('{')
	if c.version < 12 {
		c.number("id")
	}
	name := c.text()
	c.put("name", name)
	c.put("value", c.text())
	if c.version < 10 {
		c.put("prompt", c.text())
	}
	c.put("newResponse", c.text())
	for _, flag := range []string{"isCurrentResponse", "stopped", "thumbsUpState", "thumbsDownState"} {
		c.flag(flag)
	}
	if c.version >= 11 && string(name) == `"`+itemResponse+`"` {
		c.flag("isError")
	}
	switch {
	case c.version >= 8:
		c.list("sources", c.source)
	case c.version >= 3:
		c.put("references", c.text())
		c.put("referencesContext", c.texts())
	}
	if c.version >= 10 {
		c.list("promptAttachments", c.attachment)
	}
	if c.version >= 12 {
		c.list("subItems", func() { c.part(1) })
	}
	c.close('}')
}

// list reads a list whose elements are objects.
func (c *chat) list(name string, element func()) {
	n := c.count()
	c.key(name)
	c.open('[')
	for i := int64(0); i < n && c.ok(); i++ {
		c.open('{')
		element()
		c.close('}')
	}
	c.close(']')
}

func (c *chat) source() {
	for _, name := range []string{"collection", "path", "file", "title", "author", "date", "text"} {
		c.put(name, c.text())
	}
	for _, name := range []string{"page", "from", "to"} {
		c.number(name)
	}
}

func (c *chat) attachment() {
	url, _ := c.array()
	c.put("url", pamio.AppendString(nil, strings.ToValidUTF8(string(url), "\ufffd")))
	content, _ := c.array()
	c.put("content", pamio.AppendString(nil, base64.StdEncoding.EncodeToString(content)))
}

// part reads a part of an answer.
func (c *chat) part(depth int) {
	if depth > maxSubDepth {
		c.fail(malformed{"the parts of an answer are nested too deeply"})
		return
	}
	name := c.text()
	c.put("name", name)
	c.put("value", c.text())
	switch string(name) {
	case `"` + itemResponse + `"`, `"` + partText + `"`, `"` + partToolResponse + `"`:
	case `"` + partThink + `"`:
		c.number("thinkingTime")
	case `"` + partToolCall + `"`:
		c.put("toolName", c.text())
		c.list("params", func() {
			c.put("name", c.text())
			c.number("type")
			c.put("value", c.variant())
		})
		c.put("result", c.text())
		c.number("error")
		c.put("errorString", c.text())
	default:
		c.fail(malformed{"an answer has a part of a kind that this version does not know"})
	}
	c.list("subItems", func() { c.part(depth + 1) })
}
