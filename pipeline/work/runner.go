package work

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/queue"
)

// handler is the work of a stage whose tasks are handled one at a time.
type handler interface {
	// work does the work of an unsettled unit and makes its result durable. next are the tasks to
	// send then; nil stands for those that the job record names. job.ErrStale ends the delivery
	// without further tasks. A suspicious delivery may follow a crash.
	work(ctx context.Context, o job.Opened, suspicious bool) (next []job.Task, err error)
	// describe completes the failure of a unit.
	describe(o job.Opened, cause error, f *job.Failure)
	// end is told of a unit that failed for good, after its failed object was written.
	end(t job.Task, f job.Failure)
}

// runner handles the tasks of one stage.
type runner struct {
	*units
	handler handler
}

// handle is a queue.Handler.
func (r *runner) handle(ctx context.Context, d *queue.Delivery) queue.Result {
	t, err := dispatch.Decode(d.Task)
	if err != nil {
		return r.dropMessage(err)
	}
	a := r.open(d, t)
	err = fault.Recovered("run "+string(t.Kind), func() error { return r.attempt(ctx, d, t) })
	a.close(ctx, err)
	if result, again := r.retry(ctx, d, t, err); again {
		return result
	}
	if err != nil {
		if result, failed := r.fail(ctx, d, t, err); failed {
			return result
		}
	}
	return queue.Done()
}

// attempt does what is to be done for one delivery.
func (r *runner) attempt(ctx context.Context, d *queue.Delivery, t job.Task) error {
	o, err := r.jobs.Open(ctx, t)
	if errors.Is(err, job.ErrStale) {
		return nil
	}
	if err != nil {
		return err
	}
	if !o.Settled {
		suspicious := r.isSuspicious(d, t)
		leave, _, err := r.suspects.begin(ctx, t, suspicious)
		if err != nil {
			return err
		}
		defer leave()
		next, err := r.handler.work(ctx, o, suspicious)
		switch {
		case errors.Is(err, job.ErrStale):
			return nil
		case err != nil:
			return err
		case next != nil:
			return r.dispatch.SendTasks(ctx, queue.FromHandler, next)
		}
	}
	return r.advance(ctx, t)
}

// isSuspicious tells whether a delivery may follow a crash of which nothing was reported.
func (u *units) isSuspicious(d *queue.Delivery, t job.Task) bool {
	return u.Wary || t.Resent || !d.IsFirst()
}

// advance sends the tasks that the job record names after a unit.
func (u *units) advance(ctx context.Context, t job.Task) error {
	next, err := u.jobs.NextAfter(ctx, t)
	if err != nil {
		return err
	}
	return u.dispatch.SendTasks(ctx, queue.FromHandler, next)
}

// retry gives the result for an error after which the task comes back; again is false if the
// delivery has succeeded or the unit has failed for good.
func (u *units) retry(ctx context.Context, d *queue.Delivery, t job.Task, err error) (_ queue.Result, again bool) {
	var later *fault.Later
	switch {
	case err == nil:
		return queue.Done(), false
	case fault.IsDrain(ctx, err), errors.Is(context.Cause(ctx), queue.ErrTaskLost):
		return queue.Release(), true
	case errors.As(err, &later):
		return queue.Later(later.After), true
	case fault.Of(err) == fault.Outage:
		u.observeRetry(d, t, err)
		u.Log.Warn("storage or NATS is out; the unit waits", append(fieldsOf(t), zap.String("stage", string(t.Kind)), zap.String("error", fault.Loggable(err)))...)
		return queue.Outage(), true
	case fault.Of(err) == fault.Unit && d.Attempt < u.Attempts && !isFinal(err):
		u.observeRetry(d, t, err)
		u.Log.Warn("unit failed; it will be tried again", append(fieldsOf(t), zap.String("stage", string(t.Kind)), zap.Int("attempt", d.Attempt),
			zap.Int("of", u.Attempts), zap.String("error", fault.Loggable(err)))...)
		return queue.RetryAfter(u.Backoff.After(d.Attempt)), true
	}
	return queue.Result{}, false
}

// fail writes the failed object of a unit and sends what follows. failed is false if the unit has
// failed, and the delivery is done.
func (r *runner) fail(ctx context.Context, d *queue.Delivery, t job.Task, cause error) (_ queue.Result, failed bool) {
	ctx = context.WithoutCancel(ctx) // the outcome is known: it is recorded also while the process stops
	o, err := r.jobs.Open(ctx, t)
	switch {
	case errors.Is(err, job.ErrStale):
		return queue.Done(), false
	case err == nil && !o.Settled || fault.Of(err) == fault.Permanent:
		f := job.FailureOf(cause, d.Attempt)
		r.handler.describe(o, cause, &f)
		if err = r.jobs.Fail(ctx, t, f); err == nil {
			r.reportFailure(t, f, cause)
			r.handler.end(t, f)
		}
	}
	if err == nil {
		err = r.advance(ctx, t)
	}
	return r.afterFailing(ctx, d, t, err)
}

// afterFailing gives the result for an error of failing a unit. An object that nobody can read
// would keep the task for ever: the task is dropped, and the pass brings it back later.
func (u *units) afterFailing(ctx context.Context, d *queue.Delivery, t job.Task, err error) (_ queue.Result, failed bool) {
	if err == nil {
		return queue.Done(), false
	}
	if fault.Of(err) != fault.Permanent {
		if result, again := u.retry(ctx, d, t, err); again {
			return result, true
		}
		return queue.Outage(), true // its outcome must be recorded, however often that fails
	}
	u.Log.Error("an object of the store cannot be used; its job waits for a repair, and everything else continues",
		append(fieldsOf(t), zap.String("stage", string(t.Kind)), zap.String("error", fault.Loggable(err)))...)
	return queue.Drop("unusable object"), true
}

// reportFailure tells the operator that a unit has failed for good. A wrong upload is no failure of
// the pipeline: it is told to its owner only.
func (u *units) reportFailure(t job.Task, f job.Failure, cause error) {
	fields := append(fieldsOf(t), zap.String("stage", string(t.Kind)), zap.String("class", string(f.Class)), zap.String("error", f.Reason))
	if f.IsWrongUpload() {
		u.Log.Info("drop refused: it is no export that can be read", fields...)
		return
	}
	u.observeFault(t, cause, false)
	u.Metrics.DeadLetter(string(t.Kind), f.Class)
	u.Log.Error("unit failed for good", append(fields, zap.Int("attempts", f.Attempts))...)
}

// dropMessage removes a message that is not one of ours.
func (u *units) dropMessage(err error) queue.Result {
	u.Log.Error("removed a message that is no task", zap.Error(err))
	return queue.Drop("not a task")
}
