package lossless

import (
	"bytes"
	"strconv"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// conversationValue reads a slot of the conversation.
func conversationValue(doc *pamio.Conversation, raw jsonscan.Node, s Slot) (string, bool) {
	switch s {
	case ConversationID:
		return doc.Provider.ConversationID, doc.Provider.ConversationID != "" && !raw.Get(keySynthetic).True()
	case Title:
		if doc.Title == nil {
			return "", false
		}
		return *doc.Title, true
	case Created:
		return doc.Temporal.CreatedAt, doc.Temporal.CreatedAt != "" && !raw.Get(keyTimeFrom).Exists()
	case Updated:
		return doc.Temporal.UpdatedAt, doc.Temporal.UpdatedAt != ""
	case Model:
		return doc.Model, doc.Model != ""
	case System:
		return doc.SystemInstruction, doc.SystemInstruction != ""
	case Archived:
		return strconv.FormatBool(doc.IsArchived), true
	case Account:
		return doc.Provider.AccountID, doc.Provider.AccountID != ""
	}
	return "", false
}

// sequence tells whether a slot has many values.
func sequence(s Slot) bool { return s >= Text }

// sequenceValues collects the values of a slot of the messages of one object. ToolInput gives JSON
// text.
func sequenceValues(messages []*pamio.Message, s Slot) []string {
	var out []string
	some := func(v string) {
		if v != "" {
			out = append(out, v)
		}
	}
	for _, m := range messages {
		switch s {
		case Text:
			if m.Content == nil {
				continue
			}
			if m.Content.Text != nil {
				out = append(out, *m.Content.Text)
			}
			for i := range m.Content.Parts {
				if t := m.Content.Parts[i].Text; t != nil {
					out = append(out, *t)
				}
			}
		case Language:
			if m.Content != nil {
				for i := range m.Content.Parts {
					some(m.Content.Parts[i].Language)
				}
			}
		case AttachName, AttachID, AttachMime, AttachSize:
			for i := range m.Attachments {
				a := &m.Attachments[i]
				switch s {
				case AttachName:
					some(a.Name)
				case AttachID:
					some(a.ProviderID)
				case AttachMime:
					some(a.MimeType)
				default:
					if a.SizeBytes != nil {
						some(strconv.FormatInt(*a.SizeBytes, 10))
					}
				}
			}
		case CiteURL, CiteTitle, CiteSnippet:
			for i := range m.Citations {
				c := &m.Citations[i]
				some(map[Slot]string{CiteURL: c.URL, CiteTitle: c.Title, CiteSnippet: c.Snippet}[s])
			}
		case ToolID, ToolName, ToolInput, ToolOutput:
			for i := range m.ToolCalls {
				c := &m.ToolCalls[i]
				switch s {
				case ToolID:
					some(c.ID)
				case ToolName:
					some(c.Name)
				case ToolInput:
					some(string(c.Input))
				default:
					if c.Output != nil {
						out = append(out, *c.Output)
					}
				}
			}
		case MessageModel:
			some(m.Model)
		case MessageCreated:
			some(m.CreatedAt)
		}
	}
	return out
}

// writeValue gives a value of a sequence as the source writes it.
func writeValue(r Rule, value string) ([]byte, bool) { return formOf(r).Write(nil, value) }

// formOf is the form of a rule's values.
func formOf(r Rule) Form {
	if r.Form.Write != nil {
		return r.Form
	}
	form := String
	switch r.Slot {
	case ToolInput:
		form = verbatim
	case Archived:
		form = Flag
	case Tokens, AttachSize:
		form = Number
	}
	form.none = r.Form.none
	return form
}

// verbatim is a value that is JSON text already.
var verbatim = Form{Write: func(dst []byte, v string) ([]byte, bool) { return append(dst, v...), true }}

// standsFor tells whether a source value is what a value of the document is written as.
func standsFor(r Rule, n jsonscan.Node, value string) bool {
	form := formOf(r)
	if form.plain && !n.Odd() && n.Is(value) {
		return true // without writing it: texts are long
	}
	text, ok := form.Write(nil, value)
	return ok && same(n, text)
}

// same tells whether a source value is the JSON value that text is.
func same(n jsonscan.Node, text []byte) bool {
	raw := n.Raw()
	if bytes.Equal(raw, text) {
		return true
	}
	switch n.Kind() {
	case jsonscan.Null, jsonscan.Bool, jsonscan.Invalid:
		return false
	case jsonscan.Number:
		return sameNumber(raw, text)
	}
	if len(text) == 0 || text[0] != raw[0] {
		return false
	}
	if n.Kind() == jsonscan.String && n.Flags()&jsonscan.Escaped == 0 && bytes.IndexByte(text, '\\') < 0 {
		return false
	}
	other, err := jsonscan.Parse(text, anyDepth)
	return err == nil && equal(n, other.Root())
}
