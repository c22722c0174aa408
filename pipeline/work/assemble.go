package work

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/queue"
)

// assembler takes generations into the stores of their owners. The store is a function of all drops
// of an owner, so drops that wait together are accepted with one swap.
type assembler struct{ *units }

// assembly is one task of a batch.
type assembly struct {
	delivery *queue.Delivery
	task     job.Task
	account  account
	opened   job.Opened
}

// handleBatch is a queue.BatchHandler. It works owner by owner, those with the fewest tasks first:
// an owner with many drops does not hold up the others of the partition.
func (a *assembler) handleBatch(ctx context.Context, batch []*queue.Delivery) {
	owners := map[string][]*assembly{}
	for _, d := range batch {
		t, err := dispatch.Decode(d.Task)
		if err != nil {
			d.Settle(a.dropMessage(err))
			continue
		}
		owners[t.Owner] = append(owners[t.Owner], &assembly{delivery: d, task: t})
	}
	var waiting [][]*assembly
	for _, list := range owners {
		waiting = append(waiting, list)
	}
	slices.SortFunc(waiting, func(a, b []*assembly) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a[0].task.Owner, b[0].task.Owner))
	})
	for len(waiting) > 0 {
		list := waiting[0]
		n := min(len(list), job.MaxBatch)
		a.handleOwner(ctx, list[:n])
		if waiting = waiting[1:]; n < len(list) {
			waiting = append(waiting, list[n:])
		}
	}
}

// handleOwner accepts the tasks of one owner: together, or each alone if they fail together or may
// have crashed a worker.
func (a *assembler) handleOwner(ctx context.Context, list []*assembly) {
	for _, one := range list {
		one.account = a.open(one.delivery, one.task)
	}
	list = a.openAll(ctx, list)
	var together, alone []*assembly
	leave := func() {}
	for _, one := range list {
		left, isAlone, err := a.suspects.begin(ctx, one.task, a.isSuspicious(one.delivery, one.task))
		switch {
		case err != nil:
			a.settle(ctx, one, err)
		case isAlone:
			left() // its turn comes below
			alone = append(alone, one)
		default:
			before := leave
			leave = func() { left(); before() }
			together = append(together, one)
		}
	}
	errs, err := a.accept(ctx, together)
	leave()
	if err != nil && len(together) > 1 && isOfOne(ctx, err) {
		a.Log.Warn("assembling drops of an owner together failed; trying them one by one",
			zap.String("owner", together[0].task.Owner), zap.Int("drops", len(together)), zap.String("error", fault.Loggable(err)))
		together, alone = nil, append(together, alone...)
	}
	for i, one := range together {
		if err == nil {
			a.settle(ctx, one, errs[i])
		} else {
			a.settle(ctx, one, err)
		}
	}
	for _, one := range alone {
		a.settle(ctx, one, a.acceptAlone(ctx, one))
	}
}

// isOfOne tells whether an error of several generations may be due to one of them.
func isOfOne(ctx context.Context, err error) bool {
	return errors.Is(err, job.ErrTogether) ||
		!fault.IsDrain(ctx, err) && !errors.As(err, new(*fault.Later)) && fault.Of(err) == fault.Unit
}

func (a *assembler) acceptAlone(ctx context.Context, one *assembly) error {
	leave, _, err := a.suspects.begin(ctx, one.task, a.isSuspicious(one.delivery, one.task))
	if err != nil {
		return err
	}
	defer leave()
	errs, err := a.accept(ctx, []*assembly{one})
	return errors.Join(err, errors.Join(errs...))
}

// openAll gives the tasks that are not stale, one for each drop.
func (a *assembler) openAll(ctx context.Context, list []*assembly) (open []*assembly) {
	errs := make([]error, len(list))
	var g errgroup.Group
	g.SetLimit(publish.IOOverlap * a.Workers)
	for i, one := range list {
		g.Go(func() error {
			one.opened, errs[i] = a.jobs.Open(ctx, one.task)
			return nil
		})
	}
	_ = g.Wait() // the errors are those of the tasks
	drops := map[string]bool{}
	for i, one := range list {
		switch err := errs[i]; {
		case errors.Is(err, job.ErrStale) || err == nil && drops[one.task.Drop]:
			a.settle(ctx, one, nil)
		case err != nil:
			a.settle(ctx, one, err)
		default:
			drops[one.task.Drop] = true
			open = append(open, one)
		}
	}
	return open
}
