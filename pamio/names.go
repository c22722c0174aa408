package pamio

// The values of "schema" and "schema_version" in the three kinds of document (PAM §3.1, §12.2,
// §25).
const (
	SchemaVersion      = "1.0"
	StoreSchema        = "portable-ai-memory"
	ConversationSchema = "portable-ai-memory-conversation"
	EmbeddingsSchema   = "portable-ai-memory-embeddings"
)

// The files of a bundle (PAM §2).
const (
	StoreFile      = "memory-store.json"
	EmbeddingsFile = "embeddings.json"
	// ConversationsFolder holds the conversation files.
	ConversationsFolder = "conversations"
)

// RFC8785 is the only canonicalization that PAM 1.0 knows (PAM §15.1).
const RFC8785 = "RFC8785"
