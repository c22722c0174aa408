package claudecode

import (
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// lineReader makes the messages of one line: a new one wherever a thought, the result of a tool or
// another role follows.
type lineReader struct {
	b    *lossless.Builder
	o    *lossless.Object
	line jsonscan.Node
	id   string
	role string

	main *lossless.Message
	kind string // of the current message
	made []*lossless.Message
}

// Kinds of messages in one line. Texts have their role as kind.
const (
	kindThought = "thought"
	kindResult  = "result"
)

func (l *lineReader) read() {
	role, known := roleOf(l.line)
	if l.role = role; !known {
		l.b.Unknown("unknown_role")
	}
	content := l.line.Get("message").Get("content")
	if l.line.Get("type").Is("system") {
		content = l.line.Get("content")
	}
	switch content.Kind() {
	case jsonscan.String:
		l.text(content.Str())
	case jsonscan.Array:
		for block := range content.Items() {
			l.block(block)
		}
	case jsonscan.Invalid, jsonscan.Null:
	default:
		l.b.Unknown("unknown_content")
	}
	l.finish()
}

// finish names the messages. The line's own is the last one that is no thought.
func (l *lineReader) finish() {
	if len(l.made) == 0 {
		l.message(l.role, l.role)
	}
	l.main = l.made[len(l.made)-1]
	for _, m := range l.made {
		if !m.IsThought {
			l.main = m
		}
	}
	l.o.Primary(l.main)
	model := l.line.Get("message").Get("model")
	for i, m := range l.made {
		m.ID = l.id
		if m != l.main {
			m.ID += "#" + strconv.Itoa(i)
		}
		if model.Kind() == jsonscan.String && len(model.Raw()) <= maxModel {
			m.Model = model.Str()
		}
	}
}

// maxModel bounds the name of a model, in bytes of JSON: each message of a line has it.
const maxModel = 100

// message gives the current message if it is of the kind, else a new one.
func (l *lineReader) message(kind, role string) *lossless.Message {
	if n := len(l.made); n > 0 && l.kind == kind && kind != kindResult {
		return l.made[n-1]
	}
	m := l.o.Add("", role)
	m.IsThought = kind == kindThought
	l.kind = kind
	l.made = append(l.made, m)
	return m
}

func (l *lineReader) text(text string) {
	role := roleOfText(l.role, text)
	l.message(role, role).Text(text)
}

func (l *lineReader) block(block jsonscan.Node) {
	switch t := block.Get("type"); {
	case block.Kind() == jsonscan.String:
		l.b.Unknown("unknown_block")
	case t.Is("text"):
		if text := block.Get("text"); text.Kind() == jsonscan.String {
			l.text(text.Str())
		}
	case t.Is("thinking"), t.Is("redacted_thinking"):
		m := l.message(kindThought, l.role)
		m.TextOf(block.Get("thinking"))
	case t.Is("tool_use"), t.Is("server_tool_use"):
		l.call(block)
	case t.Is("tool_result"):
		l.result(block.Get("content"))
	case t.Is("image"), t.Is("document"):
		attach(l.message(l.role, l.role), block)
	case strings.HasSuffix(t.Str(), "_tool_result"):
		l.message(l.role, l.role) // the result of a tool of the provider: kept as it is
	default:
		l.b.Unknown("unknown_block")
	}
}

// call adds a call of a tool. Its output stands in the message of the tool.
func (l *lineReader) call(block jsonscan.Node) {
	m := l.message(l.role, l.role)
	name := block.Get("name")
	if name.Kind() != jsonscan.String || name.Is("") {
		l.b.Unknown("unknown_tool_call")
		return
	}
	c := pamio.ToolCall{ID: block.Get("id").Str(), Name: name.Str()}
	switch input := block.Get("input"); input.Kind() {
	case jsonscan.Object, jsonscan.String:
		c.Input = input.AppendCompact(nil)
	case jsonscan.Invalid, jsonscan.Null:
	default:
		l.b.Unknown("unknown_tool_input")
	}
	m.ToolCalls = append(m.ToolCalls, c)
}

// result makes a message of the result of a tool.
func (l *lineReader) result(content jsonscan.Node) {
	m := l.message(kindResult, normalize.RoleTool)
	switch content.Kind() {
	case jsonscan.String:
		m.Text(content.Str())
	case jsonscan.Array:
		for part := range content.Items() {
			switch text := part.Get("text"); {
			case part.Get("type").Is("text") && text.Kind() == jsonscan.String:
				m.Text(text.Str())
			case part.Get("type").Is("image"):
				attach(m, part)
			}
		}
	}
}

// attach adds a file that stands inside the line. Its bytes stay there.
func attach(m *lossless.Message, block jsonscan.Node) {
	kind := "document"
	if block.Get("type").Is("image") {
		kind = "image"
	}
	a := pamio.Attachment{Type: kind}
	if mime := block.Get("source").Get("media_type"); mime.Kind() == jsonscan.String {
		a.MimeType = mime.Str()
	}
	if name := block.Get("title"); kind == "document" && name.Kind() == jsonscan.String {
		a.Name = name.Str()
	}
	m.Attachments = append(m.Attachments, a)
}
