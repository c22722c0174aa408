package extract

import (
	"bytes"
	"slices"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Turn is one message of a conversation as an extractor reads it.
type Turn struct {
	ID, Role string
	Text     string // PlainText of the message
	// Own tells that the text is what the person wrote in the talk: only such turns are evidence.
	// The others are context.
	Own bool
	// Opaque are the bytes of Text that are no prose whatever they look like: parts that are code
	// or files.
	Opaque []Span
	// ObservedAt is when it was said, RFC 3339 UTC: the message's time, else that of the
	// conversation; "" when nowhere known.
	ObservedAt string
}

// Span is a range of bytes of a text.
type Span struct{ Start, End int }

const unknownTime = "1970-01-01T00:00:00Z"

// Turns gives the messages of a conversation that have text. A conversation that the person marked
// "do not remember" is forbidden: it has none. In a list of prompts (PromptsOnly) no turn is
// evidence. What a provider puts into the talk by itself (custom instructions, saved memories,
// hidden messages) is not the person's own turn, whatever role it has.
func Turns(doc *pamio.Conversation) (turns []Turn, forbidden bool) {
	if Forbidden(doc) {
		return nil, true
	}
	started := doc.Temporal.CreatedAt
	if started == unknownTime {
		started = ""
	}
	prompts := PromptsOnly(doc)
	for i := range doc.Messages {
		m := &doc.Messages[i]
		t := Turn{ID: m.ID, Role: m.Role, Text: m.PlainText(), ObservedAt: m.CreatedAt}
		if t.Text == "" {
			continue
		}
		if t.ObservedAt == "" || t.ObservedAt == unknownTime {
			t.ObservedAt = started
		}
		t.Own = m.Role == "user" && !prompts && !m.IsThought && !isInjected(m)
		t.Opaque = opaque(m)
		turns = append(turns, t)
	}
	return turns, false
}

// opaque finds the parts that are no text. The texts of parts are joined by one byte.
func opaque(m *pamio.Message) []Span {
	if m.Content == nil || m.Content.Text != nil {
		return nil
	}
	var spans []Span
	at := 0
	for i := range m.Content.Parts {
		p := &m.Content.Parts[i]
		if p.Text == nil {
			continue
		}
		if p.Type != "text" {
			spans = append(spans, Span{at, at + len(*p.Text)})
		}
		at += len(*p.Text) + 1
	}
	return spans
}

var forbiddenMark = []byte("is_do_not_remember")

// Forbidden tells whether the person marked a conversation "do not remember".
func Forbidden(doc *pamio.Conversation) bool {
	if !bytes.Contains(doc.RawMetadata, forbiddenMark) {
		return false
	}
	d, err := jsonscan.Parse(doc.RawMetadata, 0)
	return err == nil && d.Root().Get("is_do_not_remember").True()
}

// injectedMarks stand in the raw metadata of messages that a provider may have written under the
// person's name.
var injectedMarks = [][]byte{
	[]byte("editable_context"), []byte("is_visually_hidden_from_conversation"), []byte("is_user_system_message"), []byte("isMeta"),
	[]byte("tether_"), []byte("execution_output"), []byte("system_error"),
}

// notTalk are content types of messages that no person wrote in the talk.
var notTalk = map[string]bool{
	"user_editable_context": true, "model_editable_context": true, "tether_quote": true, "tether_browsing_display": true, "tether_browsing_code": true,
	"execution_output": true, "system_error": true,
}

// mayBeInjected tells whether one of the marks is in the metadata, which may be long. All stand in
// a field of one of two kinds.
func mayBeInjected(raw []byte) bool {
	if !bytes.Contains(raw, []byte(`"is`)) && !bytes.Contains(raw, []byte(`"content_type"`)) {
		return false
	}
	return slices.ContainsFunc(injectedMarks, func(mark []byte) bool { return bytes.Contains(raw, mark) })
}

// isInjected tells whether a message with the person's role was written by the provider's program.
func isInjected(m *pamio.Message) bool {
	if !mayBeInjected(m.RawMetadata) {
		return false
	}
	d, err := jsonscan.Parse(m.RawMetadata, 0)
	if err != nil {
		return true // nested deeper than anything that is looked for, and marked
	}
	root := d.Root()
	meta := root.Get("metadata")
	kind := root.Get("content").Get("content_type")
	return notTalk[kind.Str()] ||
		meta.Get("is_visually_hidden_from_conversation").True() || meta.Get("is_user_system_message").True() || root.Get("isMeta").True()
}
