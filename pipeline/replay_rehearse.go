package pipeline

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/state"
)

// Rehearsal is what a request would come to.
type Rehearsal struct {
	Receipt state.Receipt
	// Before and After are the owner's exports; equal when nothing would be published.
	Before, After string
}

// Rehearse takes a request through the three stages, one after the other, with no queue: d.Store is an [Overlay]. A drop that
// would be refused gives a refusal as its receipt. Nobody tries again: only what storage or the machine does not let
// happen is an error.
func Rehearse(ctx context.Context, d Deps, r state.Request) (Rehearsal, error) {
	if err := state.FirstError(d.Check(), r.Check()); err != nil {
		return Rehearsal{}, err
	}
	d.Store = state.ClassedStore{Store: d.Store}
	head, _, err := state.ReadHead(ctx, d.Store, r.Owner)
	if err != nil {
		return Rehearsal{}, err
	}
	out := Rehearsal{Before: head.ExportID, After: head.ExportID}
	// The clocks of the overlay and of what lies below it are two: nothing of the latter may look newer than r.
	open, err := openAsks(ctx, d.Store, r.Owner, r.Drop)
	if err != nil {
		return Rehearsal{}, err
	}
	for _, other := range open {
		if err := d.Store.Delete(ctx, other.key); err != nil {
			return Rehearsal{}, err
		}
	}
	if err := r.Record(ctx, d.Store); err != nil {
		return Rehearsal{}, err
	}
	var m state.Manifest
	err = fault.Recovered("rehearse", func() (err error) {
		m, err = ingest.Ingest(ctx, d.ingest(), r, func(state.Manifest, state.Shard) error { return nil })
		return err
	})
	if err != nil {
		if ctx.Err() != nil || fault.Of(err) == fault.Outage {
			return out, err
		}
		rec, bad := state.ReadDrop(ctx, d.Store, r.Owner, r.Drop)
		if bad != nil && fault.Of(bad) != fault.Permanent {
			return out, bad
		}
		out.Receipt = refusal(d, r, rec, err)
		return out, endRequest(ctx, d.Store, r.Owner, r.Drop, r.Name())
	}
	before, ended, err := state.ReadReceipt(ctx, d.Store, m.Owner, m.Import)
	if err != nil {
		return out, err
	}
	if ended {
		change, nothing, err := settled(ctx, d, m, before, r.Name(), true)
		if err != nil {
			return out, err
		}
		if nothing {
			out.Receipt, out.Receipt.Store = before, change
			return out, nil
		}
	}
	if err := rehearseExtract(ctx, d, m, r.Name()); err != nil {
		return out, err
	}
	rs, err := Assemble(ctx, d, m.Owner, []AssembleTask{{V: state.MessageVersion, Owner: m.Owner, Drop: m.Drop, Import: m.Import, Again: true, Ask: r.Name()}})
	if err == nil && len(rs) != 1 {
		err = errors.New("assemble: shards are missing")
	}
	if err != nil {
		return out, fmt.Errorf("rehearse import %s: %w", m.Import, err)
	}
	out.Receipt, out.After = rs[0], rs[0].Store.ExportID
	return out, nil
}

// rehearseExtract does the shards that have no marker yet, and those that an import had ended without. The markers of one that was
// given up may have been swept.
func rehearseExtract(ctx context.Context, d Deps, m state.Manifest, ask string) error {
	before, final, err := state.ReadReceipt(ctx, d.Store, m.Owner, m.Import)
	if err != nil || final && before.Whole() {
		return err
	}
	if final {
		if _, err := takeAllBack(ctx, d.Store, m, ask); err != nil {
			return err
		}
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(d.Workers)
	for _, s := range m.Shards {
		g.Go(func() error {
			t := state.ExtractTask{V: state.MessageVersion, Owner: m.Owner, Drop: m.Drop, Import: m.Import, Pack: s.Pack, Shard: s.ID, Extractors: m.Extractors, Importers: m.Importers, Lane: m.Lane, Ask: ask}
			if done, err := marked(gctx, d.Store, t.Owner, t.Import, t.Shard); err != nil || done {
				return err
			}
			err := fault.Recovered("rehearse", func() error {
				_, err := extraction.Extract(gctx, d.extraction(), t)
				return err
			})
			if err == nil || gctx.Err() != nil || fault.Of(err) == fault.Outage {
				return err
			}
			return state.PutJSON(gctx, d.Store, state.MarkerKey(t.Owner, t.Import, t.Shard), state.Marker{V: 1, Shard: t.Shard, State: state.MarkerFailed, Reason: err.Error()})
		})
	}
	return g.Wait()
}

// Forget removes the export that a rehearsal found from the overlay, once it has been compared: an owner with many drops
// would else leave as many stores in the scratch folder.
func (r Rehearsal) Forget(ctx context.Context, d Deps) error {
	if r.Before == r.After || r.Before == "" {
		return nil
	}
	for _, suffix := range []string{".json", ".fold.zst", ".embeddings.json"} {
		if err := d.Store.Delete(ctx, state.ExportKey(r.Receipt.Owner, r.Before, suffix)); err != nil {
			return fmt.Errorf("forget export of the dry run: %w", err)
		}
	}
	return nil
}
