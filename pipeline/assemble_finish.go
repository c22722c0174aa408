package pipeline

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
)

// finish writes the receipts, which are final, and only then removes the work that led to them. change is what all of them
// changed together.
func finish(ctx context.Context, d Deps, owner string, ready []readyImport, change StoreChange) ([]Receipt, error) {
	done := make([]*Receipt, len(ready))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(ioOverlap * d.Workers)
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
	var out []Receipt
	for _, r := range done {
		if r != nil {
			out = append(out, *r)
		}
	}
	return out, err
}

// finishOne ends an import; ok is false when somebody has asked for it again meanwhile, so that it has not ended.
func finishOne(ctx context.Context, d Deps, owner string, one readyImport, change StoreChange) (r Receipt, ok bool, err error) {
	if !change.Published {
		if change, err = changeBefore(ctx, d, owner, one.Import, change); err != nil {
			return r, false, err
		}
	}
	if r, ok, err = writeReceipt(ctx, d, &one, change); err != nil || !ok {
		return r, false, err
	}
	r.Store = change // of this time; the stored receipt keeps what the import changed when it was new
	if err := cleanWork(ctx, d, one, len(r.Extraction.Failed) > 0); err != nil {
		return r, false, err
	}
	if one.reopened != "" || len(r.Extraction.Failed)+len(r.healed) > 0 {
		if r.next, err = nextRequest(ctx, d, one.Manifest); err != nil {
			return r, false, err
		}
	}
	d.Observe.tell(Event{Stage: StageDone, Owner: owner, Drop: one.Drop, Import: one.Import, Change: &change})
	return r, true, nil
}

// nextRequest gives the newest open request for the drop of an import that has ended, if it comes to that import; nil for none.
func nextRequest(ctx context.Context, d Deps, m Manifest) (*Request, error) {
	r, ok, err := requestOf(ctx, d.Store, m.Owner, m.Drop)
	if ok && err == nil {
		ok, err = d.comesTo(m, r)
	}
	if ClassOf(err) == Permanent {
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
	markers := workKey(one.Owner, one.Import, "markers/")
	for o, err := range d.Store.List(ctx, workKey(one.Owner, one.Import, "")) {
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
	if err := endRequest(ctx, d.Store, one.Owner, one.Drop, one.ask); err != nil || one.reopened == "" {
		return err
	}
	return endRequest(ctx, d.Store, one.Owner, one.Drop, one.reopened)
}
