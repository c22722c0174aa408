package job

import (
	"context"
	"iter"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// PassOptions limit a pass.
type PassOptions struct {
	// After is the cursor of the last Pending of an earlier pass: this pass reads no job before it.
	After string
	// OlderThan skips hints that are not older, by the clock of the store. The zero time skips
	// none.
	OlderThan time.Time
	// HasMessage tells whether the queue has a message for a generation. Nil: it has none.
	HasMessage func(ctx context.Context, ref Ref, gen int) (bool, error)
	// Hint is told when the hints of open generations were written, by the clock of the store.
	// Hints that are not older than OlderThan count as open. Nil: nobody is told.
	Hint func(written time.Time)
}

func (o PassOptions) tellHint(written time.Time) {
	if o.Hint != nil {
		o.Hint(written)
	}
}

// Pending is an open generation that no message is for.
type Pending struct {
	Ref
	Gen    int
	Tasks  []Task // to be sent; each is marked as sent again
	Cursor string
}

// Pass looks at the open generations of all owners, those with old hints, and gives the tasks that
// they need. It removes the hints of generations that are over. Any number of passes may run at
// once, but one suffices: the caller holds a lease. The pass ends at the first error of the store.
// The error of a job that cannot be read comes with its Pending, and the pass goes on.
func (j *Jobs) Pass(ctx context.Context, o PassOptions) iter.Seq2[Pending, error] {
	return func(yield func(Pending, error) bool) {
		for hint, err := range j.store.List(ctx, state.OpenRoot) {
			if err != nil {
				yield(Pending{}, err)
				return
			}
			if hint.Key <= o.After {
				continue
			}
			if !o.OlderThan.IsZero() && !hint.ModTime.Before(o.OlderThan) {
				o.tellHint(hint.ModTime)
				continue
			}
			owner, drop, gen, rest, ok := state.ParseGeneration(state.OpenRoot, hint.Key)
			if !ok || rest != "" {
				continue
			}
			p := Pending{Ref: Ref{owner, drop}, Gen: gen, Cursor: hint.Key}
			err := o.look(ctx, j, &p, hint.ModTime)
			if err == nil && len(p.Tasks) == 0 {
				continue
			}
			if !yield(p, err) || err != nil && fault.Of(err) != fault.Permanent {
				return
			}
		}
	}
}

// look finds the tasks of an old hint, or removes the hint.
func (o PassOptions) look(ctx context.Context, j *Jobs, p *Pending, written time.Time) error {
	r, err := j.Read(ctx, p.Ref)
	switch {
	case err != nil:
		return err
	case r.isHintOver(p.Gen):
		return j.store.Delete(ctx, p.Cursor)
	case !r.IsOpen(p.Gen):
		return nil // the Ask of the hint has not opened its generation, and perhaps never will
	}
	o.tellHint(written)
	if o.HasMessage != nil {
		if has, err := o.HasMessage(ctx, p.Ref, p.Gen); err != nil || has {
			return err
		}
	}
	p.Tasks, err = j.next(ctx, p.Ref, r)
	for i := range p.Tasks {
		p.Tasks[i].Resent = true
	}
	return err
}
