package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

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

	// healed are the shards that the receipt before called failed and this one does not.
	healed []string
	// next is a request that is open although the import that it comes to has ended; it may not have begun before that.
	next *Request
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
}

// OK tells whether everything was read and kept.
func (r Receipt) OK() bool { return r.State == StateDone }

// ReadReceipt gives the receipt of an import; ok is false while there is none. With Reopened it tells of the last end.
func ReadReceipt(ctx context.Context, s blob.Store, owner, id string) (r Receipt, ok bool, err error) {
	_, err = readJSON(ctx, s, receiptKey(owner, id), &r)
	if isMissing(err) {
		return r, false, nil
	}
	return r, err == nil, err
}

// receiptOf fills in what the manifest and the markers say.
func receiptOf(ctx context.Context, d Deps, m Manifest, markers map[string]Marker) (Receipt, error) {
	r := Receipt{
		V: 1, Import: m.Import, Owner: m.Owner, Drop: m.Drop, State: StateDone, Importers: m.Importers, Extractors: m.Extractors,
		Parts: m.Parts, Counts: m.Counts, Refused: m.Refused, Unread: m.Unread, Notes: m.Notes,
	}
	r.Extraction = Extraction{Shards: len(m.Shards), Counts: map[string]int{}}
	for _, s := range m.Shards {
		mk := markers[s.ID]
		if f, failed := mk.failure(); failed {
			r.Extraction.Failed = append(r.Extraction.Failed, f)
		}
		for reason, n := range mk.Unanswered {
			if r.Extraction.Unanswered == nil {
				r.Extraction.Unanswered = map[string]int{}
			}
			r.Extraction.Unanswered[reason] += n
		}
		r.Extraction.Usage.Add(mk.Usage)
		r.Extraction.Candidates += mk.Candidates
		for reason, n := range mk.Counts {
			r.Extraction.Counts[reason] += n
		}
	}
	if r.Counts.Quarantined > 0 {
		if err := r.listQuarantined(ctx, d, m); err != nil {
			return r, err
		}
	}
	if r.Counts.Quarantined > 0 || len(r.Extraction.Failed) > 0 || len(r.Refused) > 0 || len(r.Notes) > 0 {
		r.State = StateLosses
	}
	return r, nil
}

// failure says of a marker what its shard's memories are missing for.
func (m Marker) failure() (f FailedShard, failed bool) {
	switch {
	case m.State != MarkerOK:
		return FailedShard{Shard: m.Shard, Reason: m.Reason}, true
	case len(m.Unanswered) > 0 || m.Trouble != "":
		return m.unanswered(), true
	}
	return f, false
}

// unanswered says of a marker what a service did not answer.
func (m Marker) unanswered() FailedShard {
	f := FailedShard{Shard: m.Shard, Reason: m.Trouble, Hint: m.Hint}
	if f.Reason == "" {
		var counts []string
		for _, reason := range slices.Sorted(maps.Keys(m.Unanswered)) {
			counts = append(counts, fmt.Sprintf("%d × %s", m.Unanswered[reason], reason))
		}
		f.Reason = "without an answer: " + strings.Join(counts, ", ")
	}
	return f
}

func (r *Receipt) listQuarantined(ctx context.Context, d Deps, m Manifest) error {
	for q, err := range quarantined(ctx, d.Store, m) {
		if err != nil || len(r.Quarantined) == MaxListed {
			return err
		}
		r.Quarantined = append(r.Quarantined, q)
	}
	return nil
}

// quarantined are the units of an import that could not be read, then the files.
func quarantined(ctx context.Context, s blob.Store, m Manifest) iter.Seq2[Quarantined, error] {
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
			h, err := readPackHeader(ctx, s, packListKey(m.Owner, m.Import, shard.Pack))
			if !all(h.Quarantined, err) {
				return
			}
		}
		for n := range m.AssetLists {
			var list assetList
			_, err := readJSON(ctx, s, assetListKey(m.Owner, m.Import, n), &list)
			if !all(list.Quarantined, err) {
				return
			}
		}
	}
}

// refusal is the receipt of a request that ended before there was anything to assemble.
func refusal(d Deps, req Request, rec DropRecord, cause error) Receipt {
	r := Receipt{
		V: 1, Owner: req.Owner, Drop: req.Drop, State: StateFailed, Reason: cause.Error(),
		Import: importID(req.Owner, req.Drop, []string{"none", req.Importer}, req.Extractors, "", d.Limits),
	}
	var f *Fault
	if errors.As(cause, &f) {
		r.Reason, r.Hint = f.Err.Error(), f.Hint
		if f.Class == Permanent {
			r.State, r.Reading = StateRefused, refusedReading(d, req, cause)
		}
	}
	for _, p := range rec.Parts {
		r.Parts = append(r.Parts, Part{Name: p.Name})
	}
	return r
}
