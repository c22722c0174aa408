package chatgpt

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// plainContent is the content that leaves no residual: {"content_type":"text","parts":[<one
// text>]}.
const plainContent = `{"content_type":"text","parts":[""]}`

// content maps a message's content: its texts and file pointers become parts (one text alone
// becomes the text), the rest is the residual. The text of a tool call becomes the input of the
// call instead.
func (d *decoder) content(m *pamio.Message, n *node, r *object) {
	content := n.has.content
	tool := toolName(n, n.has.recipient)
	if tool != "" {
		m.ToolCalls = []pamio.ToolCall{{ID: m.ID, Name: tool}}
	}
	if !content.Exists() {
		return
	}
	d.slots = findSlots(d.slots[:0], content)
	ct := contentType(content)
	if content.Kind() == jsonscan.Object {
		switch ct {
		case "thoughts", "reasoning_recap":
			m.IsThought = true
		}
		if _, known := textFields[ct]; !known {
			d.anomalies["unknown_content_type"]++
		}
	}
	d.taken.Reset()
	for _, s := range d.slots {
		d.taken.Take(s.node)
	}
	language := jsonscan.Node{}
	switch {
	case tool != "" && len(d.slots) == 1 && isText(d.slots[0].kind):
		m.ToolCalls[0].Input = d.toolInput(d.slots[0].node.Str(), r)
	case len(d.slots) == 1 && d.slots[0].kind == "text":
		text := d.slots[0].node.Str()
		m.Content = &pamio.Content{Type: "text", Text: &text}
	case len(d.slots) > 0:
		m.Content = &pamio.Content{Type: "multipart", Parts: make([]pamio.Part, 0, len(d.slots))}
		for _, s := range d.slots {
			p := pamio.Part{Type: s.kind}
			if isText(s.kind) {
				text := s.node.Str()
				p.Text = &text
			} else {
				p.Ref = s.node.Str()
			}
			if s.kind == "code" {
				if l := content.Get("language"); l.Kind() == jsonscan.String && !l.Is("unknown") && !l.Is("") {
					p.Language, language = l.Str(), l
					d.taken.Take(l)
				}
			}
			m.Content.Parts = append(m.Content.Parts, p)
		}
	}
	d.loss.Mapped += len(d.slots)
	if language.Exists() {
		d.loss.Mapped++
	}
	if d.plain(content) {
		d.loss.Mapped++ // content_type
		return
	}
	r.key("content")
	at := len(r.buf)
	r.buf = d.taken.AppendResidual(r.buf, content, &d.loss.Raw)
	if err := d.small.Parse(r.buf[at:], 0); err != nil || !samePaths(d.slots, implied(nil, d.small.Root())) {
		r.key(keyTextFrom)
		r.buf = appendTextFrom(r.buf, d.slots)
	}
	d.fileParts(m, content)
}

// plain tells whether the content is of the usual form, with its one text taken.
func (d *decoder) plain(content jsonscan.Node) bool {
	if len(d.slots) != 1 || d.slots[0].path != "/parts/0" || d.slots[0].kind != "text" || content.Len() != 2 {
		return false
	}
	return content.Get("content_type").Is("text") && content.Get("parts").Len() == 1
}

func isText(kind string) bool { return kind == "text" || kind == "code" }

// toolName is the tool that an assistant's message is addressed to, "" for a message to everyone.
func toolName(n *node, recipient jsonscan.Node) string {
	if n.role != normalize.RoleAssistant || recipient.Kind() != jsonscan.String || recipient.Is("all") || recipient.Is("") || recipient.Is("assistant") {
		return ""
	}
	return recipient.Str()
}
