package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// Selection selects drops. All its conditions must hold; the zero Selection selects all drops.
type Selection struct {
	// Import is a prefix of the id of an import or a drop (status.Catalog.Find). An import that was
	// replaced stands for its drop, too.
	Import string
	Owner  string
	// Provider is the name of an importer, Importer a version. Either must have read something of
	// the drop.
	Provider, Importer string
	// Since and Until bound when the last import of the drop ended, by the clock of the store;
	// Since is included, Until is not. Zero times are no bounds.
	Since, Until time.Time
}

// Selected is a drop that a Selection has selected.
type Selected struct {
	Owner string `json:"owner"`
	Drop  string `json:"drop"`
	// Import is what the store has of the drop; "" if it has nothing, because the drop was refused
	// or has failed.
	Import string `json:"import,omitempty"`
	// Named is the import that was asked for, if the store has another one of its drop.
	Named string `json:"named,omitempty"`
	// State is done or done with losses if the store has an import, else refused or failed.
	State string `json:"state,omitempty"`
	// Ended is when the job was last changed: when its last import ended, or when the one began
	// that is going on.
	Ended     time.Time `json:"ended,omitzero"`
	Importers []string  `json:"importers,omitempty"`
	// Files are the names of the archives, as the person called them.
	Files []string `json:"files,omitempty"`
	// Trouble says why nothing can be done for the drop, or for any of its owner: an object is
	// damaged.
	Trouble string `json:"trouble,omitempty"`

	record   job.Record
	manifest state.Manifest // of Import
	isShort  bool           // shards of Import lack a complete result
}

// Ref names the job of the drop; Drop is "" if the trouble is that of the owner.
func (s Selected) Ref() job.Ref { return job.Ref{Owner: s.Owner, Drop: s.Drop} }

// Select gives the selected drops, owner by owner, in the order of their ids. It lists the job
// records of the owners, and reads a record and a manifest of each drop. Drops that were erased, or
// that are being imported for the first time, are not selected. An outage ends the sequence.
func Select(ctx context.Context, s blob.Store, sel Selection) iter.Seq2[Selected, error] {
	return func(yield func(Selected, error) bool) {
		x := selector{store: s, jobs: job.New(s, job.Options{}), sel: sel, yield: yield}
		prefix := ""
		owners := state.ListOwners(ctx, s)
		switch {
		case sel.Import != "":
			row, err := status.NewCatalog(s).Find(ctx, sel.Owner, sel.Import)
			if errors.Is(err, status.ErrNoImport) {
				return
			}
			if err != nil {
				yield(Selected{}, err)
				return
			}
			owners, prefix, x.named = onlyOwner(row.Owner), row.Drop, row.Import
		case sel.Owner != "":
			if err := state.CheckOwner(sel.Owner); err != nil {
				yield(Selected{}, err)
				return
			}
			owners = onlyOwner(sel.Owner)
		}
		for owner, err := range owners {
			if err != nil {
				yield(Selected{}, err)
				return
			}
			if !x.selectOf(ctx, owner, prefix) {
				return
			}
		}
	}
}

func onlyOwner(owner string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) { yield(owner, nil) }
}

// selector selects the drops of one owner after the other.
type selector struct {
	store blob.Store
	jobs  *job.Jobs
	sel   Selection
	named string // the import that was asked for
	yield func(Selected, error) bool
}

// selectOf yields the selected drops of an owner. It tells whether to go on.
func (x *selector) selectOf(ctx context.Context, owner, prefix string) bool {
	var inputs *state.Inputs
	for o, err := range state.ListJobs(ctx, x.store, owner, prefix) {
		if err != nil {
			x.yield(Selected{Owner: owner}, err)
			return false
		}
		if !x.isWithin(o.ModTime) {
			continue
		}
		if inputs == nil { // an owner without drops has no head
			if inputs, err = x.readInputs(ctx, owner); err != nil {
				return x.yieldTrouble(Selected{Owner: owner}, err)
			}
		}
		s := Selected{Owner: owner, Drop: o.Drop, Ended: o.ModTime}
		ok, err := x.read(ctx, &s, *inputs)
		if err != nil {
			if !x.yieldTrouble(s, err) {
				return false
			}
			continue
		}
		if ok && !x.yield(s, nil) {
			return false
		}
	}
	return true
}

func (x *selector) readInputs(ctx context.Context, owner string) (*state.Inputs, error) {
	head, _, err := state.ReadHead(ctx, x.store, owner)
	if err != nil {
		return nil, err
	}
	in, err := state.ReadInputs(ctx, x.store, owner, head)
	return &in, err
}

// read completes a drop. It tells whether the drop is selected.
func (x *selector) read(ctx context.Context, s *Selected, in state.Inputs) (ok bool, err error) {
	if s.record, err = x.jobs.Read(ctx, s.Ref()); err != nil {
		return false, err
	}
	s.Import = in.Drops[s.Drop].Import
	id := s.Import
	switch {
	case s.record.Gen == 0 || s.record.Want.Erase:
		return false, nil
	case s.Import != "":
		s.State, s.isShort = state.StateDone, len(in.Short[s.Import]) > 0
		if s.isShort {
			s.State = state.StateLosses
		}
		if x.named != s.Import {
			s.Named = x.named
		}
	case s.record.State == job.Open:
		return false, nil
	case s.record.Outcome == job.Refused:
		s.State = state.StateRefused
	default:
		s.State, id = state.StateFailed, s.record.Import
	}
	if id != "" {
		m, ok, err := state.ReadManifest(ctx, x.store, s.Owner, id)
		if err == nil && !ok {
			key := state.ManifestKey(s.Owner, id)
			err = fault.Permanentf(objects.UnusableHint(key), "read %s: it is missing", key)
		}
		if err != nil && (s.Import != "" || fault.Of(err) != fault.Permanent) {
			return false, err
		}
		s.manifest, s.Importers = m, m.Importers
		for _, p := range m.Parts {
			s.Files = append(s.Files, p.Name)
		}
	}
	if !x.isReadBy(s.Importers) {
		return false, nil
	}
	if s.Files == nil { // nobody has read it
		d, err := state.ReadDrop(ctx, x.store, s.Owner, s.Drop)
		if err != nil && fault.Of(err) != fault.Permanent { // else Prepare says so
			return false, err
		}
		for _, p := range d.Parts {
			s.Files = append(s.Files, p.Name)
		}
	}
	return true, nil
}

// yieldTrouble yields an object that cannot be decoded as the trouble of its drop, so that the
// others go on; an outage ends all.
func (x *selector) yieldTrouble(s Selected, err error) bool {
	if fault.Of(err) != fault.Permanent {
		x.yield(s, fmt.Errorf("select drops: %w", err))
		return false
	}
	s.Trouble = err.Error()
	return x.yield(s, nil)
}

func (x *selector) isWithin(at time.Time) bool {
	return !at.Before(x.sel.Since) && (x.sel.Until.IsZero() || at.Before(x.sel.Until))
}

func (x *selector) isReadBy(importers []string) bool {
	return (x.sel.Provider == "" || slices.ContainsFunc(importers, func(v string) bool { return status.ProviderOf(v) == x.sel.Provider })) &&
		(x.sel.Importer == "" || slices.Contains(importers, x.sel.Importer))
}
