package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/membudget"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"
)

// IOOverlap is how many conversations are read and written for each worker at a time: most of that is waiting for storage.
const IOOverlap = 2

// AssembleFrom is assembleOnce from a head that was read, with its input set.
func AssembleFrom(ctx context.Context, d Options, owner string, head state.Head, tag string, inputs state.Inputs, ready []state.Manifest) (state.StoreChange, error) {
	inputs.Drops = maps.Clone(inputs.Drops)
	inputs.Past = slices.Clone(inputs.Past)
	for _, m := range ready {
		inputs.Accept(m.Drop, m.Import)
	}
	in, err := openInputs(ctx, d, owner, head, &inputs, ready)
	if err != nil {
		return state.StoreChange{}, err
	}
	defer in.gathered.Close()
	assembling, assembled := telemetry.StartSpan(ctx, d.Tracer, "assemble store")
	res, err := assemble.Assemble(assembling, in, in, assemble.Options{
		Scratch: d.Scratch, Budget: d.SortBudget, Workers: IOOverlap * d.Workers, BatchBytes: 4 << 20, InFlight: int64(d.Workers) * membudget.InFlight, Imports: importsOf(ready),
	})
	assembled(err)
	if err != nil {
		return state.StoreChange{}, fmt.Errorf("assemble store of %s: %w", owner, err)
	}
	defer func() {
		if err := res.Close(); err != nil {
			d.Log.Warn("remove scratch files failed", zap.Error(err))
		}
	}()
	// Before the swap: who loses the race for the head reads the same again.
	if err := in.gathered.keep(ctx); err != nil {
		return state.StoreChange{}, err
	}
	change := state.StoreChange{Memories: res.Memories.Count, Conversations: res.Index.Count, Stats: &res.Stats, PerImport: res.Imports, ExportID: head.ExportID}
	publishing, published := telemetry.StartSpan(ctx, d.Tracer, "publish export")
	next, drawn, err := nextHead(publishing, d, owner, workOf(ready), head, inputs, res)
	published(err)
	if err != nil {
		return change, err
	}
	if next == head {
		return change, nil
	}
	change.ExportID, change.Published = next.ExportID, next.ExportID != head.ExportID
	if change.Published {
		if head.ExportID == "" {
			change.Changes = &state.MemoryChanges{Added: res.Memories.Count}
		} else if change.Changes, err = memoryChanges(ctx, d.Store, owner, head.ExportID, next.ExportID); err != nil {
			return change, err
		}
	}
	if err := recordChange(ctx, d, ready, change); err != nil {
		return change, err
	}
	err = telemetry.RunStep(ctx, d.Tracer, "swap head", func(ctx context.Context) error { return state.SwapJSON(ctx, d.Store, state.HeadKey(owner), tag, next) })
	if errors.Is(err, blob.ErrPrecondition) {
		d.Metrics.Conflict()
		return change, err // its export stays: a racer with the same input set may have published it
	}
	if err != nil {
		return change, err
	}
	if change.Published {
		d.Metrics.Exported()
	}
	if drawn != "" {
		if err := d.Store.Delete(ctx, drawn); err != nil {
			return change, err
		}
	}
	if !change.Published {
		return change, nil // the copy is still that of the export
	}
	return change, keepCopy(ctx, d.Store, owner, next)
}

// importsOf are the ids of imports.
func importsOf(ready []state.Manifest) []string {
	var out []string
	for _, m := range ready {
		out = append(out, m.Import)
	}
	return out
}

// workOf names the folder under work/ that the moment of publishing is recorded in.
func workOf(ready []state.Manifest) string {
	if len(ready) == 0 {
		return "edits"
	}
	least := ready[0].Import
	for _, r := range ready {
		least = min(least, r.Import)
	}
	return least
}

// openInputs reads the manifests of an input set and the person's changes, and records in the set which these are.
// The caller closes what it has gathered.
func openInputs(ctx context.Context, d Options, owner string, head state.Head, inputs *state.Inputs, ready []state.Manifest) (_ *Stored, err error) {
	g, err := OpenGathered(ctx, d, owner, len(inputs.Drops)+len(inputs.Past))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			g.Close()
		}
	}()
	d.Store = g
	in := &Stored{Options: d, gathered: g, Owner: owner, Head: head, Imports: map[string]state.Manifest{}, lost: inputs.Lost}
	known := map[string]state.Manifest{}
	for _, r := range ready {
		known[r.Import] = r
		in.expected += r.Counts.Conversations
	}
	accepted := slices.Sorted(maps.Values(inputs.Drops))
	ids := slices.Concat(accepted, inputs.Past)
	manifests := make([]state.Manifest, len(ids))
	reading, gctx := errgroup.WithContext(ctx)
	reading.SetLimit(IOOverlap * d.Workers)
	for i, id := range ids {
		if m, ok := known[id]; ok {
			manifests[i] = m
			continue
		}
		reading.Go(func() error {
			m, ok, err := state.ReadManifest(gctx, d.Store, owner, id)
			if err == nil && !ok {
				err = fault.Permanentf("restore the object from a backup, or import the drop again", "read input set of %s: import %s has no manifest", owner, id)
			}
			manifests[i] = m
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	for i, m := range manifests {
		if i < len(accepted) {
			in.Imports[m.Import] = m
		} else {
			in.past = append(in.past, m)
		}
	}
	in.edits, inputs.Edits, err = ReadEdits(ctx, d.Store, owner)
	return in, err
}
