package work

import (
	"context"
	"errors"
	"slices"

	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/receipt"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// accept takes open generations of one owner into the store and ends their jobs. err is that of
// all, else errs has one for each.
func (a *assembler) accept(ctx context.Context, list []*assembly) (errs []error, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	owner := list[0].task.Owner
	pass, err := a.breakers.admit(breakerKey{stage: telemetry.StageAssemble, owner: owner})
	if err != nil {
		return nil, err
	}
	ctx = trace.ContextWithSpan(ctx, list[0].account.span) // the steps of all belong to one trace
	var opened []job.Opened
	for _, one := range list {
		a.observe(one.task, telemetry.Event{Stage: telemetry.StageAssemble, Import: one.opened.Record.Import})
		opened = append(opened, one.opened)
	}
	err = fault.Recovered("assemble", func() (err error) {
		errs, err = a.decide(ctx, opened, true)
		return err
	})
	return errs, pass.report(ctx, err)
}

// decide takes generations of one owner into the input set and ends their jobs. Failures that it
// finds are news, or were reported before.
func (a *assembler) decide(ctx context.Context, opened []job.Opened, news bool) (errs []error, err error) {
	c := &computation{units: a.units}
	decisions, err := a.jobs.Accept(ctx, opened[0].Owner, opened, c.compute)
	if err != nil {
		return nil, err
	}
	// All decisions have one head.
	if i := slices.IndexFunc(decisions, isDecided); i >= 0 {
		if err := c.copyStore(ctx, decisions[i]); err != nil {
			return nil, err
		}
	}
	errs = make([]error, len(decisions))
	var g errgroup.Group
	g.SetLimit(publish.IOOverlap * a.Workers)
	for i, d := range decisions {
		g.Go(func() error {
			switch {
			case isDecided(d):
				errs[i] = a.end(ctx, d, c, news)
			case d.Status == job.Unsettled:
				errs[i] = a.advance(ctx, d.Task)
			}
			return nil
		})
	}
	return errs, g.Wait()
}

func isDecided(d job.Decision) bool { return d.Status == job.Accepted || d.Status == job.GivenUp }

// end ends the job of a decided generation.
func (a *assembler) end(ctx context.Context, d job.Decision, c *computation, news bool) error {
	change, err := c.changeOf(ctx, d)
	if err != nil {
		return err
	}
	if d.Status == job.GivenUp && news {
		if err := a.reportGivenUp(ctx, d); err != nil {
			return err
		}
	}
	if change.Published {
		a.observe(d.Task, telemetry.Event{Stage: telemetry.StagePublish, Import: d.Entry.Import, Change: &change})
	}
	phase := state.StateFailed
	err = a.jobs.End(ctx, d, func(ctx context.Context, d job.Decision) ([]byte, error) {
		r, err := receipt.Maker{Store: a.Store, Parallel: publish.IOOverlap * a.Workers, Log: a.Log}.Accepted(ctx, d, change)
		if err != nil {
			return nil, err
		}
		phase = r.State
		return objects.EncodeSealed(state.ReceiptKey(d.Owner, d.Drop, d.Gen), r)
	})
	if err != nil {
		return err
	}
	if !d.Record.Want.Erase && d.Drop != state.OwnerJob {
		a.Metrics.Imported(phase)
	}
	a.observe(d.Task, telemetry.Event{Stage: telemetry.StageDone, Import: d.Entry.Import, Change: &change})
	return nil
}

// reportGivenUp reports a generation that failed because the store could not be computed, or
// because it would have replaced a whole import by an incomplete one.
func (a *assembler) reportGivenUp(ctx context.Context, d job.Decision) error {
	var f job.Failure
	_, err := objects.ReadJSON(ctx, a.Store, state.FailedKey(d.Owner, d.Drop, d.Gen, d.Unit()), &f)
	if err != nil && !objects.IsMissing(err) && fault.Of(err) != fault.Permanent {
		return err
	}
	a.reportFailure(d.Task, f, &fault.Fault{Class: f.Class, Hint: f.Hint, Err: errors.New(f.Reason)})
	return nil
}

// settle answers for one task.
func (a *assembler) settle(ctx context.Context, one *assembly, err error) {
	one.account.close(ctx, err)
	result, again := a.retry(ctx, one.delivery, one.task, err)
	if !again && err != nil {
		result = a.fail(ctx, one, err)
	}
	one.delivery.Settle(result)
}

// fail gives an assembly up: the failed generation enters the input set, and the store keeps what
// it had.
func (a *assembler) fail(ctx context.Context, one *assembly, cause error) queue.Result {
	ctx = context.WithoutCancel(ctx)
	f := job.FailureOf(cause, one.delivery.Attempt)
	err := a.jobs.Fail(ctx, one.task, f)
	if err == nil {
		a.reportFailure(one.task, f, cause)
		if one.opened, err = a.jobs.Open(ctx, one.task); errors.Is(err, job.ErrStale) {
			return queue.Done()
		}
	}
	if err == nil {
		var errs []error
		errs, err = a.decide(ctx, []job.Opened{one.opened}, false)
		err = errors.Join(err, errors.Join(errs...))
	}
	result, _ := a.afterFailing(ctx, one.delivery, one.task, err)
	return result
}
