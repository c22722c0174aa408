package job

import (
	"context"
	"errors"

	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// ErrStale tells a handler that its task is over: the job has another generation, has ended, or was
// decided for another import. The handler acknowledges and stops.
var ErrStale = errors.New("task is stale")

// Opened is a task that a handler may work on.
type Opened struct {
	Task
	Record Record
	// Settled: the unit needs no work. The handler goes on with NextAfter.
	Settled bool

	tag string // of the record
}

// Open reads the record of a task. It trusts storage, not the message. If the ingest of the
// generation has failed before, Open continues with the refusal and gives ErrStale.
func (j *Jobs) Open(ctx context.Context, t Task) (Opened, error) {
	r, tag, err := j.read(ctx, t.Ref)
	if err != nil {
		return Opened{}, err
	}
	if !r.IsOpen(t.Gen) {
		return Opened{}, ErrStale
	}
	o := Opened{Task: t, Record: r, tag: tag}
	switch t.Kind {
	case Ingest:
		if o.Settled = r.Import != "" || r.assemblesOnly(t.Ref); o.Settled {
			return o, nil
		}
		failed, err := objects.Exists(ctx, j.store, state.FailedKey(t.Owner, t.Drop, t.Gen, t.Unit()))
		if err == nil && !failed {
			err = j.awaitPrune(ctx, t.Owner)
		}
		if err != nil || !failed {
			return o, err
		}
		if err := j.refuse(ctx, t); err != nil {
			return o, err
		}
		return o, ErrStale
	case Extract:
		if r.assemblesOnly(t.Ref) || r.Import != "" && r.Import != t.Import {
			return Opened{}, ErrStale
		}
		o.Settled, err = j.isShardSettled(ctx, t)
	}
	return o, err
}

func (s *storage) isShardSettled(ctx context.Context, t Task) (bool, error) {
	complete, err := objects.Exists(ctx, s.store, state.CompleteKey(t.Owner, t.Import, t.Shard))
	if err != nil || complete {
		return complete, err
	}
	return objects.Exists(ctx, s.store, state.FailedKey(t.Owner, t.Drop, t.Gen, t.Shard))
}
