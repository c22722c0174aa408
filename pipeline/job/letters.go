package job

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// DeadLetter is a unit that failed in the last generation of its job.
type DeadLetter struct {
	// ID is unique: <owner>/<drop>.<gen>/<unit>.
	ID string
	Ref
	Gen  int
	Unit string
	Kind Kind
	Failure
	FailedAt time.Time // by the clock of the store
}

// Filter selects dead letters. The zero Filter selects all but wrong uploads.
type Filter struct {
	Owner  string
	Kind   Kind
	Prefix string // of the ID
	// WrongUploads includes the drops that were refused for their content
	// ([Failure.IsWrongUpload]).
	WrongUploads bool
	// Skip leaves out dead letters by their ID, before anything is read of them; nil leaves out
	// none.
	Skip func(id string) bool
}

func (f Filter) listing() string {
	if f.Prefix == "" && f.Owner != "" {
		return state.FailedRoot + f.Owner + "/"
	}
	return state.FailedRoot + f.Prefix
}

// DeadLetters gives the failed objects of each job's last generation that its outcome confirms: the
// ingest of a refused drop, the assembly of a failed one, the shards that the store lacks. What was
// tried again and is done, or being done, is no dead letter. If the head of an owner cannot be
// read, nothing is decided, and the failed assemblies of open jobs are given, too.
//
// The sequence is in the order of the ids. It ends at the first error of the store; the error of an
// object that cannot be read comes with its ID, and the sequence goes on.
func (j *Jobs) DeadLetters(ctx context.Context, f Filter) iter.Seq2[DeadLetter, error] {
	return func(yield func(DeadLetter, error) bool) {
		c := confirmation{jobs: j, records: recordCache{jobs: j}}
		for o, err := range j.store.List(ctx, f.listing()) {
			if err != nil {
				yield(DeadLetter{}, err)
				return
			}
			owner, drop, gen, unit, ok := state.ParseGeneration(state.FailedRoot, o.Key)
			unit, isJSON := strings.CutSuffix(unit, ".json")
			l := DeadLetter{Ref: Ref{owner, drop}, Gen: gen, Unit: unit, Kind: kindOf(unit), FailedAt: o.ModTime,
				ID: strings.TrimSuffix(o.Key[len(state.FailedRoot):], ".json")}
			if !ok || !isJSON || f.Owner != "" && owner != f.Owner || f.Kind != "" && l.Kind != f.Kind || f.Skip != nil && f.Skip(l.ID) {
				continue
			}
			is, err := c.confirms(ctx, l)
			if is && err == nil {
				_, err = objects.ReadJSON(ctx, j.store, o.Key, &l.Failure)
			}
			if err == nil && (!is || l.IsWrongUpload() && !f.WrongUploads) {
				continue
			}
			if !yield(l, err) || err != nil && fault.Of(err) != fault.Permanent {
				return
			}
		}
	}
}

// confirmation compares failed objects with the decisions of their jobs. It keeps the input set of
// the owner read last.
type confirmation struct {
	jobs    *Jobs
	records recordCache

	owner      string
	inputs     state.Inputs
	unreadable bool
}

func (c *confirmation) confirms(ctx context.Context, l DeadLetter) (bool, error) {
	r, err := c.records.read(ctx, l.Ref)
	if err != nil || r.Gen != l.Gen {
		return false, err
	}
	switch {
	case r.Outcome == Refused:
		return l.Kind == Ingest, nil
	case r.Outcome == Erased || l.Kind == Ingest:
		return false, nil
	case r.Outcome == Failed && l.Kind == Assemble:
		return true, nil
	case r.State == Open && l.Kind != Assemble:
		return false, nil
	}
	// After the record: the entry is of its generation, or of a later one.
	if err := c.readInputs(ctx, l, r); err != nil {
		return false, err
	}
	switch {
	case c.unreadable:
		return (r.State == Open) == (l.Kind == Assemble), nil
	case r.State == Open:
		return false, nil
	}
	e := c.inputs.Drops[l.Drop]
	if e.Gen != l.Gen || l.Kind == Assemble {
		return false, nil
	}
	if e.Failed && e.Import != r.Import {
		return true, nil // nothing of the job's import is in the store
	}
	_, short := c.inputs.Short[e.Import][l.Unit]
	return short, nil
}

func (c *confirmation) readInputs(ctx context.Context, l DeadLetter, r Record) error {
	if c.owner == l.Owner && (c.unreadable || c.inputs.Drops[l.Drop].Gen >= l.Gen || r.State == Open) {
		return nil
	}
	_, in, _, err := c.jobs.readHead(ctx, l.Owner)
	c.owner, c.inputs, c.unreadable = l.Owner, in, err != nil && fault.Of(err) == fault.Permanent
	if c.unreadable {
		return nil
	}
	if err != nil {
		c.owner = ""
	}
	return err
}
