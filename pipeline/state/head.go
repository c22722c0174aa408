package state

// Head names the current store of an owner. It is the only object that is swapped, and at most 4
// KB.
type Head struct {
	V        int    `json:"v"`
	Sequence int64  `json:"sequence"`
	ExportID string `json:"export_id"`
	// Store is the SHA-256 of exports/<export_id>.json; Size its length in bytes.
	Store string `json:"store"`
	Size  int64  `json:"size"`
	// Content digests decide whether a new store would say anything new.
	Memories  string `json:"memories"`
	Relations string `json:"relations"`
	Index     string `json:"index"`
	// Embeddings is the digest of the vectors, "" when there are none; then there is no embeddings
	// file.
	Embeddings     string `json:"embeddings,omitempty"`
	EmbeddingsSize int64  `json:"embeddings_size,omitempty"`
	// EmbeddingsFile is the SHA-256 of exports/<export_id>.embeddings.json.
	EmbeddingsFile string `json:"embeddings_file,omitempty"`
	// FoldIndex is the digest of the lines of exports/<export_id>.fold.zst.
	FoldIndex string `json:"fold_index"`
	// Signer is the fingerprint of the key that signed the store, "" for none.
	Signer string `json:"signer,omitempty"`
	// Identity is the digest of what the store says of its owner beside the id, "" for nothing.
	Identity string `json:"identity,omitempty"`
	// Formats are the files of the export in further formats, by the ends of their names: the file
	// of an end is exports/<export_id><end>.
	Formats map[string]File `json:"formats,omitempty"`
	// Counts of what the store holds.
	MemoryCount       int64 `json:"memory_count"`
	ConversationCount int64 `json:"conversation_count"`
	// Inputs is the SHA-256 of the input set, which lies in inputs/<inputs>.json.
	Inputs string `json:"inputs"`
}

// File is the SHA-256 and the length in bytes of an object.
type File struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// InputsKey is where the input set of a digest lies.
func InputsKey(owner, digest string) string { return OwnerKey(owner, "inputs/"+digest+".json") }
