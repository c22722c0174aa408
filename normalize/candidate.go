package normalize

// Candidate is a memory with its evidence, not yet resolved into a store. Its JSON form is one line of a candidates file
// and of `pamline extract`.
type Candidate struct {
	Type       string     `json:"type"`
	CustomType string     `json:"custom_type,omitempty"`
	Content    string     `json:"content"`
	Confidence float64    `json:"confidence"`
	Decay      string     `json:"decay_model,omitempty"`
	Tags       []string   `json:"tags,omitempty"`
	Language   string     `json:"language,omitempty"`
	Platform   string     `json:"platform"`
	Method     string     `json:"extraction_method"`
	Extractor  string     `json:"extractor"`
	Evidence   []Evidence `json:"evidence"`
}

// Evidence says where a candidate was said or kept. Spans of a message count code points of its text; evidence of a
// record has Member and Pointer instead.
type Evidence struct {
	Conversation string `json:"conversation,omitempty"`
	Message      string `json:"message,omitempty"`
	Start        int    `json:"start"`
	End          int    `json:"end"`
	Quote        string `json:"quote,omitempty"`
	// Member is the archive member of the record, Pointer the JSON pointer (RFC 6901) inside the unit that held it.
	Member  string `json:"member,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	// ObservedAt is when it was said or recorded, RFC 3339 UTC; "" when nowhere known.
	ObservedAt string `json:"observed_at,omitempty"`
	// AccountID is the provider's account the unit belongs to.
	AccountID string `json:"account_id,omitempty"`
}
