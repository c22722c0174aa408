package pipeline

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// wanted tells whether the work that a message asks for on behalf of a request is wanted still, and on whose behalf: that of
// the request while it is the newest open one for the drop, else that of the newest, if same says that it asks for the same
// import; older ones are removed then. What no request is named for, "", was not asked for by a message and is always wanted.
func wanted(ctx context.Context, d Deps, owner, drop, ask string, same func(state.Request) (bool, error)) (now string, ok bool, err error) {
	if ask == "" {
		return ask, true, nil
	}
	open, err := openAsks(ctx, d.Store, owner, drop)
	if err != nil || len(open) == 0 {
		return ask, false, err
	}
	newest, err := supersede(ctx, d.Store, open)
	if err != nil {
		return ask, false, err
	}
	if ok, err = newest.is(ctx, d.Store, ask); err != nil || ok {
		return ask, ok, err
	}
	r, ok, err := stillOpen(ctx, d.Store, newest)
	if ok && err == nil {
		ok, err = same(r)
	}
	if fault.Of(err) == fault.Permanent {
		return ask, false, nil // whoever works on that request says what is wrong with it
	}
	if err != nil || !ok {
		return ask, false, err
	}
	return r.Name(), true, nil
}

// wantedShard is wanted for a shard, whose candidates follow from its content, so that one done too many does no harm: while its
// request is open no other is looked for, and before the drop has been read to its end, when it cannot be told for sure what a
// newer request makes of it, it is done if it may be of use.
func (w *Worker) wantedShard(ctx context.Context, t state.ExtractTask) (bool, error) {
	if t.Ask != "" {
		if open, err := asked(ctx, w.Store, t.Owner, t.Drop, t.Ask); err != nil || open {
			return open, err
		}
	}
	_, ok, err := wanted(ctx, w.Deps, t.Owner, t.Drop, t.Ask, func(r state.Request) (bool, error) { return w.Deps.ingest().MayRead(t.Import, t.Importers, r) })
	return ok, err
}

// wantedImport is wanted for an import that was read.
func wantedImport(ctx context.Context, d Deps, m state.Manifest, ask string) (now string, ok bool, err error) {
	return wanted(ctx, d, m.Owner, m.Drop, ask, func(r state.Request) (bool, error) { return d.ingest().ComesTo(m, r) })
}

// wantedImports leaves those that are still asked for, and those that are what the input set has of their drops: it is
// nobody's loss to assemble these again, and they may have no receipt yet. They keep the request of their message: a newer one may
// have come for shards to be tried again that this assembly is without, and is not to be ended by it. inputs must have been read
// from the head that will be swapped, before this looks.
func wantedImports(ctx context.Context, d Deps, inputs state.Inputs, ready []readyImport) (out []readyImport, err error) {
	keep := make([]bool, len(ready))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(publish.IOOverlap * d.Workers)
	for i, one := range ready {
		if keep[i] = inputs.Drops[one.Drop] == one.Import; keep[i] {
			continue
		}
		g.Go(func() (err error) {
			ready[i].ask, keep[i], err = wantedImport(gctx, d, one.Manifest, one.ask)
			ready[i].taken = one.taken || ready[i].ask != one.ask
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, one := range ready {
		if keep[i] {
			out = append(out, one)
		}
	}
	return out, nil
}
