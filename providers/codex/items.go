package codex

import (
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// entryReader makes the messages of one line.
type entryReader struct {
	b         *lossless.Builder
	e         entry
	at        int
	container string

	o    *lossless.Object
	made []*lossless.Message
}

// item reads a response item.
func (r *entryReader) item() {
	body := r.e.body
	switch t := body.Get("type").Str(); t {
	case "message", "agent_message":
		r.message()
	case "reasoning":
		r.reasoning()
	case "function_call", "custom_tool_call", "tool_search_call":
		in := body.Get("arguments")
		if !in.Exists() {
			in = body.Get("input")
		}
		r.call(t, in)
	case "local_shell_call", "web_search_call", "image_generation_call":
		r.call(t, body.Get("action"))
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output", "mcp_tool_call_output":
		r.output()
	case "ghost_snapshot", "compaction", "compaction_summary", "context_compaction", "compaction_trigger", "item_reference", "other":
	default:
		r.b.Unknown("unknown_item")
		if role := body.Get("role"); role.Kind() == jsonscan.String {
			r.message()
		}
	}
}

// add makes a message.
func (r *entryReader) add(role string) *lossless.Message {
	if r.o == nil {
		r.o = r.b.Item(r.container, r.at, r.e.line)
	}
	m := r.o.Add("", role)
	r.made = append(r.made, m)
	return m
}

// message reads a message: one, or several where the program put a text of its own beside the
// person's.
func (r *entryReader) message() {
	role := normalize.RoleAssistant
	if original := r.e.body.Get("role"); original.Exists() {
		named, known := normalize.Role(original.Str())
		if role = named; !known {
			r.b.Unknown("unknown_role")
		}
	}
	content := r.e.body.Get("content")
	if content.Kind() == jsonscan.String {
		r.text(role, content.Str())
	}
	for part := range content.Items() {
		switch text := textOf(part); {
		case text.Kind() == jsonscan.String:
			r.text(role, text.Str())
		case part.Get("type").Is("input_image"), part.Get("type").Is("output_image"):
			image(r.current(role), part)
		default:
			r.b.Unknown("unknown_part")
		}
	}
	if len(r.made) == 0 {
		r.add(role)
	}
}

// textOf is the text of a part of a message.
func textOf(part jsonscan.Node) jsonscan.Node {
	switch part.Get("type").Str() {
	case "input_text", "output_text", "text":
		return part.Get("text")
	case "refusal":
		return part.Get("refusal")
	}
	return jsonscan.Node{}
}

// text adds a text to the current message, or to a new one where the role changes.
func (r *entryReader) text(role, text string) {
	if role == normalize.RoleUser && isInjected(text) {
		role = normalize.RoleSystem
	}
	r.current(role).Text(text)
}

func (r *entryReader) current(role string) *lossless.Message {
	if n := len(r.made); n > 0 && r.made[n-1].Role == role {
		return r.made[n-1]
	}
	return r.add(role)
}

func isInjected(text string) bool {
	text = strings.TrimLeft(text, " \r\n\t")
	for _, start := range injections {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// image adds a picture. Its bytes, or its address, stay in the line.
func image(m *lossless.Message, part jsonscan.Node) {
	a := pamio.Attachment{Type: "image"}
	url := part.Get("image_url")
	if kind, _, ok := strings.Cut(strings.TrimPrefix(string(prefix(url.Raw())), `"data:`), ";base64"); ok && strings.HasPrefix(kind, "image/") {
		a.MimeType = kind
	}
	m.Attachments = append(m.Attachments, a)
}

// prefix is enough of a data URL to see its type.
func prefix(raw []byte) []byte { return raw[:min(len(raw), 64)] }

// reasoning reads a thought: its summary, and the thought itself where it is not encrypted.
func (r *entryReader) reasoning() {
	m := r.add(normalize.RoleAssistant)
	m.IsThought = true
	for part := range r.e.body.Get("summary").Items() {
		if text := part.Get("text"); part.Get("type").Is("summary_text") && text.Kind() == jsonscan.String {
			m.Text(text.Str())
		}
	}
	m.TextOf(r.e.body.Get("content"))
	for _, kind := range []string{"text", "reasoning_text"} {
		for part := range r.e.body.Get("content").Items() {
			if text := part.Get("text"); part.Get("type").Is(kind) && text.Kind() == jsonscan.String {
				m.Text(text.Str())
			}
		}
	}
}

// call reads the call of a tool. What has no name of its own is named by its type.
func (r *entryReader) call(kind string, in jsonscan.Node) {
	m := r.add(normalize.RoleAssistant)
	c := pamio.ToolCall{Name: strings.TrimSuffix(kind, "_call"), ID: r.e.body.Get("call_id").Str(), Input: input(in)}
	if name := r.e.body.Get("name"); name.Kind() == jsonscan.String && !name.Is("") {
		c.Name = name.Str()
	}
	m.ToolCalls = []pamio.ToolCall{c}
}

// output reads what a tool answered.
func (r *entryReader) output() {
	m := r.add(normalize.RoleTool)
	out := r.e.body.Get("output")
	if out.Kind() == jsonscan.Object {
		out = out.Get("content")
	}
	m.TextOf(out)
	for part := range r.e.body.Get("output").Items() {
		switch text := part.Get("text"); {
		case part.Get("type").Is("input_text") && text.Kind() == jsonscan.String:
			m.Text(text.Str())
		case part.Get("type").Is("input_image"):
			image(m, part)
		}
	}
}

// plain makes a message of one text; none of what is no text.
func (r *entryReader) plain(role string, text jsonscan.Node) *lossless.Message {
	if text.Kind() != jsonscan.String {
		return nil
	}
	m := r.add(role)
	m.Text(text.Str())
	return m
}

// event reads an event of a log without items.
func (r *entryReader) event() {
	switch r.e.body.Get("type").Str() {
	case "user_message":
		role := normalize.RoleUser
		if isInjected(r.e.body.Get("message").Str()) {
			role = normalize.RoleSystem
		}
		r.plain(role, r.e.body.Get("message"))
	case "agent_message":
		r.plain(normalize.RoleAssistant, r.e.body.Get("message"))
	case "agent_reasoning":
		if m := r.plain(normalize.RoleAssistant, r.e.body.Get("text")); m != nil {
			m.IsThought = true
		}
	case "error":
		r.plain(normalize.RoleSystem, r.e.body.Get("message"))
	}
}

// finish names and dates the messages. The line's own is the last one.
func (r *entryReader) finish(at normalize.Instant, model, generation string) {
	name := "line:" + strconv.Itoa(r.at)
	switch id := r.e.body.Get("id"); {
	case generation == genExec && id.Kind() == jsonscan.String && !id.Is(""):
		name = "item:" + id.Str()
	case generation == genExec, generation == genEvents:
		name = "event:" + strconv.Itoa(r.at)
	}
	for i, m := range r.made {
		m.ID = name
		if i < len(r.made)-1 {
			m.ID += "#" + strconv.Itoa(i)
			continue
		}
		m.Time = at
		if m.Role == normalize.RoleAssistant && m.Content != nil && !m.IsThought {
			m.Model = model
		}
	}
}
