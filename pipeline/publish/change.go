package publish

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// changeKey is where an import records what it is about to change. It lies with the rest of its work, and goes with it.
func changeKey(owner, work string) string { return state.WorkKey(owner, work, "change.json") }

// recordChange writes what is going to change before the head is swapped: after the swap it could no more be told, and a
// crash before the receipt would lose it. Every import that is assembled has it, for after a crash they may be assembled in
// other company. Changes by hand have no receipt.
func recordChange(ctx context.Context, d Options, ready []state.Manifest, c state.StoreChange) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(IOOverlap * d.Workers)
	for _, r := range ready {
		g.Go(func() error { return state.PutJSON(gctx, d.Store, changeKey(r.Owner, r.Import), c.Of(r.Import)) })
	}
	return g.Wait()
}

// ChangeBefore gives what an import changed, when the head has it already: what an earlier run recorded that swapped the
// head and got no further, else nothing, which is what now says.
func ChangeBefore(ctx context.Context, s blob.Store, owner, id string, now state.StoreChange) (state.StoreChange, error) {
	var before state.StoreChange
	_, err := state.ReadJSON(ctx, s, changeKey(owner, id), &before)
	if state.IsMissing(err) {
		return now, nil
	}
	return before, err
}
