package job

import (
	"context"
	"errors"
	"fmt"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Asked is the answer to an Ask.
type Asked struct {
	// Gen is the generation that does the work, or that a later one replaces.
	Gen int
	// Shared: the generation was open already, for the same work.
	Shared bool
	// Tasks are to be sent now.
	Tasks []Task
}

// Ask wants work for a job: a new import, a replay, an erasure, or edits and signatures of an
// owner. It shares an open generation of the same want in which nothing has failed, and opens the
// next generation otherwise. After Ask has returned, the generation or a later one ends, whatever
// crashes. An Ask that returns an error may have opened a generation; to repeat it is safe.
func (j *Jobs) Ask(ctx context.Context, ref Ref, w Want) (Asked, error) {
	return askFor(ctx, j, ref, func(before Record) (Want, string, error) {
		if ref.Drop == state.OwnerJob {
			w = w.after(before.Want)
		}
		return w, "", nil
	})
}

// Redrive wants the work of the last generation again: the failed units from their first attempt.
// It keeps the import, so the archive need not be there any more. A job that was never asked for is
// a fault of class Permanent.
func (j *Jobs) Redrive(ctx context.Context, ref Ref) (Asked, error) {
	return askFor(ctx, j, ref, func(before Record) (Want, string, error) {
		if before.Gen == 0 {
			return Want{}, "", fault.Permanentf("import the drop first", "redrive job %s of %s: there is no such job", ref.Drop, ref.Owner)
		}
		return before.Want, before.Import, nil
	})
}

// Replace wants an import in the place of all that the store has of a drop: what an erasure has made
// of them. past are the rewritten imports that were replaced before. The manifests of all of them
// are in storage.
func (j *Jobs) Replace(ctx context.Context, ref Ref, id string, past []string) (Asked, error) {
	return askFor(ctx, j, ref, func(before Record) (Want, string, error) {
		w := Want{Importer: before.Want.Importer, Extractors: before.Want.Extractors, Lane: before.Want.Lane}
		w.Purge, w.Past, w.Incomplete = true, past, true
		return w, id, nil
	})
}

// wanted gives the want and the import of the generation that follows a record.
type wanted func(before Record) (w Want, id string, err error)

// askFor opens the generation that somebody wants, or shares the open one.
func askFor(ctx context.Context, j *Jobs, ref Ref, next wanted) (Asked, error) {
	if err := ref.Check(); err != nil {
		return Asked{}, err
	}
	for {
		r, tag, err := j.read(ctx, ref)
		if err != nil {
			return Asked{}, err
		}
		w, id, err := next(r)
		if err != nil {
			return Asked{}, err
		}
		if r.State == Open && r.Want.isSame(w) {
			failed, err := objects.HasAny(ctx, j.store, state.FailedPrefix(ref.Owner, ref.Drop, r.Gen))
			if err != nil {
				return Asked{}, err
			}
			if !failed {
				tasks, err := j.next(ctx, ref, r)
				return Asked{Gen: r.Gen, Shared: true, Tasks: tasks}, err
			}
		}
		opened := Record{V: 1, Gen: r.Gen + 1, Want: w, State: Open, Import: id}
		if opened.Gen, err = j.nextGeneration(ctx, ref, r.Gen); err != nil {
			return Asked{}, err
		}
		if err := objects.PutEmpty(ctx, j.store, state.OpenKey(ref.Owner, ref.Drop, opened.Gen)); err != nil {
			return Asked{}, fmt.Errorf("put hint of job %s: %w", ref.Drop, err)
		}
		err = objects.SwapJSON(ctx, j.store, state.JobKey(ref.Owner, ref.Drop), tag, opened)
		if errors.Is(err, blob.ErrPrecondition) {
			continue
		}
		if err != nil {
			return Asked{}, fmt.Errorf("swap record of job %s: %w", ref.Drop, err)
		}
		tasks, err := j.next(ctx, ref, opened)
		return Asked{Gen: opened.Gen, Tasks: tasks}, err
	}
}

// nextGeneration gives the generation that follows that of a record. A record that is missing or an
// older version, although there are receipts of later generations, is continued behind them.
func (s *storage) nextGeneration(ctx context.Context, ref Ref, gen int) (int, error) {
	later, err := objects.Exists(ctx, s.store, state.ReceiptKey(ref.Owner, ref.Drop, gen+1))
	if err != nil || !later {
		return gen + 1, err
	}
	_, in, _, err := s.readHead(ctx, ref.Owner)
	if err != nil {
		return 0, err
	}
	return max(gen, in.Drops[ref.Drop].Gen) + 1, nil
}

// Check tells whether a reference has the form of one.
func (r Ref) Check() error {
	if err := state.CheckOwner(r.Owner); err != nil || r.Drop == state.OwnerJob {
		return err
	}
	return state.CheckDigest("drop", r.Drop)
}

// AskAfterLate asks for a redrive if the worker that has just completed a shard came too late: the
// job has ended, and the input set lists the shard as short. The redrive costs no extraction. Else
// it does nothing.
func (j *Jobs) AskAfterLate(ctx context.Context, t Task) (Asked, bool, error) {
	r, err := j.Read(ctx, t.Ref)
	if err != nil || r.State != Ended || r.Import != t.Import || r.Want.Erase {
		return Asked{}, false, err
	}
	_, in, _, err := j.readHead(ctx, t.Owner)
	if err != nil {
		return Asked{}, false, err
	}
	if _, short := in.Short[t.Import][t.Shard]; !short || in.Drops[t.Drop].Import != t.Import {
		return Asked{}, false, nil
	}
	a, err := j.Redrive(ctx, t.Ref)
	return a, err == nil, err
}
