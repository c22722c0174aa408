package pipeline

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// finish writes the receipts, which are final, and only then removes the work that led to them. change is what all of them
// changed together.
func finish(ctx context.Context, d Deps, owner string, ready []readyImport, change state.StoreChange) ([]state.Receipt, error) {
	done := make([]*state.Receipt, len(ready))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(publish.IOOverlap * d.Workers)
	for i, one := range ready {
		g.Go(func() error {
			r, ok, err := finishOne(gctx, d, owner, one, change)
			if ok {
				done[i] = &r
			}
			return err
		})
	}
	err := g.Wait()
	var out []state.Receipt
	for _, r := range done {
		if r != nil {
			out = append(out, *r)
		}
	}
	return out, err
}

// finishOne ends an import; ok is false when somebody has asked for it again meanwhile, so that it has not ended.
func finishOne(ctx context.Context, d Deps, owner string, one readyImport, change state.StoreChange) (r state.Receipt, ok bool, err error) {
	change = change.Of(one.Import)
	if !change.Published {
		if change, err = publish.ChangeBefore(ctx, d.Store, owner, one.Import, change); err != nil {
			return r, false, err
		}
	}
	if r, ok, err = writeReceipt(ctx, d, &one, change); err != nil || !ok {
		return r, false, err
	}
	r.Store = change // of this time; the stored receipt keeps what the import changed when it was new
	lost := len(r.Extraction.Failed) > 0
	if lost && one.tag == "" {
		if one.stays, err = one.mayBeAskedFor(ctx, d.Store); err != nil {
			return r, false, err
		}
	}
	if err := cleanWork(ctx, d, one, lost); err != nil {
		return r, false, err
	}
	if one.reopened != "" || len(r.Extraction.Failed)+len(r.Healed) > 0 {
		if r.Next, err = nextRequest(ctx, d, one.Manifest); err != nil {
			return r, false, err
		}
	}
	d.Observe.Tell(telemetry.Event{Stage: telemetry.StageDone, Owner: owner, Drop: one.Drop, Import: one.Import, Change: &change})
	return r, true, nil
}

// mayBeAskedFor tells of an import that had no receipt before, and has one with failures now, whether its request may be one for
// which these are tried again: it came while the import was assembled, or a marker has changed since. Whoever found no receipt to
// name it in takes it for open, and its messages would end with it. It stays, and is the next one.
func (r *readyImport) mayBeAskedFor(ctx context.Context, s blob.Store) (bool, error) {
	if r.taken {
		return true, nil
	}
	same, err := r.lookAgain(ctx, s)
	return !same, err
}

// nextRequest gives the newest open request for the drop of an import that has ended, if it comes to that import; nil for none.
func nextRequest(ctx context.Context, d Deps, m state.Manifest) (*state.Request, error) {
	r, ok, err := requestOf(ctx, d.Store, m.Owner, m.Drop)
	if ok && err == nil {
		ok, err = d.ingest().ComesTo(m, r)
	}
	if fault.Of(err) == fault.Permanent {
		return nil, nil // whoever works on that request says what is wrong with it
	}
	if err != nil || !ok {
		return nil, err
	}
	return &r, nil
}

// cleanWork removes what led to a receipt. The markers of an import with losses stay: who tries its failed shards again need
// not extract the others.
func cleanWork(ctx context.Context, d Deps, one readyImport, losses bool) error {
	markers := state.WorkKey(one.Owner, one.Import, "markers/")
	for o, err := range d.Store.List(ctx, state.WorkKey(one.Owner, one.Import, "")) {
		if err != nil {
			return fmt.Errorf("clean work of import %s: %w", one.Import, err)
		}
		if losses && strings.HasPrefix(o.Key, markers) {
			continue
		}
		if err := d.Store.Delete(ctx, o.Key); err != nil {
			return fmt.Errorf("clean work of import %s: %w", one.Import, err)
		}
	}
	if !one.stays {
		if err := endRequest(ctx, d.Store, one.Owner, one.Drop, one.ask); err != nil {
			return err
		}
	}
	if one.reopened == "" {
		return nil
	}
	return endRequest(ctx, d.Store, one.Owner, one.Drop, one.reopened)
}
