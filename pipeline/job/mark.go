package job

import (
	"context"
	"errors"
	"fmt"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// ErrCrashes tells that a unit has crashed its worker too often. It is in a fault of class
// Permanent: the handler fails the unit without another attempt.
var ErrCrashes = errors.New("the work has crashed its worker")

// Mark is the crash mark of a delivery.
type Mark struct {
	// Alone: the unit has crashed a worker before. It runs alone in its process.
	Alone bool

	jobs *Jobs
	key  string
}

// Begin puts a crash mark before a suspicious delivery: every delivery that is not the first of a
// message sent by an Ask or a handler, so a redelivered one, or one that the pass has sent. Other
// deliveries have no mark and cost nothing. Marks that are left behind count as crashes.
func (j *Jobs) Begin(ctx context.Context, t Task, suspicious bool) (Mark, error) {
	if !suspicious && !t.Resent {
		return Mark{}, nil
	}
	marks := 0
	for _, err := range j.store.List(ctx, state.BegunKey(t.Owner, t.Drop, t.Gen, t.Unit(), "")) {
		if err != nil {
			return Mark{}, err
		}
		marks++
	}
	if marks >= j.options.Marks {
		return Mark{}, fault.Permanentf("find out what is special about this archive, then redrive", "begin %v: %w %d times", t, ErrCrashes, marks)
	}
	m := Mark{Alone: marks > 0, jobs: j, key: state.BegunKey(t.Owner, t.Drop, t.Gen, t.Unit(), j.options.NewID())}
	if err := objects.PutEmpty(ctx, j.store, m.key); err != nil {
		return Mark{}, fmt.Errorf("put crash mark: %w", err)
	}
	return m, nil
}

// Return removes the mark when the handler returns, however it returns, also while it is being
// stopped.
func (m Mark) Return(ctx context.Context) error {
	if m.jobs == nil {
		return nil
	}
	return m.jobs.store.Delete(context.WithoutCancel(ctx), m.key)
}
