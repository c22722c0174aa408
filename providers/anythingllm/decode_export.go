package anythingllm

import (
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// rows reads the rows of a workspace of an export:
// [{"id":1,"workspace":"…","prompt":"…","response":"…","sent_at":"…"},…].
func rows(b *lossless.Builder) bool {
	i, some := 0, false
	for row := range b.Root().Items() {
		if row.Kind() != jsonscan.Object || !row.Get("prompt").Exists() && !row.Get("response").Exists() {
			b.Unknown("row_is_no_exchange")
			i++
			continue
		}
		if !some {
			b.Title(row.Get("workspace"))
			b.DerivedID(space, exportKey(row))
		}
		some = true
		exchangeOf(b, "", i, row, row.Get("prompt"), row.Get("response"), b.Time(row.Get("sent_at")))
		i++
	}
	return some
}

// exportKey is what names the conversation of a row.
func exportKey(row jsonscan.Node) string {
	return strings.Join([]string{"export", row.Get("workspace").Str(), row.Get("username").Str()}, "\x00")
}

// line reads a line of JSONL:
// {"messages":[{"role":"user","content":[{"type":"text","text":"…"}]},…]}.
func line(b *lossless.Builder) bool {
	messages := b.Root().Get("messages")
	if messages.Kind() != jsonscan.Array {
		return false
	}
	i, question := 0, ""
	for m := range messages.Items() {
		if m.Kind() != jsonscan.Object {
			b.Unknown("message_is_no_object")
			i++
			continue
		}
		role := b.Role(m.Get("role").Str())
		o := b.Item("/messages", i, m)
		i++
		content := m.Get("content")
		if content.Kind() != jsonscan.Array {
			answerOf(o, "", "", role, content, normalize.Epoch)
			continue
		}
		parts := parts(o, role, content)
		if question == "" && role == normalize.RoleUser {
			question = parts
		}
	}
	if question != "" {
		b.DerivedID(space, "line\x00"+question)
	}
	return true
}

// parts adds the message of a list of parts, with what was thought before it, and gives its text.
func parts(o *lossless.Object, role string, content jsonscan.Node) string {
	var all []string
	for part := range content.Items() {
		t := part.Get("text")
		if !part.Get("type").Is("text") || t.Kind() != jsonscan.String && !t.Get(keyThought).Exists() {
			continue
		}
		if thought := t.Get(keyThought); thought.Exists() {
			m := o.Add("", role)
			m.IsThought = true
			m.Text(thought.Get("thought").Str())
			all = append(all, thought.Get("text").Str())
			continue
		}
		all = append(all, t.Str())
	}
	m := o.Add("", role)
	for _, t := range all {
		m.Text(t)
	}
	return strings.Join(all, "\n")
}

// alpaca reads elements with one instruction: [{"instruction":"…","input":"…","output":"…"},…].
func alpaca(b *lossless.Builder) bool {
	i, some := 0, false
	for row := range b.Root().Items() {
		if row.Kind() != jsonscan.Object || !row.Get("input").Exists() && !row.Get("output").Exists() {
			b.Unknown("row_is_no_exchange")
			i++
			continue
		}
		if !some {
			b.Doc.SystemInstruction = row.Get("instruction").Str()
			b.DerivedID(space, "alpaca\x00"+b.Doc.SystemInstruction)
		}
		some = true
		exchangeOf(b, "", i, row, row.Get("input"), row.Get("output"), normalize.Epoch)
		i++
	}
	return some
}
