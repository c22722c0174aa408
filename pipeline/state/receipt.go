package state

import (
	"context"
	"iter"
	"slices"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
)

// The final states of an import.
const (
	StateDone    = "done"
	StateLosses  = "done with losses" // units or shards are missing; the receipt names them
	StateRefused = "refused"          // nothing was recognised, or the archive cannot be opened
	StateFailed  = "failed"           // the store is unchanged because of a failure
)

// Receipt is the report of an import: what was read, kept, skipped and quarantined, and what changed in the store.
type Receipt struct {
	V      int    `json:"v"`
	Import string `json:"import"`
	Owner  string `json:"owner"`
	Drop   string `json:"drop"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
	Hint   string `json:"hint,omitempty"`
	// Reopened names the request for which what failed is tried again: the rest is how the import ended before.
	Reopened string `json:"reopened,omitempty"`
	// Reading names, in a refusal for what is in the drop, who was asked to read it and how ([RefusedBefore]).
	Reading    string   `json:"reading,omitempty"`
	Importers  []string `json:"importers,omitempty"`
	Extractors []string `json:"extractors,omitempty"`
	Parts      []Part   `json:"parts,omitempty"`
	Counts     Counts   `json:"counts"`
	// Quarantined are the first MaxListed units that could not be read; Counts.Quarantined counts all, and the lists
	// beside the snapshots name all.
	Quarantined []Quarantined `json:"quarantined,omitempty"`
	Refused     []Refusal     `json:"refused,omitempty"`
	// Unread are the first MaxListed members that no importer reads.
	Unread     []Refusal   `json:"unread,omitempty"`
	Notes      []string    `json:"notes,omitempty"`
	Extraction Extraction  `json:"extraction"`
	Store      StoreChange `json:"store"`

	// Healed are the shards that the receipt before called failed and this one does not.
	Healed []string `json:"-"`
	// Next is a request that is open although the import that it comes to has ended; it may not have begun before that.
	Next *Request `json:"-"`
}

// MaxListed is how many units a receipt names.
const MaxListed = 1000

// Extraction is the account of the extract stage.
type Extraction struct {
	Shards     int            `json:"shards"`
	Failed     []FailedShard  `json:"failed,omitempty"`
	Candidates int            `json:"candidates"`
	Counts     map[string]int `json:"counts,omitempty"`
	// Unanswered counts what a service was asked in vain, by reason; the shards are among Failed, too.
	Unanswered map[string]int `json:"unanswered,omitempty"`
	// Usage is what asking services took.
	Usage extract.Usage `json:"usage,omitzero"`
}

// FailedShard is one of whose memories some or all are missing.
type FailedShard struct {
	Shard  string `json:"shard"`
	Reason string `json:"reason"`
	Hint   string `json:"hint,omitempty"`
}

// StoreChange says what the import changed. Published is false when the store says the same as before.
type StoreChange struct {
	Published     bool            `json:"published"`
	ExportID      string          `json:"export_id,omitempty"`
	Memories      int64           `json:"memories"`
	Conversations int64           `json:"conversations"`
	Stats         *assemble.Stats `json:"stats,omitempty"`
	// Changes are those against the store before; nil when nothing was published.
	Changes *MemoryChanges `json:"changes,omitempty"`
	// Import is what the import itself means for the conversations of the store; the figures above are those of the store,
	// and of all imports that were taken into it together.
	Import *assemble.ImportChanges `json:"import,omitempty"`

	// PerImport is where Import comes from.
	PerImport map[string]*assemble.ImportChanges `json:"-"`
}

// Of is the change that one of several imports made.
func (c StoreChange) Of(id string) StoreChange {
	if one := c.PerImport[id]; one != nil {
		c.Import = one
	}
	return c
}

// OK tells whether everything was read and kept.
func (r Receipt) OK() bool { return r.State == StateDone }

// ReadReceipt gives the receipt of an import; ok is false while there is none. With Reopened it tells of the last end.
func ReadReceipt(ctx context.Context, s blob.Store, owner, id string) (r Receipt, ok bool, err error) {
	_, err = ReadJSON(ctx, s, ReceiptKey(owner, id), &r)
	if IsMissing(err) {
		return r, false, nil
	}
	return r, err == nil, err
}

// ListQuarantined are the units of an import that could not be read, then the files.
func ListQuarantined(ctx context.Context, s blob.Store, m Manifest) iter.Seq2[Quarantined, error] {
	return func(yield func(Quarantined, error) bool) {
		all := func(list []Quarantined, err error) bool {
			if err != nil {
				yield(Quarantined{}, err)
				return false
			}
			for _, q := range list {
				if !yield(q, nil) {
					return false
				}
			}
			return true
		}
		for _, shard := range m.Shards {
			h, err := ReadPackHeader(ctx, s, PackListKey(m.Owner, m.Import, shard.Pack))
			if !all(h.Quarantined, err) {
				return
			}
		}
		for n := range m.AssetLists {
			var list AssetList
			_, err := ReadJSON(ctx, s, AssetListKey(m.Owner, m.Import, n), &list)
			if !all(list.Quarantined, err) {
				return
			}
		}
	}
}

// Ended tells whether an import is at its end, and nobody has asked for its failures since.
func (r Receipt) Ended() bool { return r.Reopened == "" }

// Whole tells whether the store has an import with nothing left to be tried again.
func (r Receipt) Whole() bool {
	return (r.State == StateDone || r.State == StateLosses) && len(r.Extraction.Failed) == 0
}

// Lacks tells whether a receipt names a shard as one of whose memories some or all are missing.
func (r Receipt) Lacks(shard string) bool {
	return slices.ContainsFunc(r.Extraction.Failed, func(f FailedShard) bool { return f.Shard == shard })
}
