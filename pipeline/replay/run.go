package replay

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

// Outcome is what has become of a drop.
type Outcome struct {
	Selected
	// Result is a final state of an import, or Queued, Unchanged, Gone or Trouble.
	Result string `json:"result"`
	// Reason and Hint say why, and what to do.
	Reason string `json:"reason,omitempty"`
	Hint   string `json:"hint,omitempty"`
	// Now is the import that the store has of the drop afterwards; Changed: another one than
	// before.
	Now     string `json:"now,omitempty"`
	Changed bool   `json:"changed,omitempty"`
	// Store is what the replay has changed in the store; nil if it has ended without an import.
	Store *state.StoreChange `json:"store,omitempty"`
}

// Progress counts the drops of a replay.
type Progress struct{ Selected, Ended int }

// Run has the selected drops read again, several at a time, and reports each when it has ended. A
// drop that cannot be read again does not stop the others; an outage does. Report is not called
// concurrently; its error stops the replay. A replay that was stopped can be run again: what is
// done is unchanged by then, and what was asked for goes on without it.
func (r *Replayer) Run(ctx context.Context, w Worker, selected iter.Seq2[Selected, error], report func(Outcome, Progress) error) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(r.Parallel)
	var mu sync.Mutex
	var p Progress
	start := func(s Selected, bulk bool) {
		mu.Lock()
		p.Selected++
		mu.Unlock()
		g.Go(func() error {
			o, err := r.replay(gctx, w, s, bulk)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			p.Ended++
			return report(o, p)
		})
	}
	err := eachWithBulk(gctx, selected, start)
	if failed := g.Wait(); failed != nil {
		return failed // err is the end of the context which this has caused
	}
	return err
}

// eachWithBulk calls start for each drop, and tells whether it is one of several: those take the
// lane of large drops, so that new drops do not wait behind them.
func eachWithBulk(ctx context.Context, selected iter.Seq2[Selected, error], start func(s Selected, bulk bool)) error {
	var first *Selected
	n := 0
	for s, err := range selected {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		switch n++; n {
		case 1:
			first = &s
		case 2:
			start(*first, true)
			fallthrough
		default:
			start(s, true)
		}
	}
	if n == 1 {
		start(*first, false)
	}
	return nil
}

// replay has one drop read again.
func (r *Replayer) replay(ctx context.Context, w Worker, s Selected, bulk bool) (Outcome, error) {
	o := Outcome{Selected: s, Now: s.Import}
	p, err := r.Prepare(ctx, s, bulk)
	o.Result, o.Reason, o.Hint = p.Result, p.Reason, p.Hint
	if err != nil || o.Result != Queued {
		return o.ofDrop(err)
	}
	asked, err := w.Ask(ctx, s.Ref(), p.Want)
	if err != nil || r.NoWait {
		return o.ofDrop(err)
	}
	rec, err := w.Wait(ctx, s.Ref(), asked.Gen)
	if err != nil {
		return o.ofDrop(err)
	}
	receipt, err := r.catalog.Report(ctx, s.Ref(), rec.Gen)
	if err != nil {
		return o.ofDrop(err)
	}
	o.Result, o.Reason, o.Hint = receipt.State, receipt.Reason, receipt.Hint
	if rec.Outcome == job.Done {
		o.Now, o.Store = receipt.Import, &receipt.Store
		o.Changed = o.Now != s.Import
	}
	return o, nil
}

// ofDrop makes an error that the other drops have nothing to do with the outcome of its drop.
func (o Outcome) ofDrop(err error) (Outcome, error) {
	switch {
	case err == nil:
		return o, nil
	case fault.Of(err) == fault.Permanent:
		o.Result, o.Reason, o.Hint = Trouble, err.Error(), fault.HintOf(err)
		return o, nil
	}
	return o, fmt.Errorf("replay drop %s of %s: %w", o.Drop, o.Owner, err)
}
