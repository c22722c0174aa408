package fold

import (
	"slices"
	"strconv"

	"github.com/pamline/pamline/pamio"
)

// message merges the versions of one message, without its links.
func (m *merger) message(pointer string, versions []version[*pamio.Message]) pamio.Message {
	if len(versions) == 1 {
		return *versions[0].value
	}
	created := bestTime(m, pointer+"/created_at", project(versions, func(v *pamio.Message) stamp {
		return newStamp(v.CreatedAt, v.RawMetadata)
	}))
	return pamio.Message{
		ID: versions[0].value.ID,
		ProviderMessageID: text(m, pointer+"/provider_message_id", versions,
			func(v *pamio.Message) string { return v.ProviderMessageID }),
		Role:        text(m, pointer+"/role", versions, func(v *pamio.Message) string { return v.Role }),
		Content:     m.content(pointer+"/content", versions),
		CreatedAt:   created.time,
		Model:       text(m, pointer+"/model", versions, func(v *pamio.Message) string { return v.Model }),
		IsThought:   flag(m, pointer+"/is_thought", versions, func(v *pamio.Message) bool { return v.IsThought }),
		TokenCount:  count(m, pointer+"/token_count", versions, func(v *pamio.Message) *int64 { return v.TokenCount }),
		Attachments: m.attachments(pointer+"/attachments", versions),
		Citations:   m.citations(pointer+"/citations", versions),
		ToolCalls:   m.toolCalls(pointer+"/tool_calls", versions),
		RawMetadata: m.metadata(pointer+"/raw_metadata", created.source, followers(versions),
			project(versions, func(v *pamio.Message) pamio.RawJSON { return v.RawMetadata })),
	}
}

// content merges bodies of the same shape field by field, so that a part which lost its asset keeps
// the reference; of different shapes the latest wins whole, and so does a text that has become the
// input of a tool call.
func (m *merger) content(pointer string, versions []version[*pamio.Message]) *pamio.Content {
	var same []version[*pamio.Content]
	called := false
	for i := len(versions) - 1; i >= 0; i-- {
		c := versions[i].value.Content
		called = called || len(same) == 0 && c == nil && hasBody(versions[i].value)
		switch {
		case c == nil:
		case called:
			m.lose(pointer, versions[i].order, contentJSON(c))
		case len(same) == 0 || sameShape(same[0].value, c):
			same = append(same, version[*pamio.Content]{versions[i].order, c})
		default:
			m.lose(pointer, versions[i].order, contentJSON(c))
		}
	}
	if len(same) == 0 {
		return nil
	}
	slices.Reverse(same)
	out := &pamio.Content{
		Type: same[0].value.Type,
		Text: textPointer(m, pointer+"/text", same, func(c *pamio.Content) *string { return c.Text }),
	}
	for i := range same[0].value.Parts {
		at := pointer + "/parts/" + strconv.Itoa(i)
		parts := project(same, func(c *pamio.Content) *pamio.Part { return &c.Parts[i] })
		out.Parts = append(out.Parts, pamio.Part{
			Type:     parts[0].value.Type,
			Text:     textPointer(m, at+"/text", parts, func(p *pamio.Part) *string { return p.Text }),
			Language: text(m, at+"/language", parts, func(p *pamio.Part) string { return p.Language }),
			MimeType: text(m, at+"/mime_type", parts, func(p *pamio.Part) string { return p.MimeType }),
			Ref:      text(m, at+"/ref", parts, func(p *pamio.Part) string { return p.Ref }),
		})
	}
	return out
}

func sameShape(a, b *pamio.Content) bool {
	return a.Type == b.Type && slices.EqualFunc(a.Parts, b.Parts, func(p, q pamio.Part) bool { return p.Type == q.Type })
}

// contentJSON writes a content object.
func contentJSON(c *pamio.Content) pamio.RawJSON {
	out := pamio.AppendString(pamio.RawJSON(`{"type":`), c.Type)
	if c.Text != nil {
		out = pamio.AppendString(append(out, `,"text":`...), *c.Text)
	}
	if len(c.Parts) > 0 {
		out = append(out, `,"parts":[`...)
		for _, p := range c.Parts {
			out = pamio.AppendString(append(separate(out), `{"type":`...), p.Type)
			if p.Text != nil {
				out = pamio.AppendString(append(out, `,"text":`...), *p.Text)
			}
			for _, f := range [...][2]string{{"language", p.Language}, {"mime_type", p.MimeType}, {"ref", p.Ref}} {
				if f[1] != "" {
					out = pamio.AppendString(append(pamio.AppendString(append(out, ','), f[0]), ':'), f[1])
				}
			}
			out = append(out, '}')
		}
		out = append(out, ']')
	}
	return append(out, '}')
}

func (m *merger) attachments(pointer string, versions []version[*pamio.Message]) []pamio.Attachment {
	identity := func(a *pamio.Attachment) string {
		switch {
		case a.ProviderID != "":
			return "provider id " + a.ProviderID
		case a.Ref != "":
			return "ref " + a.Ref
		}
		return "name " + a.Name
	}
	lists := project(versions, func(v *pamio.Message) []pamio.Attachment { return v.Attachments })
	return unite(m, pointer, lists, identity, func(at string, vs []version[*pamio.Attachment]) pamio.Attachment {
		return pamio.Attachment{
			Type:       text(m, at+"/type", vs, func(a *pamio.Attachment) string { return a.Type }),
			Name:       text(m, at+"/name", vs, func(a *pamio.Attachment) string { return a.Name }),
			MimeType:   text(m, at+"/mime_type", vs, func(a *pamio.Attachment) string { return a.MimeType }),
			SizeBytes:  count(m, at+"/size_bytes", vs, func(a *pamio.Attachment) *int64 { return a.SizeBytes }),
			Ref:        text(m, at+"/ref", vs, func(a *pamio.Attachment) string { return a.Ref }),
			ProviderID: text(m, at+"/provider_id", vs, func(a *pamio.Attachment) string { return a.ProviderID }),
		}
	})
}

func (m *merger) citations(pointer string, versions []version[*pamio.Message]) []pamio.Citation {
	identity := func(c *pamio.Citation) string {
		if c.URL != "" {
			return "url " + c.URL
		}
		return "title " + c.Title
	}
	lists := project(versions, func(v *pamio.Message) []pamio.Citation { return v.Citations })
	return unite(m, pointer, lists, identity, func(at string, vs []version[*pamio.Citation]) pamio.Citation {
		return pamio.Citation{
			Title:   text(m, at+"/title", vs, func(c *pamio.Citation) string { return c.Title }),
			URL:     text(m, at+"/url", vs, func(c *pamio.Citation) string { return c.URL }),
			Snippet: text(m, at+"/snippet", vs, func(c *pamio.Citation) string { return c.Snippet }),
		}
	})
}

func (m *merger) toolCalls(pointer string, versions []version[*pamio.Message]) []pamio.ToolCall {
	identity := func(t *pamio.ToolCall) string {
		if t.ID != "" {
			return "id " + t.ID
		}
		return "name " + t.Name
	}
	lists := project(versions, func(v *pamio.Message) []pamio.ToolCall { return v.ToolCalls })
	return unite(m, pointer, lists, identity, func(at string, vs []version[*pamio.ToolCall]) pamio.ToolCall {
		return pamio.ToolCall{
			ID:     text(m, at+"/id", vs, func(t *pamio.ToolCall) string { return t.ID }),
			Name:   text(m, at+"/name", vs, func(t *pamio.ToolCall) string { return t.Name }),
			Input:  m.whole(at+"/input", project(vs, func(t *pamio.ToolCall) pamio.RawJSON { return t.Input })),
			Output: textPointer(m, at+"/output", vs, func(t *pamio.ToolCall) *string { return t.Output }),
		}
	})
}
