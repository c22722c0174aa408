package extract

import (
	"errors"
	"fmt"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Record is what a provider keeps about a person beside the conversations. It is stored with its
// import and handed to the extractors that implement [RecordExtractor].
type Record struct {
	Kind     string // one of the Record… constants; others may come
	Provider string // identifier in PAM (§11.4)
	// ID is the provider's own name for it, "" when it has none.
	ID string
	// Pointer is where it stands in its member: a JSON pointer, "" for the member as a whole.
	Pointer string
	Title   string // "" when it has none
	// Text is what it says, verbatim; "" when it says nothing in words.
	Text string
	// CreatedAt and UpdatedAt are RFC 3339 UTC, "" when nowhere known.
	CreatedAt, UpdatedAt string
	AccountID            string
	// Raw is the record as the source has it, whole.
	Raw pamio.RawJSON
}

// Kinds of records.
const (
	RecordMemory      = "memory"      // what the provider remembers of the person
	RecordInstruction = "instruction" // what the person told the provider to do always
	RecordProfile     = "profile"     // who the person is
	RecordProject     = "project"     // a project: its name, description and documents
	RecordAssistant   = "assistant"   // an assistant that the person made
	RecordFeedback    = "feedback"    // what the person thought of an answer
	RecordSetting     = "setting"     // anything else that was kept

	// Elements of PAM documents: see [Adopt].
	RecordPAMMemory       = "pam-memory"
	RecordPAMRelation     = "pam-relation"
	RecordPAMConversation = "pam-conversation" // an entry of conversations_index
	RecordPAMEmbedding    = "pam-embedding"
)

// RecordExtractor is implemented by extractors that find candidates in records, too. The candidates
// have evidence without conversation and message: the pointer of the record, and what the caller
// adds, its member. It is a pure function, as Extract is.
type RecordExtractor interface {
	ExtractRecord(r *Record) ([]normalize.Candidate, Report)
}

// AppendJSON appends the record as one JSON object, without white space. Equal records give equal
// text.
func (r *Record) AppendJSON(dst []byte) []byte {
	w := writer{dst: append(dst, '{')}
	w.text("kind", r.Kind)
	w.text("provider", r.Provider)
	w.some("id", r.ID)
	w.some("pointer", r.Pointer)
	w.some("title", r.Title)
	w.some("text", r.Text)
	w.some("created_at", r.CreatedAt)
	w.some("updated_at", r.UpdatedAt)
	w.some("account_id", r.AccountID)
	if r.Raw != nil {
		w.key("raw")
		w.dst = append(w.dst, r.Raw...)
	}
	return append(w.dst, '}')
}

// maxRecordDepth lets every record through that an importer read: how deep those may be nested is a
// setting.
const maxRecordDepth = 1 << 20

// ErrRecord is wrapped by the errors of ParseRecord.
var ErrRecord = errors.New("not a record")

// ParseRecord reads what AppendJSON wrote. The result does not refer to text.
func ParseRecord(text []byte) (Record, error) {
	d, err := jsonscan.Parse(text, maxRecordDepth)
	if err != nil {
		return Record{}, fmt.Errorf("parse record: %w: %w", ErrRecord, err)
	}
	root := d.Root()
	r := Record{
		Kind: root.Get("kind").Str(), Provider: root.Get("provider").Str(), ID: root.Get("id").Str(), Pointer: root.Get("pointer").Str(),
		Title: root.Get("title").Str(), Text: root.Get("text").Str(), CreatedAt: root.Get("created_at").Str(),
		UpdatedAt: root.Get("updated_at").Str(), AccountID: root.Get("account_id").Str(),
	}
	if raw := root.Get("raw"); raw.Exists() {
		r.Raw = pamio.RawJSON(append([]byte{}, raw.Raw()...))
	}
	if r.Kind == "" {
		return Record{}, fmt.Errorf("parse record: %w: it has no kind", ErrRecord)
	}
	return r, nil
}
