package zed

import (
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
	"github.com/pamline/pamline/providers/sqlite"
)

// The rules of names are frozen: a thread is named by its id in the space local/zed. A message of
// the person is named by its id, any other by its place in the list, "message:<n>"; where one
// became several, the others are "<name>#<k>".

// decodeUnit makes the document of one thread, or the account of what is counted.
func decodeUnit(u importer.Unit) ([]importer.Item, error) {
	if u.Role == rolePassed {
		return sqlite.SkipRows(u, "other_table", "a table of the editor without threads")
	}
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	thread := src.Root.Get("thread")
	if thread.Get("messages").Kind() != jsonscan.Array {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the thread has no list of messages")
	}
	format := formatThread
	for m := range thread.Get("messages").Items() {
		if m.Get("role").Exists() {
			format = formatLegacy
		}
	}
	root := src.Root
	b := localapp.New(schemaOf(format), src, name, format)
	b.IDIn(localapp.Space(name), importer.Lexeme(root.Get("id")))
	for _, n := range []jsonscan.Node{thread.Get("summary"), thread.Get("title"), root.Get("summary")} {
		if !n.Is("") {
			b.Title(n)
		}
	}
	if model := thread.Get("model").Get("model"); model.Kind() == jsonscan.String {
		b.Doc.Model = model.Str()
	}
	b.Created = b.Time(root.Get("created_at"))
	b.Updated = localapp.Newest(b.Time(root.Get("updated_at")), b.Time(thread.Get("updated_at")))
	i := 0
	for m := range thread.Get("messages").Items() {
		if m.Kind() == jsonscan.Object {
			r := messageReader{b: b, o: b.Item("/thread/messages", i, m), name: "message:" + strconv.Itoa(i)}
			r.read()
		} else if !m.Is("Resume") {
			b.Unknown("unknown_message")
		}
		i++
	}
	return localapp.Finish(b, nil)
}

// messageReader makes the messages of one entry of a thread.
type messageReader struct {
	b    *lossless.Builder
	o    *lossless.Object
	name string
	made []*lossless.Message
}

func (r *messageReader) read() {
	n := r.o.Node()
	user, agent := n.Get("User"), n.Get("Agent")
	switch {
	case user.Kind() == jsonscan.Object:
		if id := user.Get("id"); id.Kind() == jsonscan.String && !id.Is("") {
			r.name = id.Str()
		}
		m := r.message(normalize.RoleUser, false)
		for part := range user.Get("content").Items() {
			r.userPart(m, part)
		}
	case agent.Kind() == jsonscan.Object:
		for part := range agent.Get("content").Items() {
			r.agentPart(part)
		}
		for _, result := range agent.Get("tool_results").Fields() {
			r.result(result)
		}
	case n.Get("role").Exists():
		r.legacy(n)
	default:
		r.b.Unknown("unknown_message")
	}
	if len(r.made) == 0 {
		return
	}
	main := r.made[0]
	for _, m := range r.made {
		if !m.IsThought && (main.IsThought || m.Role != normalize.RoleTool) {
			main = m
		}
	}
	for i, m := range r.made {
		m.ID = r.name
		if m != main {
			m.ID += "#" + strconv.Itoa(i)
		}
	}
	r.o.Primary(main)
}

// message gives the current message if it is of the kind, else a new one.
func (r *messageReader) message(role string, thought bool) *lossless.Message {
	if n := len(r.made); n > 0 && role != normalize.RoleTool && r.made[n-1].Role == role && r.made[n-1].IsThought == thought {
		return r.made[n-1]
	}
	m := r.o.Add("", role)
	m.IsThought = thought
	r.made = append(r.made, m)
	return m
}

// userPart adds a part of what the person said. What was mentioned stays in the thread: it is no
// word of the person.
func (r *messageReader) userPart(m *lossless.Message, part jsonscan.Node) {
	switch text := part.Get("Text"); {
	case text.Kind() == jsonscan.String:
		m.Text(text.Str())
	case part.Get("Image").Exists():
		m.Attachments = append(m.Attachments, pamio.Attachment{Type: "image"})
	case part.Get("Mention").Exists():
	default:
		r.b.Unknown("unknown_part")
	}
}

func (r *messageReader) agentPart(part jsonscan.Node) {
	text, thought, call := part.Get("Text"), part.Get("Thinking").Get("text"), part.Get("ToolUse")
	switch {
	case text.Kind() == jsonscan.String:
		r.message(normalize.RoleAssistant, false).Text(text.Str())
	case thought.Kind() == jsonscan.String:
		r.message(normalize.RoleAssistant, true).Text(thought.Str())
	case call.Kind() == jsonscan.Object:
		r.call(call)
	case part.Get("RedactedThinking").Exists():
	default:
		r.b.Unknown("unknown_part")
	}
}

func (r *messageReader) call(n jsonscan.Node) {
	name := n.Get("name")
	if name.Kind() != jsonscan.String || name.Is("") {
		r.b.Unknown("unknown_tool_call")
		return
	}
	c := pamio.ToolCall{ID: n.Get("id").Str(), Name: name.Str()}
	if in := n.Get("input"); in.Kind() == jsonscan.Object || in.Kind() == jsonscan.String {
		c.Input = in.AppendCompact(nil)
	}
	m := r.message(normalize.RoleAssistant, false)
	m.ToolCalls = append(m.ToolCalls, c)
}

// result makes a message of the result of a tool: a text, {"Text"}, or a list of these.
func (r *messageReader) result(n jsonscan.Node) {
	content := n.Get("content")
	texts := []jsonscan.Node{content, content.Get("Text")}
	if content.Kind() == jsonscan.Array {
		for c := range content.Items() {
			texts = append(texts, c.Get("Text"))
		}
	}
	var m *lossless.Message
	for _, text := range texts {
		if text.Kind() == jsonscan.String {
			if m == nil {
				m = r.message(normalize.RoleTool, false)
			}
			m.Text(text.Str())
		}
	}
}

// legacy reads a message of an older version.
func (r *messageReader) legacy(n jsonscan.Node) {
	role := r.b.Role(n.Get("role").Str())
	for s := range n.Get("segments").Items() {
		if text := s.Get("text"); text.Kind() == jsonscan.String {
			r.message(role, s.Get("type").Is("thinking")).Text(text.Str())
		}
	}
	for c := range n.Get("tool_uses").Items() {
		r.call(c)
	}
	for c := range n.Get("tool_results").Items() {
		r.result(c)
	}
	if len(r.made) == 0 {
		r.message(role, false)
	}
}
