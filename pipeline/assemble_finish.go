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
	out := make([]Receipt, len(ready))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(ioOverlap * d.Workers)
	for i, one := range ready {
		g.Go(func() (err error) {
			out[i], err = finishOne(gctx, d, owner, one, change)
			return err
		})
	}
	return out, g.Wait()
}

func finishOne(ctx context.Context, d Deps, owner string, one readyImport, change StoreChange) (Receipt, error) {
	if !change.Published {
		var err error
		if change, err = changeBefore(ctx, d, owner, one.Import, change); err != nil {
			return Receipt{}, err
		}
	}
	r, err := writeReceipt(ctx, d, one, change)
	if err != nil {
		return r, err
	}
	r.Store = change // of this time; the stored receipt keeps what the import changed when it was new
	if err := cleanWork(ctx, d, one, len(r.Extraction.Failed) > 0); err != nil {
		return r, err
	}
	d.Observe.tell(Event{Stage: StageDone, Owner: owner, Drop: one.Drop, Import: one.Import, Change: &change})
	return r, nil
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
	return endRequest(ctx, d.Store, one.Owner, one.Drop, one.ask)
}
