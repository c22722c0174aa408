package state

import (
	"context"
	"iter"
	"slices"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/providers"
)

// The states of an import that has ended.
const (
	StateDone    = "done"
	StateLosses  = "done with losses" // units or shards are missing; the receipt names them
	StateRefused = "refused"          // nothing was recognized, or the archive cannot be opened
	StateFailed  = "failed"           // the store is unchanged because of a failure
)

// Receipt is the report of an accepted generation: what was read, kept, skipped and quarantined,
// and what changed in the store. It is written once.
type Receipt struct {
	V     int    `json:"v"`
	Owner string `json:"owner"`
	Drop  string `json:"drop"`
	// Gen is the generation of the job that ended so.
	Gen        int      `json:"gen"`
	Import     string   `json:"import,omitempty"`
	State      string   `json:"state"`
	Reason     string   `json:"reason,omitempty"`
	Hint       string   `json:"hint,omitempty"`
	Importers  []string `json:"importers,omitempty"`
	Extractors []string `json:"extractors,omitempty"`
	Parts      []Part   `json:"parts,omitempty"`
	Counts     Counts   `json:"counts"`
	// Quarantined are the first MaxListed units that could not be read. Counts.Quarantined counts
	// all, and the lists of the packs name all.
	Quarantined []Quarantined `json:"quarantined,omitempty"`
	Refused     []Refusal     `json:"refused,omitempty"`
	// Unread are the first MaxListed members that no importer reads.
	Unread []Refusal `json:"unread,omitempty"`
	Notes  []string  `json:"notes,omitempty"`
	// Described says what the documents are, in the words of their format.
	Described []string `json:"described,omitempty"`
	// Signatures are the verdicts on PAM stores in the drop.
	Signatures []providers.Signature `json:"signatures,omitempty"`
	Extraction Extraction            `json:"extraction"`
	Store      StoreChange           `json:"store"`
}

// MaxListed is how many units a receipt names.
const MaxListed = 1000

// Extraction is the account of the extract stage, from the headers of the results.
type Extraction struct {
	Shards     int            `json:"shards"`
	Failed     []FailedShard  `json:"failed,omitempty"`
	Candidates int            `json:"candidates"`
	Counts     map[string]int `json:"counts,omitempty"`
	// Unanswered counts the questions that a service did not answer, by reason. Their shards are in
	// Failed, too.
	Unanswered map[string]int `json:"unanswered,omitempty"`
	// Usage is what asking services took.
	Usage extract.Usage `json:"usage,omitzero"`
}

// FailedShard is a shard without a complete result: some or all of its memories are missing.
type FailedShard struct {
	Shard  string `json:"shard"`
	Reason string `json:"reason"`
	Hint   string `json:"hint,omitempty"`
}

// StoreChange says what the import changed. Published is false when the store says the same as
// before.
type StoreChange struct {
	Published     bool            `json:"published"`
	ExportID      string          `json:"export_id,omitempty"`
	Memories      int64           `json:"memories"`
	Conversations int64           `json:"conversations"`
	Stats         *assemble.Stats `json:"stats,omitempty"`
	// Changes are those against the store before; nil when nothing was published.
	Changes *MemoryChanges `json:"changes,omitempty"`
	// Import is what the import itself means for the conversations of the store. The figures above
	// are those of the store, and of all imports that were accepted together.
	Import *assemble.ImportChanges `json:"import,omitempty"`

	// PerImport has Import for each of the imports that were accepted together. No receipt has it.
	PerImport map[string]*assemble.ImportChanges `json:"per_import,omitempty"`
}

// Of is the change that one of several imports made, as its receipt has it.
func (c StoreChange) Of(id string) StoreChange {
	if one := c.PerImport[id]; one != nil {
		c.Import = one
	}
	c.PerImport = nil
	return c
}

// OK tells whether everything was read and kept.
func (r Receipt) OK() bool { return r.State == StateDone }

// ReadReceipt gives the receipt of an accepted generation; ok is false while there is none.
func ReadReceipt(ctx context.Context, s blob.Store, owner, drop string, gen int) (r Receipt, ok bool, err error) {
	_, err = objects.ReadJSON(ctx, s, ReceiptKey(owner, drop, gen), &r)
	if objects.IsMissing(err) {
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
			h, err := OpenShardList(ctx, s, m, shard)
			if err != nil {
				yield(Quarantined{}, err)
				return
			}
			if !all(h.Quarantined, nil) {
				return
			}
		}
		for _, named := range m.AssetLists {
			list, err := ReadAssetList(ctx, s, m, named)
			if !all(list.Quarantined, err) {
				return
			}
		}
	}
}

// Lacks tells whether some or all memories of a shard are missing.
func (r Receipt) Lacks(shard string) bool {
	return slices.ContainsFunc(r.Extraction.Failed, func(f FailedShard) bool { return f.Shard == shard })
}

// IsAccepted tells whether the store has what the receipt is about.
func (r Receipt) IsAccepted() bool { return r.State == StateDone || r.State == StateLosses }
