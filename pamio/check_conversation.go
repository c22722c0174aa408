package pamio

import "github.com/pamline/pamline/pamio/jsonscan"

func (k *checker) conversation(c *Conversation) {
	k.required("id", c.ID)
	n := k.enter("provider")
	k.required("name", c.Provider.Name)
	k.match("name", c.Provider.Name, IsPlatform, "a platform identifier of 2 to 32 lower-case letters, digits, _ and -")
	k.text("conversation_id", c.Provider.ConversationID)
	k.text("account_id", c.Provider.AccountID)
	k.text("export_format_version", c.Provider.ExportFormatVersion)
	k.leave(n)
	k.pointer("title", c.Title)
	k.span(c.Temporal)
	n = k.enter("participants")
	for i := range c.Participants {
		p := &c.Participants[i]
		m := k.item(i)
		k.role(p.Role)
		k.text("name", p.Name)
		k.text("provider_id", p.ProviderID)
		k.leave(m)
	}
	k.leave(n)
	n = k.enter("messages")
	for i := range c.Messages {
		m := k.item(i)
		k.message(&c.Messages[i])
		k.leave(m)
		if k.err != nil {
			return
		}
	}
	k.links(c.Messages)
	k.leave(n)
	k.text("model", c.Model)
	k.text("system_instruction", c.SystemInstruction)
	k.tags(c.Tags)
	k.raw("raw_metadata", c.RawMetadata, jsonscan.Object)
	if c.Import != nil {
		k.importMetadata(c.Import)
	}
}

func (k *checker) importMetadata(m *ImportMetadata) {
	n := k.enter("import_metadata")
	k.match("importer", m.Importer, IsSystem, "of the form name/1.2.3")
	k.text("importer_version", m.ImporterVersion)
	k.time("imported_at", m.ImportedAt)
	k.text("source_file", m.SourceFile)
	k.match("source_checksum", m.SourceChecksum, IsDigest, `"sha256:" and 64 lower-case hex digits`)
	k.leave(n)
}

func (k *checker) message(m *Message) {
	k.required("id", m.ID)
	k.text("provider_message_id", m.ProviderMessageID)
	k.role(m.Role)
	if m.Content != nil {
		n := k.enter("content")
		k.content(m.Content)
		k.leave(n)
	}
	k.required("created_at", m.CreatedAt)
	k.time("created_at", m.CreatedAt)
	k.text("model", m.Model)
	k.count("token_count", m.TokenCount)
	n := k.enter("attachments")
	for i := range m.Attachments {
		at := k.item(i)
		k.attachment(&m.Attachments[i])
		k.leave(at)
	}
	k.leave(n)
	n = k.enter("citations")
	for i := range m.Citations {
		c := &m.Citations[i]
		at := k.item(i)
		k.text("title", c.Title)
		k.match("url", c.URL, IsAbsoluteURI, "an absolute URI: keep what the source has in raw_metadata instead")
		k.text("snippet", c.Snippet)
		k.leave(at)
	}
	k.leave(n)
	n = k.enter("tool_calls")
	for i := range m.ToolCalls {
		t := &m.ToolCalls[i]
		at := k.item(i)
		k.text("id", t.ID)
		k.required("name", t.Name)
		k.raw("input", t.Input, jsonscan.Object, jsonscan.String)
		k.pointer("output", t.Output)
		k.leave(at)
	}
	k.leave(n)
	k.raw("raw_metadata", m.RawMetadata, jsonscan.Object)
}

func (k *checker) content(c *Content) {
	k.oneOf("type", c.Type, contentTypes)
	k.pointer("text", c.Text)
	if c.Type == "text" && len(c.Parts) > 0 {
		k.fail("parts", "parts belong to multipart content only")
	}
	if c.Type == "multipart" && c.Text != nil {
		k.fail("text", "text belongs to text content only")
	}
	n := k.enter("parts")
	for i := range c.Parts {
		p := &c.Parts[i]
		at := k.item(i)
		k.oneOf("type", p.Type, partTypes)
		k.pointer("text", p.Text)
		k.text("language", p.Language)
		k.text("mime_type", p.MimeType)
		k.text("ref", p.Ref)
		k.leave(at)
	}
	k.leave(n)
}

func (k *checker) attachment(a *Attachment) {
	k.oneOf("type", a.Type, attachmentTypes)
	k.text("name", a.Name)
	k.text("mime_type", a.MimeType)
	k.count("size_bytes", a.SizeBytes)
	k.text("ref", a.Ref)
	k.text("provider_id", a.ProviderID)
}
