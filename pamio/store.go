package pamio

// Memory is one memory object (PAM §4). Optional strings are absent when empty. Status and Tags are
// always written; CustomType only with Type "custom".
type Memory struct {
	ID           string      `json:"id"`
	Type         string      `json:"type"`
	CustomType   string      `json:"custom_type"`
	Status       string      `json:"status"`
	Content      string      `json:"content"`
	ContentHash  string      `json:"content_hash"`
	Summary      string      `json:"summary"`
	Tags         []string    `json:"tags"`
	Confidence   *Confidence `json:"confidence"`
	Temporal     Temporal    `json:"temporal"`
	Provenance   Provenance  `json:"provenance"`
	Access       *Access     `json:"access"`
	EmbeddingRef string      `json:"embedding_ref"`
	// Metadata is a JSON object (PAM §10): language and domain are reserved, other keys are free.
	Metadata RawJSON `json:"metadata"`
}

// Confidence is the scoring block (PAM §8). Values lie in [0,1].
type Confidence struct {
	Initial        float64 `json:"initial"`
	Current        float64 `json:"current"`
	DecayModel     string  `json:"decay_model"`
	LastReinforced string  `json:"last_reinforced"`
}

// Temporal is the time block of a memory (PAM §4.1, §7).
type Temporal struct {
	CreatedAt    string `json:"created_at"`
	UpdatedAt    string `json:"updated_at"`
	ValidFrom    string `json:"valid_from"`
	ValidUntil   string `json:"valid_until"`
	SupersededBy string `json:"superseded_by"`
}

// Provenance says where a memory came from (PAM §11).
type Provenance struct {
	Platform         string `json:"platform"`
	PlatformUserID   string `json:"platform_user_id"`
	ConversationRef  string `json:"conversation_ref"`
	MessageRef       string `json:"message_ref"`
	ExtractionMethod string `json:"extraction_method"`
	ExtractedAt      string `json:"extracted_at"`
	Extractor        string `json:"extractor"`
}

// Access is the access block (PAM §9), written whole or not at all.
type Access struct {
	Visibility string  `json:"visibility"`
	Exportable bool    `json:"exportable"`
	SharedWith []Grant `json:"shared_with"`
}

// Grant gives an entity permissions on a memory (PAM §9.1).
type Grant struct {
	Entity      string   `json:"entity"`
	Permissions []string `json:"permissions"`
}

// Relation links two memories (PAM §13).
type Relation struct {
	ID         string   `json:"id"`
	From       string   `json:"from"`
	To         string   `json:"to"`
	Type       string   `json:"type"`
	Confidence *float64 `json:"confidence"`
	CreatedAt  string   `json:"created_at"`
}

// IndexEntry is one entry of conversations_index (PAM §14).
type IndexEntry struct {
	ID              string   `json:"id"`
	Platform        string   `json:"platform"`
	Title           *string  `json:"title"`
	MessageCount    *int64   `json:"message_count"`
	Temporal        Span     `json:"temporal"`
	Tags            []string `json:"tags"`
	DerivedMemories []string `json:"derived_memories"`
	Storage         *Storage `json:"storage"`
}

// Storage says where a conversation document is kept (PAM §14.2). Ref is relative to the store file
// for Type "file".
type Storage struct {
	Type   string `json:"type"`
	Ref    string `json:"ref"`
	Format string `json:"format"`
}

// Owner identifies whose memories these are (PAM §3.1, §17).
type Owner struct {
	ID        string `json:"id"`
	DID       string `json:"did"`
	CreatedAt string `json:"created_at"`
}

// Header holds the scalar fields of a store: everything but its three collections, the integrity
// block and the signature.
type Header struct {
	SpecURI      string `json:"spec_uri"`
	ExportID     string `json:"export_id"`
	ExportedBy   string `json:"exported_by"`
	ExportDate   string `json:"export_date"`
	Owner        Owner  `json:"owner"`
	ExportType   string `json:"export_type"`
	BaseExportID string `json:"base_export_id"`
	Since        string `json:"since"`
	TypeRegistry string `json:"type_registry"`
}

// Integrity is the integrity block (PAM §15.3).
type Integrity struct {
	Canonicalization string `json:"canonicalization"`
	Checksum         string `json:"checksum"`
	TotalMemories    int64  `json:"total_memories"`
}

// Signature is the signature block (PAM §18.1).
type Signature struct {
	Algorithm string `json:"algorithm"`
	PublicKey string `json:"public_key"`
	Value     string `json:"value"`
	SignedAt  string `json:"signed_at"`
	KeyID     string `json:"key_id"`
}
