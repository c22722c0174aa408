package job

import (
	"context"
	"errors"
	"slices"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// State tells whether the generation of a record is being worked on.
type State string

// The states of a record.
const (
	Open  State = "open"
	Ended State = "ended"
)

// Outcome tells how a generation ended; "" while the record is open.
type Outcome string

// The outcomes of an ended record.
const (
	Done    Outcome = "done"    // the store has the import
	Refused Outcome = "refused" // the archive cannot be read
	Failed  Outcome = "failed"  // the assembly failed; the store keeps what it had
	Erased  Outcome = "erased"  // the store has nothing of the drop
)

// Ref names a job: of a drop, or of an owner with state.OwnerJob in the place of the drop.
type Ref struct{ Owner, Drop string }

// Record is the state of a job. Its generations only grow, and within a generation it goes from
// open through open with an import to ended, so no two versions have the same bytes.
type Record struct {
	V     int   `json:"v"`
	Gen   int   `json:"gen"`
	Want  Want  `json:"want"`
	State State `json:"state"`
	// Import is what ingest decided for this generation, or what a redrive kept.
	Import  string  `json:"import,omitempty"`
	Outcome Outcome `json:"outcome,omitempty"`
}

// HasEnded tells whoever waits for an Ask that its generation, or a later one, has ended.
func (r Record) HasEnded(gen int) bool { return r.State == Ended && r.Gen >= gen }

// IsOpen tells whether a generation is the one being worked on.
func (r Record) IsOpen(gen int) bool { return r.State == Open && r.Gen == gen }

// Want is the work that a generation is for.
type Want struct {
	// Importer pins an importer version; "" stands for the newest.
	Importer   string   `json:"importer,omitempty"`
	Extractors []string `json:"extractors,omitempty"`
	// Incomplete allows an import with failed shards to replace a whole import of the same drop.
	Incomplete bool `json:"incomplete,omitempty"`
	// Purge puts a rewritten import, and those of Past, in the place of all imports that the store
	// has of the drop ([Jobs.Replace]).
	Purge bool     `json:"purge,omitempty"`
	Past  []string `json:"past,omitempty"`
	// Erase removes the drop from the store.
	Erase bool `json:"erase,omitempty"`
	// Edits is the number of edits that the store must have; it is for the owner's job only.
	Edits int `json:"edits,omitempty"`
	// Lane is the queue of the tasks. It is no part of the work.
	Lane string `json:"lane,omitempty"`
}

// isSame tells whether two wants are for the same work.
func (w Want) isSame(o Want) bool {
	return w.Importer == o.Importer && slices.Equal(w.Extractors, o.Extractors) && w.Incomplete == o.Incomplete &&
		w.Erase == o.Erase && w.Edits == o.Edits && w.Purge == o.Purge && slices.Equal(w.Past, o.Past)
}

// after gives the want of the owner's job that follows an earlier want: its edits never get fewer.
func (w Want) after(before Want) Want {
	w.Edits = max(w.Edits, before.Edits)
	return w
}

// assemblesOnly tells whether the generation needs no archive and no shard.
func (r Record) assemblesOnly(ref Ref) bool { return r.Want.Erase || ref.Drop == state.OwnerJob }

// Read gives the record of a job; a job that was never asked for has the zero Record.
func (j *Jobs) Read(ctx context.Context, ref Ref) (Record, error) {
	r, _, err := j.read(ctx, ref)
	return r, err
}

func (s *storage) read(ctx context.Context, ref Ref) (r Record, tag string, err error) {
	tag, err = objects.ReadJSON(ctx, s.store, state.JobKey(ref.Owner, ref.Drop), &r)
	if errors.Is(err, blob.ErrNotExist) {
		return Record{}, "", nil
	}
	return r, tag, err
}

// swap changes the record of an open generation until that is done or change tells that there is
// nothing to change. It gives the record as it is then.
func (s *storage) swap(ctx context.Context, ref Ref, gen int, change func(*Record) bool) (Record, error) {
	r, tag, err := s.read(ctx, ref)
	if err != nil {
		return r, err
	}
	return s.swapFrom(ctx, ref, gen, r, tag, change)
}

// swapFrom is swap for a record that was read before.
func (s *storage) swapFrom(ctx context.Context, ref Ref, gen int, r Record, tag string, change func(*Record) bool) (Record, error) {
	for {
		if !r.IsOpen(gen) || !change(&r) {
			return r, nil
		}
		err := objects.SwapJSON(ctx, s.store, state.JobKey(ref.Owner, ref.Drop), tag, r)
		if !errors.Is(err, blob.ErrPrecondition) {
			return r, err
		}
		if r, tag, err = s.read(ctx, ref); err != nil {
			return r, err
		}
	}
}
