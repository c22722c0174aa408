package pipeline

import (
	"cmp"
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// turn sees to the first few hints of an inbox, and lets it queue up behind the others for the rest.
func (in *intake) turn(q *inboxQueue) {
	in.pass()
	in.mu.Lock()
	n := min(len(q.waiting), turnHints)
	list := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	in.mu.Unlock()
	in.heed(q.owner, list)
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(q.waiting) > 0 {
		in.enlistLocked(&in.turns, func() { in.turn(q) })
		return
	}
	q.turning = false
	in.tidy(q.ownerInbox, q)
}

// pass waits while storage or NATS is out. When nothing new is to be begun, nothing waits afterwards.
func (in *intake) pass() {
	in.w.gates[telemetry.StageEvents].enter(in.ctx)
	if in.ctx.Err() != nil {
		in.stop()
	}
}

// heed asks the store for what the hints tell of, and queues a task for each thing once.
func (in *intake) heed(owner string, list []waiting) {
	type answer struct {
		task TakeTask
		ok   bool
		err  error
	}
	answers := make([]answer, len(list))
	var g errgroup.Group
	g.SetLimit(turnWide)
	for i, h := range list {
		g.Go(func() error {
			a := &answers[i]
			if a.err = h.notice.begin(); a.err == nil {
				a.err = fault.Recovered("run "+telemetry.StageEvents, func() (err error) {
					a.task, a.ok, err = in.w.told(h.notice.account.ctx, h.hint)
					return err
				})
			}
			return nil
		})
	}
	_ = g.Wait() // each has its own answer
	fair := fairTurn{in: in, owner: owner}
	done := map[string]error{}
	for i, h := range list {
		a := answers[i]
		if a.err == nil && a.ok {
			err, same := done[a.task.Key]
			if !same {
				err = fair.publish(h.notice.account.ctx, a.task)
				done[a.task.Key] = err
			}
			a.err = err
		}
		if a.err == nil {
			in.w.gates[telemetry.StageEvents].left(false, in.w.Backoff)
		}
		h.notice.release(a.err)
	}
}

// fairTurn queues the tasks of one turn. It looks once how many of the owner's stand in the small lane ([FairLane]).
type fairTurn struct {
	in    *intake
	owner string
	asked bool
	small int
}

func (f *fairTurn) publish(ctx context.Context, t TakeTask) error {
	if t.Lane == state.LaneSmall {
		if !f.asked {
			waiting, err := subjectsIn(ctx, f.in.tasks, "pam."+telemetry.StageTake+"."+state.LaneSmall+"."+f.owner+".>")
			if err != nil {
				return err
			}
			f.asked, f.small = true, len(waiting)
		}
		if f.small >= cmp.Or(max(f.in.w.Limits.OwnerSmall, 0), DefaultOwnerSmall) {
			t.Lane = state.LaneBulk
		}
		f.small++
	}
	return f.in.w.publish(ctx, t)
}

// giveUpEvents leaves nothing: the dead letter says all there is.
func (w *Worker) giveUpEvents(context.Context, []byte, error) error { return nil }
