package pamio

import "github.com/pamline/pamline/pamio/jsonscan"

func (f *filler) message(m *Message, n jsonscan.Node) {
	f.object(n, func(key []byte, v jsonscan.Node) {
		switch string(key) {
		case "id":
			m.ID = f.text(v)
		case "provider_message_id":
			m.ProviderMessageID = f.text(v)
		case "role":
			m.Role = f.text(v)
		case "content":
			c := &Content{}
			if f.content(c, v) {
				m.Content = c
			}
		case "created_at":
			m.CreatedAt = f.text(v)
		case "parent_id":
			m.ParentID = f.text(v)
		case "children_ids":
			m.ChildrenIDs = fillList(f, v, fillText)
		case "model":
			m.Model = f.text(v)
		case "is_thought":
			m.IsThought = f.flag(v)
		case "token_count":
			m.TokenCount = f.count(v)
		case "attachments":
			m.Attachments = fillList(f, v, (*filler).attachment)
		case "citations":
			m.Citations = fillList(f, v, (*filler).citation)
		case "tool_calls":
			m.ToolCalls = fillList(f, v, (*filler).toolCall)
		case "raw_metadata":
			m.RawMetadata = f.raw(v)
		}
	})
}

func (f *filler) content(c *Content, n jsonscan.Node) bool {
	return f.object(n, func(key []byte, v jsonscan.Node) {
		switch string(key) {
		case "type":
			c.Type = f.text(v)
		case "text":
			c.Text = f.optionalText(v)
		case "parts":
			c.Parts = fillList(f, v, (*filler).part)
		}
	})
}

func (f *filler) part(p *Part, n jsonscan.Node) {
	f.object(n, func(key []byte, v jsonscan.Node) {
		switch string(key) {
		case "type":
			p.Type = f.text(v)
		case "text":
			p.Text = f.optionalText(v)
		case "language":
			p.Language = f.text(v)
		case "mime_type":
			p.MimeType = f.text(v)
		case "ref":
			p.Ref = f.text(v)
		}
	})
}

func (f *filler) attachment(a *Attachment, n jsonscan.Node) {
	f.object(n, func(key []byte, v jsonscan.Node) {
		switch string(key) {
		case "type":
			a.Type = f.text(v)
		case "name":
			a.Name = f.text(v)
		case "mime_type":
			a.MimeType = f.text(v)
		case "size_bytes":
			a.SizeBytes = f.count(v)
		case "ref":
			a.Ref = f.text(v)
		case "provider_id":
			a.ProviderID = f.text(v)
		}
	})
}

func (f *filler) citation(c *Citation, n jsonscan.Node) {
	f.object(n, func(key []byte, v jsonscan.Node) {
		switch string(key) {
		case "title":
			c.Title = f.text(v)
		case "url":
			c.URL = f.text(v)
		case "snippet":
			c.Snippet = f.text(v)
		}
	})
}

func (f *filler) toolCall(c *ToolCall, n jsonscan.Node) {
	f.object(n, func(key []byte, v jsonscan.Node) {
		switch string(key) {
		case "id":
			c.ID = f.text(v)
		case "name":
			c.Name = f.text(v)
		case "input":
			c.Input = f.raw(v)
		case "output":
			c.Output = f.optionalText(v)
		}
	})
}
