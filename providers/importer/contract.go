// Package importer is the contract between an importer, which reads one provider's export format,
// and the pipeline that runs it. An importer claims the members of an archive that it understands,
// by content; cuts them into units without decoding them; decodes each unit on its own, so that one
// bad unit spoils nothing else; and rebuilds the provider's own JSON from what it decoded:
//
//	Claim → Split → Decode → Restore
//
// Package providers re-exports these names and holds the registry.
package importer

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// Importer reads one provider's format in one version. Implementations are stateless and safe for
// concurrent use.
type Importer interface {
	// Name is the provider's identifier in PAM (§11.4): chatgpt, claude, …
	Name() string
	// Version is "chatgpt-importer/2026.07".
	Version() string
	// Claim looks at the members and says which it will read and why others, that look like its
	// own, cannot be read. It joins the sidecars (Claim.Context). An empty claim is not an error.
	Claim(ctx context.Context, members []archive.Member, peek Peeker, limits Limits) (Claim, error)
	// Split cuts the claimed members into units in a fixed order and without decoding them. It is
	// single-threaded; the units may be decoded by many goroutines.
	Split(ctx context.Context, c Claim, limits Limits) iter.Seq2[Unit, error]
	// Decode turns a unit into items. It must not keep u.Raw. A *UnitError quarantines the unit and
	// goes on.
	Decode(u Unit) ([]Item, error)
	// Restore is the inverse of Decode for one conversation document: it appends the provider's own
	// JSON element, or, for a log whose entries were grouped into conversations, its entries with
	// commas between them. It gives an error that wraps ErrNoInverse when the format has no
	// inverse.
	Restore(dst []byte, doc *pamio.Conversation) ([]byte, error)
	// RestoreFile names the file that restored elements are put into, as a JSON array.
	RestoreFile() string
}

// OnlyNamed is implemented by importers that would claim too much: what they read can be told by
// nobody from its content. They are asked only when a person names them.
type OnlyNamed interface{ OnlyNamed() }

// OfSource is implemented by importers of texts that do not say which assistant wrote them. A
// person says it, and the version of such an importer ends with [SourceMark] and the source.
type OfSource interface {
	// OfSource gives the importer for texts of a provider, by its identifier in PAM (§11.4).
	OfSource(source string) Importer
}

// Repeatable is implemented by importers whose conversations can be taken over from an earlier
// archive that held the same bytes.
type Repeatable interface {
	// Beside names what Decode makes the conversation of a unit of, beside the unit's bytes, its
	// limits and the version of the importer. Units of equal bytes and limits with equal names
	// become equal snapshots, wherever they stand. u.Raw is not set; conversation is the id of the
	// document. If nobody can tell, or the unit is no conversation, ok is false.
	Beside(u Unit, conversation string) (name string, ok bool)
}

// SourceMark stands between the name or version of an importer and the source of its texts.
const SourceMark = "+"

// ErrNoInverse is wrapped by the errors of Restore of formats that are not JSON: rows, cells and
// fragments are kept in raw_metadata, but the file is not built again.
var ErrNoInverse = errors.New("the format has no inverse")

// RoleAsset is the role of a claimed member that is a file of the bundle: an attachment, an image,
// a recording, a document. The pipeline copies it as it is; Split gives no unit for it. A document
// names it by [MemberRef].
const RoleAsset = "asset"

// RoleRefused is the role of a claimed member that must not be read, whoever might read it: Split
// gives no unit for it. The reason is in Claim.Refused.
const RoleRefused = "refused"

// Claim is what an importer will read.
type Claim struct {
	// Members are the claimed ones with the role each has for the importer, RoleAsset for files
	// that are copied.
	Members []ClaimedMember
	// Refused are members that look like this provider's but cannot be read, with the reason for a
	// person. One that is claimed with RoleRefused is shown to nobody else.
	Refused []Refusal
	// Context is the importer's own: sidecars that were joined before the split. It is immutable
	// afterwards.
	Context any
	// Notes tell a person what was noticed about the input as a whole, for the receipt.
	Notes []string
	// Described says what the claimed documents are, in the words of their format.
	Described []string
	// Signatures are the verdicts on the PAM stores that the claim reads.
	Signatures []Signature
	// Exports are the ids of the PAM exports that the claim reads; Bases are those that incremental
	// exports among them build on, which must have been imported before or be read with them.
	Exports, Bases []string
}

// Signature is the verdict on the signature of a PAM store.
type Signature struct {
	Member string `json:"member"`
	// Verdict is valid, self-asserted, invalid, malformed, or absent.
	Verdict string `json:"verdict"`
	// Reason says what is wrong, "" if nothing is.
	Reason string `json:"reason,omitempty"`
}

// RefusedError tells why a document must not be read, whoever might read it. A detection gives it
// for an input that has nothing else.
type RefusedError struct {
	Reason string
	Hint   string // what a person can do
	Err    error  // what was found, nil for nothing more than Reason says
}

func (e *RefusedError) Error() string { return e.Reason }

func (e *RefusedError) Unwrap() error { return e.Err }

// ClaimedMember is a member and its role, for example "conversations" or "sidecar".
type ClaimedMember struct {
	Member archive.Member
	Role   string
}

// Refusal is a member that will not be read, and why.
type Refusal struct {
	Member archive.Member
	Reason string
	Hint   string // what a person can do, "" for nothing in particular
}

// Limits bound what one unit may take. They are settings; a zero field has the default.
type Limits struct {
	MaxConversation int64 // bytes of one unit's source; default 128 MiB
	MaxDepth        int   // nesting of one unit's JSON; default 512
	MaxSidecar      int64 // bytes of one sidecar that is joined; default 64 MiB
	// AnySignature accepts PAM stores whose signature is not valid.
	AnySignature bool
	// Scratch is the folder for scratch files, "" the system's own. It changes no result.
	Scratch string
	// Now is when the input is read. It changes no result: an input whose consent has ended by then
	// is refused. Zero: no consent ends.
	Now time.Time
	// Memory is asked while a unit is being cut; nil: nobody asks. It changes no result.
	Memory Memory
}

// Memory makes a unit that grows wait until there is memory for it.
type Memory interface {
	// Hold is told how many bytes are held of the unit that is being cut, as it grows; 0: it was
	// let go of without being yielded. It returns when there is memory for that many. Its error is
	// that of ctx.
	Hold(ctx context.Context, n int64) error
}

// Defaults of the limits.
const (
	DefaultMaxConversation = 128 << 20
	DefaultMaxDepth        = 512
	DefaultMaxSidecar      = 64 << 20
)

// WithDefaults fills the zero fields.
func (l Limits) WithDefaults() Limits {
	if l.MaxConversation <= 0 {
		l.MaxConversation = DefaultMaxConversation
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = DefaultMaxDepth
	}
	if l.MaxSidecar <= 0 {
		l.MaxSidecar = DefaultMaxSidecar
	}
	return l
}

// Unit is the smallest part of an archive that can be read or quarantined on its own: one
// conversation element, or one sidecar as a whole.
type Unit struct {
	Member  archive.Member
	Role    string
	Index   int    // of the element in its member
	Offset  int64  // byte offset of the element in its member
	Raw     []byte // the element's bytes
	Context any    // Claim.Context
	Limits  Limits
	// Parts are the messages or records that will be made of a text in which no objects show them,
	// about: each takes memory.
	Parts int
	// Err is set instead of Raw for a unit that could not be cut out (too big, truncated).
	Err *UnitError
}

// UnitError is a located reason why a unit was quarantined.
type UnitError struct {
	Member string `json:"member"`
	Index  int    `json:"index"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size,omitempty"`
	// Code is short and stable: syntax, truncated, too_big, too_deep, not_a_conversation, …
	Code string `json:"code"`
	// Reason is a sentence for a person. It never quotes personal text.
	Reason string `json:"reason"`
}

func (e *UnitError) Error() string { return e.Member + ": " + e.Reason }

// Skipped is the only item of a unit that is counted and not kept.
func Skipped(code, reason string, count int) []Item {
	return []Item{{Skip: &Skip{Code: code, Reason: reason, Count: count}}}
}

// Item is what a unit yields. Exactly one of the pointers is set.
type Item struct {
	Conversation *Snapshot
	Record       *Record
	Skip         *Skip
}

// Snapshot is one conversation as one archive has it, without import_metadata: that is added when
// it is published, for the newest time and the checksum of the member are known only then.
type Snapshot struct {
	Doc *pamio.Conversation
	// Order sorts the snapshots of one conversation: update time, else newest message time, RFC
	// 3339 with six digits.
	Order string
	// Newest is the newest time in the unit, same form; "" when there is none.
	Newest string
	// Anomalies counts what was odd in the source, by code.
	Anomalies map[string]int
	// Loss counts the leaves of the source by where they went.
	Loss normalize.Loss
	// Assets are files that stood inside the unit, not beside it: blobs of a database, for example.
	Assets []Asset
	// Import is the import_metadata that the document came with, of a source that is PAM itself;
	// nil for others.
	Import *pamio.ImportMetadata
	// Settled tells that the archive has the memories of the conversation, too: extractors do not
	// read it.
	Settled bool
	// Joined tells that Decode looked for something else in the archive that Beside does not name,
	// whether it found it or not: the same bytes may become another document in another archive.
	Joined bool
}

// Codes of anomalies that every importer counts in the same words.
const (
	// AnomalyUnknownVariant: the unit has a form that this version does not know. What is known was
	// read, all else is kept.
	AnomalyUnknownVariant = "unknown_variant"
	// AnomalyAssetMissing: a message names a file that the archive does not hold.
	AnomalyAssetMissing = "asset_missing"
)

// Record is what a provider keeps about a person beside the conversations: a memory, a profile, an
// instruction, a project. It is stored with the import; extractors make memories of it.
type Record struct {
	Kind     string // one of the Record… constants
	Provider string // identifier in PAM (§11.4)
	// ID is the provider's own name for it, "" when it has none.
	ID string
	// Pointer is where it stands in its member: a JSON pointer, "" for the member as a whole.
	Pointer string
	// Title is its name, "" when it has none.
	Title string
	// Text is what it says, verbatim, for extractors; "" when it says nothing in words.
	Text string
	// CreatedAt and UpdatedAt are RFC 3339 UTC, "" when nowhere known.
	CreatedAt, UpdatedAt string
	AccountID            string
	// Raw is the record as the source has it, whole, as JSON.
	Raw pamio.RawJSON
}

// Kinds of records.
const (
	RecordMemory      = "memory"      // what the provider remembers of the person
	RecordInstruction = "instruction" // what the person told the provider to do always
	RecordProfile     = "profile"     // who the person is
	RecordProject     = "project"     // a project: its name, description and documents
	RecordAssistant   = "assistant"   // an assistant that the person made: a custom GPT, a Gem, an agent
	RecordFeedback    = "feedback"    // what the person thought of an answer
	RecordSetting     = "setting"     // anything else that was kept

	// Elements of PAM documents, as they go into the store. Record.Raw is the element in canonical
	// form, CreatedAt the time that it is of, ID the export_id of its document and UpdatedAt the
	// export_date.
	RecordPAMMemory       = "pam-memory"
	RecordPAMRelation     = "pam-relation"
	RecordPAMConversation = "pam-conversation" // an entry of conversations_index
	RecordPAMEmbedding    = "pam-embedding"
)

// Skip is something that was read and deliberately not kept, with the reason.
type Skip struct {
	Code   string
	Reason string
	Count  int
}
