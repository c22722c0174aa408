package pipeline

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// changeKey is where an import records what it is about to change. It lies with the rest of its work, and goes with it.
func changeKey(owner, work string) string { return workKey(owner, work, "change.json") }

// recordChange writes what is going to change before the head is swapped: after the swap it could no more be told, and a
// crash before the receipt would lose it. Every import that is assembled has it, for after a crash they may be assembled in
// other company. Changes by hand have no receipt.
func recordChange(ctx context.Context, d Deps, owner string, ready []readyImport, c StoreChange) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(ioOverlap * d.Workers)
	for _, r := range ready {
		g.Go(func() error { return putJSON(gctx, d.Store, changeKey(owner, r.Import), c) })
	}
	return g.Wait()
}

// changeBefore gives what an import changed, when the head has it already: what an earlier run recorded that swapped the
// head and got no further, else nothing, which is what now says.
func changeBefore(ctx context.Context, d Deps, owner, id string, now StoreChange) (StoreChange, error) {
	var before StoreChange
	_, err := readJSON(ctx, d.Store, changeKey(owner, id), &before)
	if isMissing(err) {
		return now, nil
	}
	return before, err
}
