package pamio

// Conversation is one normalized conversation document (PAM §25). Optional strings are absent when
// empty; Title and the text fields are pointers because the empty string is a value of its own
// there. Times are RFC 3339 UTC as written in the document ([FormatTime]).
type Conversation struct {
	ID                string          `json:"id"`
	Provider          Provider        `json:"provider"`
	Title             *string         `json:"title"`
	Temporal          Span            `json:"temporal"`
	Participants      []Participant   `json:"participants"`
	Messages          []Message       `json:"messages"`
	Model             string          `json:"model"`
	SystemInstruction string          `json:"system_instruction"`
	IsArchived        bool            `json:"is_archived"`
	Tags              []string        `json:"tags"`
	RawMetadata       RawJSON         `json:"raw_metadata"`
	Import            *ImportMetadata `json:"import_metadata"`
}

// Provider names the product a conversation came from and keeps its own identifiers (PAM §11.4,
// §25).
type Provider struct {
	Name                string `json:"name"`
	ConversationID      string `json:"conversation_id"`
	AccountID           string `json:"account_id"`
	ExportFormatVersion string `json:"export_format_version"`
}

// Span is the temporal block of conversations and index entries.
type Span struct {
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

// Participant is one speaker of a conversation.
type Participant struct {
	Role       string `json:"role"`
	Name       string `json:"name"`
	ProviderID string `json:"provider_id"`
}

// Message is one turn. Links (ParentID, ChildrenIDs) are given for all messages of a conversation
// or for none.
type Message struct {
	ID                string       `json:"id"`
	ProviderMessageID string       `json:"provider_message_id"`
	Role              string       `json:"role"`
	Content           *Content     `json:"content"`
	CreatedAt         string       `json:"created_at"`
	ParentID          string       `json:"parent_id"`
	ChildrenIDs       []string     `json:"children_ids"`
	Model             string       `json:"model"`
	IsThought         bool         `json:"is_thought"`
	TokenCount        *int64       `json:"token_count"`
	Attachments       []Attachment `json:"attachments"`
	Citations         []Citation   `json:"citations"`
	ToolCalls         []ToolCall   `json:"tool_calls"`
	RawMetadata       RawJSON      `json:"raw_metadata"`
}

// Content is the body of a message: Type "text" with Text, or Type "multipart" with Parts.
type Content struct {
	Type  string  `json:"type"`
	Text  *string `json:"text"`
	Parts []Part  `json:"parts"`
}

// Part is one piece of a multipart message. Type is text, image, code, file, audio or video.
type Part struct {
	Type     string  `json:"type"`
	Text     *string `json:"text"`
	Language string  `json:"language"`
	MimeType string  `json:"mime_type"`
	Ref      string  `json:"ref"`
}

// Attachment is a file on a message. Type is file, image, audio, video or document.
type Attachment struct {
	Type       string `json:"type"`
	Name       string `json:"name"`
	MimeType   string `json:"mime_type"`
	SizeBytes  *int64 `json:"size_bytes"`
	Ref        string `json:"ref"`
	ProviderID string `json:"provider_id"`
}

// Citation is a source that a message refers to. URL is absolute or absent.
type Citation struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// ToolCall is a call made by the assistant. Input is a JSON object or a JSON string.
type ToolCall struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Input  RawJSON `json:"input"`
	Output *string `json:"output"`
}

// ImportMetadata says how a conversation was read. Importer is "name/x.y.z", ImporterVersion
// "provider-importer/YYYY.MM", SourceChecksum "sha256:<hex>" of the member named by SourceFile.
type ImportMetadata struct {
	Importer        string `json:"importer"`
	ImporterVersion string `json:"importer_version"`
	ImportedAt      string `json:"imported_at"`
	SourceFile      string `json:"source_file"`
	SourceChecksum  string `json:"source_checksum"`
}
