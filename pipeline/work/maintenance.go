package work

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
)

// maintenance does what no message tells of. One process of a cluster does it at a time.
type maintenance struct {
	*units
	queue *queue.Queue
	// cursor is where a pass was interrupted.
	cursor string
}

// The leases of maintenance.
const (
	leasePass    = "pass"
	leaseSweep   = "sweep"
	leaseMeasure = "measure"
)

const (
	// maxHold is how long the holder of a lease may be silent.
	maxHold = 30 * time.Second
	// sweepEvery spaces the sweeps. Handlers clean up themselves: a sweep finds what crashes left.
	sweepEvery = 24 * time.Hour
	// oldHint is the age of a hint, in leases of tasks, from which its generation is looked at.
	oldHint = 3
)

// run does the maintenance until ctx ends.
func (m *maintenance) run(ctx context.Context) {
	for {
		held := m.hold(ctx, leasePass, m.Scan, m.passOnce)
		if !held {
			m.Metrics.ForgetOldest() // another process tells it
		}
		m.hold(ctx, leaseSweep, sweepEvery, m.sweep)
		if !sleepFor(ctx, m.Scan/4+queue.Backoff{First: m.Scan / 4, Max: m.Scan / 4}.After(1)) {
			return
		}
	}
}

// hold does periodic work if this process gets its lease.
func (m *maintenance) hold(ctx context.Context, lease string, rest time.Duration, do func(context.Context) error) (held bool) {
	ttl := min(maxHold, m.queue.AckWait())
	l, held, err := m.queue.TryLease(ctx, dispatch.BucketLeases, lease, m.Name, ttl)
	if err != nil && ctx.Err() == nil {
		m.repairQueue(ctx) // the bucket of leases may be among what is gone
	}
	if err == nil && held {
		err = l.Hold(ctx, ttl, rest, do)
	}
	if err != nil && ctx.Err() == nil {
		m.Log.Warn("maintenance was interrupted; another process does it, or this one again", zap.String("lease", lease), zap.String("error", fault.Loggable(err)))
	}
	return held
}

func (m *maintenance) repairQueue(ctx context.Context) {
	if err := m.queue.Repair(ctx); err != nil && ctx.Err() == nil {
		m.Log.Error("the streams are not as they must be", zap.Error(err))
	}
}

// passOnce repairs the streams and sends the tasks of old generations without messages.
func (m *maintenance) passOnce(ctx context.Context) error {
	m.repairQueue(ctx)
	now, err := state.ReadStoreTime(ctx, m.Store)
	if err != nil {
		return err
	}
	var oldest time.Time
	o := job.PassOptions{After: m.cursor, OlderThan: now.Add(-oldHint * m.queue.AckWait()), HasMessage: m.dispatch.HasMessage,
		Hint: func(written time.Time) {
			if oldest.IsZero() || written.Before(oldest) {
				oldest = written
			}
		}}
	n, err := m.resend(ctx, o)
	if err != nil {
		return err
	}
	if n > 0 {
		m.Log.Info("sent the tasks of open imports that had lost their messages", zap.Int("imports", n))
	}
	age := time.Duration(0)
	if !oldest.IsZero() {
		age = max(0, now.Sub(oldest))
	}
	m.Metrics.OldestOpen(age)
	if m.Maintain == nil {
		return nil
	}
	return m.Maintain(ctx)
}

// resend sends the tasks of open generations that no message is for. An interrupted pass is
// continued by the next.
func (m *maintenance) resend(ctx context.Context, o job.PassOptions) (n int, err error) {
	for p, err := range m.jobs.Pass(ctx, o) {
		if fault.Of(err) == fault.Permanent && err != nil {
			m.Log.Error("an object of the store cannot be used; its job waits for a repair, and everything else continues",
				append(fieldsOf(job.Task{Ref: p.Ref, Gen: p.Gen}), zap.String("error", fault.Loggable(err)))...)
			continue
		}
		if err == nil {
			err = m.dispatch.SendTasks(ctx, queue.FromPass, p.Tasks)
		}
		if err != nil {
			return n, err
		}
		m.cursor = p.Cursor
		n++
	}
	m.cursor = ""
	return n, nil
}

// sweep removes what crashes left behind.
func (m *maintenance) sweep(ctx context.Context) error {
	n, err := m.jobs.Sweep(ctx)
	if n > 0 {
		m.Log.Info("removed leftovers of ended imports", zap.Int("objects", n))
	}
	return err
}

// sleepFor waits, or tells that ctx has ended.
func sleepFor(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
