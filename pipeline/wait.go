package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// How often a job is looked at. Work in this process wakes its waiters, so its pauses only matter
// if another process ends the job.
const (
	firstPause   = 20 * time.Millisecond
	longestPause = 5 * time.Second
	// stuckPause is the pause from which a waiter asks why nothing ends.
	stuckPause = 300 * time.Millisecond
	// stuckPauses is for how many such pauses, half a minute, a failed generation may stay open.
	stuckPauses = 8
)

// Wait polls the record of a job until it has ended in a generation or a later one. The work of
// this process wakes it. If that work meets more outages than Retry.Patience, or if a cluster
// cannot be reached any more, or the record is gone, the error is of class Outage; the work resumes
// later. A generation
// that cannot end before a person has repaired the owner's head is a fault of class Permanent.
func (p *Pipeline) Wait(ctx context.Context, ref job.Ref, gen int) (job.Record, error) {
	events, stop := p.waiters.add(ref)
	defer stop()
	outages, stuck := 0, 0
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		r, err := p.jobs.Read(ctx, ref)
		if err != nil || r.HasEnded(gen) {
			return r, err
		}
		if r.Gen < gen { // a record never goes back
			return r, &fault.Fault{Class: fault.Outage, Err: fmt.Errorf("the record of the job is gone (%s): the store was removed, or an earlier one was put in its place", state.JobKey(ref.Owner, ref.Drop))}
		}
		if pause == longestPause && !p.local {
			if err := p.Ready(ctx); err != nil {
				return r, err
			}
		}
		if pause >= stuckPause {
			certain, cause := p.undecided(ctx, ref, r.Gen)
			if stuck++; cause == nil {
				stuck = 0
			} else if certain || stuck > stuckPauses {
				return r, cause
			}
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return r, ctx.Err()
		case e := <-events:
			timer.Stop()
			if !e.Outage {
				break
			}
			if outages++; p.options.Retry.Patience > 0 && outages >= p.options.Retry.Patience {
				return r, &fault.Fault{Class: fault.Outage, Err: errors.New(e.Fault)}
			}
		case <-timer.C:
		}
	}
}

// undecided returns why the assembly of an open generation has failed; nil if it has not. Such a
// generation is about to end, unless the owner's head or input set cannot be read: then it is
// certain that it waits for their repair.
func (p *Pipeline) undecided(ctx context.Context, ref job.Ref, gen int) (certain bool, cause error) {
	var f job.Failure
	if _, err := objects.ReadJSON(ctx, p.store, state.FailedKey(ref.Owner, ref.Drop, gen, string(job.Assemble)), &f); err != nil {
		return false, nil //nolint:nilerr // it has not failed, or the next look finds out
	}
	head, _, err := state.ReadHead(ctx, p.store, ref.Owner)
	if err == nil {
		_, err = state.ReadInputs(ctx, p.store, ref.Owner, head)
	}
	return err != nil && fault.Of(err) == fault.Permanent, fault.Permanentf(f.Hint, "the import continues when this is repaired: %s", f.Reason)
}

// waiters are woken by the end of a job, and by outages of the process.
type waiters struct {
	mu sync.Mutex
	of map[job.Ref][]chan telemetry.Event
}

// add registers a waiter. stop removes it.
func (w *waiters) add(ref job.Ref) (events <-chan telemetry.Event, stop func()) {
	ch := make(chan telemetry.Event, 64)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[job.Ref][]chan telemetry.Event{}
	}
	w.of[ref] = append(w.of[ref], ch)
	return ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.of[ref] = slices.DeleteFunc(w.of[ref], func(c chan telemetry.Event) bool { return c == ch })
		if len(w.of[ref]) == 0 {
			delete(w.of, ref)
		}
	}
}

// wake passes an event on to those who wait for it.
func (w *waiters) wake(e telemetry.Event) {
	if e.Stage != telemetry.StageDone && !e.Outage {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for ref, channels := range w.of {
		if !e.Outage && ref != (job.Ref{Owner: e.Owner, Drop: e.Drop}) {
			continue
		}
		for _, ch := range channels {
			select {
			case ch <- e:
			default: // a waiter that is 64 events behind has enough to look at
			}
		}
	}
}
