package pamio

func appendMessage(dst []byte, m *Message) []byte {
	dst = appendMember(append(dst, '{'), "id", m.ID)
	dst = appendOptional(dst, "provider_message_id", m.ProviderMessageID)
	dst = appendMember(dst, "role", m.Role)
	if m.Content != nil {
		dst = appendContent(appendKey(dst, "content"), m.Content)
	}
	dst = appendMember(dst, "created_at", m.CreatedAt)
	dst = appendOptional(dst, "parent_id", m.ParentID)
	dst = appendSome(dst, "children_ids", m.ChildrenIDs)
	dst = appendOptional(dst, "model", m.Model)
	dst = appendTrue(dst, "is_thought", m.IsThought)
	dst = appendCount(dst, "token_count", m.TokenCount)
	dst = appendObjects(dst, "attachments", m.Attachments, appendAttachment)
	dst = appendObjects(dst, "citations", m.Citations, appendCitation)
	dst = appendObjects(dst, "tool_calls", m.ToolCalls, appendToolCall)
	dst = appendRaw(dst, "raw_metadata", m.RawMetadata)
	return append(dst, '}')
}

func appendContent(dst []byte, c *Content) []byte {
	dst = appendMember(append(dst, '{'), "type", c.Type)
	dst = appendPointer(dst, "text", c.Text)
	dst = appendObjects(dst, "parts", c.Parts, appendPart)
	return append(dst, '}')
}

func appendPart(dst []byte, p *Part) []byte {
	dst = appendMember(append(dst, '{'), "type", p.Type)
	dst = appendPointer(dst, "text", p.Text)
	dst = appendOptional(dst, "language", p.Language)
	dst = appendOptional(dst, "mime_type", p.MimeType)
	dst = appendOptional(dst, "ref", p.Ref)
	return append(dst, '}')
}

func appendAttachment(dst []byte, a *Attachment) []byte {
	dst = appendMember(append(dst, '{'), "type", a.Type)
	dst = appendOptional(dst, "name", a.Name)
	dst = appendOptional(dst, "mime_type", a.MimeType)
	dst = appendCount(dst, "size_bytes", a.SizeBytes)
	dst = appendOptional(dst, "ref", a.Ref)
	dst = appendOptional(dst, "provider_id", a.ProviderID)
	return append(dst, '}')
}

func appendCitation(dst []byte, c *Citation) []byte {
	dst = appendOptional(append(dst, '{'), "title", c.Title)
	dst = appendOptional(dst, "url", c.URL)
	dst = appendOptional(dst, "snippet", c.Snippet)
	return append(dst, '}')
}

func appendToolCall(dst []byte, t *ToolCall) []byte {
	dst = appendOptional(append(dst, '{'), "id", t.ID)
	dst = appendMember(dst, "name", t.Name)
	dst = appendRaw(dst, "input", t.Input)
	dst = appendPointer(dst, "output", t.Output)
	return append(dst, '}')
}
