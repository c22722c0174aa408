package pamio

// AppendJSON appends the document as compact JSON in a fixed order of members, import_metadata
// last. Members with a zero value are left out; messages is always there. It writes what it is
// given: [Conversation.Check] tells whether that is a document that may be stored.
func (c *Conversation) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"schema":"`+ConversationSchema+`","schema_version":"`+SchemaVersion+`"`...)
	dst = appendMember(dst, "id", c.ID)
	dst = c.Provider.append(appendKey(dst, "provider"))
	dst = appendPointer(dst, "title", c.Title)
	dst = c.Temporal.append(appendKey(dst, "temporal"))
	dst = appendObjects(dst, "participants", c.Participants, appendParticipant)
	if len(c.Messages) == 0 {
		dst = append(appendKey(dst, "messages"), '[', ']')
	}
	dst = appendObjects(dst, "messages", c.Messages, appendMessage)
	dst = appendOptional(dst, "model", c.Model)
	dst = appendOptional(dst, "system_instruction", c.SystemInstruction)
	dst = appendTrue(dst, "is_archived", c.IsArchived)
	dst = appendSome(dst, "tags", c.Tags)
	dst = appendRaw(dst, "raw_metadata", c.RawMetadata)
	if c.Import != nil {
		dst = c.Import.append(appendKey(dst, "import_metadata"))
	}
	return append(dst, '}')
}

// JSONSize is the number of bytes that AppendJSON appends. It takes about as long, and memory for
// one message at a time.
func (c *Conversation) JSONSize() int {
	around := *c
	around.Messages = nil
	buf := around.AppendJSON(nil)
	size := len(buf) + max(len(c.Messages)-1, 0) // commas
	for i := range c.Messages {
		buf = appendMessage(buf[:0], &c.Messages[i])
		size += len(buf)
	}
	return size
}

// SpliceImportMetadata appends doc with m added as its last member. doc is the text of a
// conversation without import_metadata as AppendJSON writes it: an object that ends with "}" and
// has at least one member. It is not parsed.
func SpliceImportMetadata(dst, doc []byte, m *ImportMetadata) []byte {
	dst = append(dst, doc[:len(doc)-1]...)
	dst = m.append(appendKey(dst, "import_metadata"))
	return append(dst, '}')
}

func (p *Provider) append(dst []byte) []byte {
	dst = appendMember(append(dst, '{'), "name", p.Name)
	dst = appendOptional(dst, "conversation_id", p.ConversationID)
	dst = appendOptional(dst, "account_id", p.AccountID)
	dst = appendOptional(dst, "export_format_version", p.ExportFormatVersion)
	return append(dst, '}')
}

func (s *Span) append(dst []byte) []byte {
	dst = appendMember(append(dst, '{'), "created_at", s.CreatedAt)
	dst = appendOptional(dst, "updated_at", s.UpdatedAt)
	return append(dst, '}')
}

func (m *ImportMetadata) append(dst []byte) []byte {
	dst = appendOptional(append(dst, '{'), "importer", m.Importer)
	dst = appendOptional(dst, "importer_version", m.ImporterVersion)
	dst = appendOptional(dst, "imported_at", m.ImportedAt)
	dst = appendOptional(dst, "source_file", m.SourceFile)
	dst = appendOptional(dst, "source_checksum", m.SourceChecksum)
	return append(dst, '}')
}

func appendParticipant(dst []byte, p *Participant) []byte {
	dst = appendMember(append(dst, '{'), "role", p.Role)
	dst = appendOptional(dst, "name", p.Name)
	dst = appendOptional(dst, "provider_id", p.ProviderID)
	return append(dst, '}')
}
