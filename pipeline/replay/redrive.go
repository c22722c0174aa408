package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

// Redriven is what has become of the dead letters of one drop.
type Redriven struct {
	Owner string `json:"owner"`
	Drop  string `json:"drop"`
	// Letters are those that the filter has selected. A generation retries all that has failed of a
	// drop, so the others of the drop are retried, too.
	Letters []DeadLetter `json:"letters"`
	// Result is Queued, Released, Gone or Trouble; Reason says more.
	Result string `json:"result"`
	Reason string `json:"reason,omitempty"`
	// Gen is the generation that retries the work, if that is Queued.
	Gen int `json:"gen,omitempty"`
}

// Ref names the job of the drop.
func (r Redriven) Ref() job.Ref { return job.Ref{Owner: r.Owner, Drop: r.Drop} }

// Redrive has the work of dead letters retried, from the first attempt: one generation for each
// drop, however many letters it has. It does not wait. The record of a refused entry of the inbox
// is removed from the store, so the next look at the inbox takes the entry. Dead letters that came
// while it runs may be among them. An outage ends the sequence; to repeat it is safe.
func (l *Letters) Redrive(ctx context.Context, w Worker, f Filter) iter.Seq2[Redriven, error] {
	return func(yield func(Redriven, error) bool) {
		var drop Redriven
		redrive := func() bool {
			if len(drop.Letters) == 0 {
				return true
			}
			err := l.redrive(ctx, w, &drop)
			return yield(drop, err) && err == nil
		}
		for one, err := range l.List(ctx, f) {
			if err != nil {
				if redrive() {
					yield(Redriven{}, err)
				}
				return
			}
			if one.Ref() != drop.Ref() {
				if !redrive() {
					return
				}
				drop = Redriven{Owner: one.Owner, Drop: one.Drop}
			}
			drop.Letters = append(drop.Letters, one)
		}
		redrive()
	}
}

func (l *Letters) redrive(ctx context.Context, w Worker, r *Redriven) error {
	if r.Letters[0].Stage == stageInbox {
		return retryEntry(ctx, l.store, r)
	}
	err := l.checkArchive(ctx, r.Ref())
	var asked job.Asked
	if err == nil {
		asked, err = w.Redrive(ctx, r.Ref())
	}
	switch {
	case err == nil:
		r.Result, r.Gen = Queued, asked.Gen
	case errors.Is(err, errGone):
		r.Result, r.Reason = Gone, err.Error()
	case fault.Of(err) == fault.Permanent: // what is damaged of one drop does not keep the others
		r.Result, r.Reason = Trouble, err.Error()
	default:
		return fmt.Errorf("redrive drop %s of %s: %w", r.Drop, r.Owner, err)
	}
	return nil
}

// checkArchive gives errGone if a redrive needs the archive and it is not in the inbox any more.
func (l *Letters) checkArchive(ctx context.Context, ref job.Ref) error {
	rec, err := l.jobs.Read(ctx, ref)
	if err != nil || rec.Import != "" || rec.Want.Erase || ref.Drop == state.OwnerJob {
		return err
	}
	_, err = findArchive(ctx, l.store, ref)
	return err
}
