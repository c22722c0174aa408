package assemble

import (
	"context"
	"iter"

	"github.com/pamline/pamline/normalize"
)

// Source is where a snapshot was read and by what. It becomes the import_metadata of the
// conversation (PAM §25).
type Source struct {
	File            string `json:"source_file"`
	Checksum        string `json:"source_checksum"` // "sha256:<hex>" of the member
	ImportedAt      string `json:"imported_at"`     // the newest time inside the archive, never the wall clock
	Importer        string `json:"importer"`
	ImporterVersion string `json:"importer_version"`
}

// Snapshot is one conversation as one archive had it: all that the assembler needs without opening
// the document. The index fields (Platform … Tags) say what the document says; equal digests have
// equal ones.
type Snapshot struct {
	Conversation string // PAM conversation id
	// Order sorts the snapshots of one conversation: update time, else newest message time, RFC
	// 3339 with six digits; "" when nothing is known, which sorts first.
	Order string
	// Import is the import that the snapshot came from, for Options.Imports; "" when nobody asks.
	Import string
	// Digest is the SHA-256 of the document's bytes, in hex. The document has no import_metadata.
	Digest string
	// Pack, Offset and Length say where the pipeline finds the bytes. Reads are grouped by Pack and
	// sorted by Offset.
	Pack   string
	Offset int64
	Length int64
	// Size is the length of the document in bytes, which is what reading it takes of memory. 0: as
	// Length.
	Size int64
	// Position is that of the source element in its member. It decides the order of the
	// conversation index.
	Position int64
	Source   Source

	Platform  string
	Title     *string
	CreatedAt string
	UpdatedAt string
	Messages  int64
	Tags      []string
}

// Folded is one line of the fold index: the conversation file that an export holds, and what
// determined it.
type Folded struct {
	Conversation string `json:"conversation"`
	// Key is the SHA-256, in hex, of everything that determines the file: the rules' version, the
	// snapshots' orders and digests, and the source that is named. An equal Key means that the file
	// at Ref is the wanted one.
	Key string `json:"key"`
	// Ref names the file relative to the owner's folder: conversations/<id>.<16 hex>.json.
	Ref string `json:"ref"`
	// Snapshots is the number of distinct snapshots that were folded, Conflicts that of the values
	// kept aside.
	Snapshots int64 `json:"snapshots"`
	Conflicts int64 `json:"conflicts,omitempty"`

	Platform  string   `json:"platform"`
	Title     *string  `json:"title,omitempty"`
	CreatedAt string   `json:"created_at"`
	UpdatedAt string   `json:"updated_at,omitempty"`
	Messages  int64    `json:"messages"`
	Tags      []string `json:"tags,omitempty"`
}

// File is a conversation file. Its Name holds a digest of its Body: a file of that name that exists
// already is the same.
type File struct {
	Name string
	Body []byte
}

// Input is what is assembled: everything accepted for one owner. Read and ReadPack are called from
// several goroutines at once, the iterators from one. Errors come back from Assemble wrapped.
type Input interface {
	// Snapshots are the lines of all accepted imports, in any order, possibly with repetitions.
	// Strings may be kept.
	Snapshots(ctx context.Context) iter.Seq2[Snapshot, error]
	// Read gives one document, for folding. The bytes are the caller's.
	Read(ctx context.Context, s Snapshot) ([]byte, error)
	// ReadPack reads many documents of one pack: it calls yield once for each of want, in the order
	// given (ascending offset, no offset twice). The bytes need to live only during the call. It
	// stops at the first error of yield and returns it.
	ReadPack(ctx context.Context, pack string, want []Snapshot, yield func(s Snapshot, doc []byte) error) error
	// Candidates are those of all accepted imports, in any order, possibly with repetitions.
	Candidates(ctx context.Context) iter.Seq2[normalize.Candidate, error]
	// Past are the candidates of results that another result of the same drop has replaced. They
	// keep what was published from vanishing, and do nothing else.
	Past(ctx context.Context) iter.Seq2[normalize.Candidate, error]
	// Edits are the person's own changes, in any order, possibly with repetitions.
	Edits(ctx context.Context) iter.Seq2[Edit, error]
	// Vectors are embeddings of the contents of memories, in any order, possibly with repetitions.
	// There need not be any.
	Vectors(ctx context.Context) iter.Seq2[Vector, error]
	// Previous is the fold index of the head as Result.FoldIndex had it: ascending by conversation
	// id; may be empty.
	Previous(ctx context.Context) iter.Seq2[Folded, error]
}

// Output stores conversation files. Conversations is called from several goroutines at once. The
// files and their bodies are valid only during the call; when it returns nil they must be durable.
type Output interface {
	Conversations(ctx context.Context, files []File) error
}

// Options are the settings of Assemble. The zero value of each means its default.
type Options struct {
	// Scratch is the folder for scratch files; "" is the system's.
	Scratch string
	// Budget is how many bytes sorting may hold in memory, over all sorters together. Default 64
	// MiB.
	Budget int64
	// Workers is the number of goroutines that read, fold and write conversations. Default 1.
	Workers int
	// InFlight bounds the bytes of documents being read at once; a document that is larger is read
	// alone. Default 256 MiB.
	InFlight int64
	// BatchBytes and BatchFiles bound one call of Output.Conversations (one file may be larger).
	// Defaults 8 MiB and 500.
	BatchBytes int64
	BatchFiles int
	// Imports are those whose changes Result.Imports tells.
	Imports []string
}

// Result is an assembled store without its scalars. The spools lie in scratch files until Close.
type Result struct {
	// Memories, Relations and Index hold canonical elements joined by commas: the inside of the
	// store's three arrays. Memories ascend by id, relations by from, to and type.
	Memories, Relations, Index *Spool
	// Embeddings holds the elements of the embeddings file (PAM §12) in the same form, ascending by
	// memory. It has none when there are no vectors; then no memory refers to one, and there should
	// be no file.
	Embeddings *Spool
	// FoldIndex holds one JSON line for each conversation, ascending by id: the next
	// Input.Previous.
	FoldIndex *Spool
	// Checksum is the integrity checksum of the memories (PAM §15.2), "sha256:<hex>"; it is their
	// digest, too.
	Checksum string
	Stats    Stats
	// Imports are the changes of each of Options.Imports.
	Imports map[string]*ImportChanges
}

// Digests identify what a store says, without the fields that belong to the moment of publishing.
// Each is that of a section (Spool.Digest).
type Digests struct {
	Memories  string `json:"memories"`
	Relations string `json:"relations"`
	Index     string `json:"index"`
	// Embeddings is "" when there are none.
	Embeddings string `json:"embeddings,omitempty"`
}

// memory is what the document takes in memory, in bytes.
func (s *Snapshot) memory() int64 { return max(s.Size, s.Length) }
