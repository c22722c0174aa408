package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// openInputs reads the manifests and edits of a round's input set.
func openInputs(ctx context.Context, o Options, r Round) (*inputs, error) {
	accepted, past := importsOf(r.Inputs)
	in := &inputs{Options: o, owner: r.Owner, set: r.Inputs, prior: r.Prior,
		accepted: make([]state.Manifest, len(accepted)), past: make([]state.Manifest, len(past)), edits: make([]assemble.Edit, r.Inputs.Edits)}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(IOOverlap * max(o.Workers, 1))
	for i, id := range accepted {
		g.Go(func() error { return in.readManifest(gctx, id, &in.accepted[i]) })
	}
	for i, id := range past {
		g.Go(func() error { return in.readManifest(gctx, id, &in.past[i]) })
	}
	for i := range in.edits {
		g.Go(func() error { return readEdit(gctx, o.Store, r.Owner, i+1, &in.edits[i]) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, m := range in.accepted {
		if slices.Contains(r.Accepted, m.Import) {
			in.expected += m.Counts.Conversations
		}
	}
	return in, nil
}

// importsOf gives the imports of an input set, ascending: those of the entries, and the past ones
// that are of no entry.
func importsOf(set state.Inputs) (accepted, past []string) {
	have := map[string]bool{"": true}
	for _, e := range set.Drops {
		if !have[e.Import] {
			have[e.Import] = true
			accepted = append(accepted, e.Import)
		}
	}
	for _, drop := range slices.Sorted(maps.Keys(set.Past)) {
		for _, id := range set.Past[drop] {
			if !have[id] {
				have[id] = true
				past = append(past, id)
			}
		}
	}
	slices.Sort(accepted)
	slices.Sort(past)
	return accepted, past
}

func (in *inputs) readManifest(ctx context.Context, id string, into *state.Manifest) error {
	m, ok, err := state.ReadManifest(ctx, in.Store, in.owner, id)
	if err == nil && !ok {
		err = fault.Permanentf(state.UnusableHint(state.ManifestKey(in.owner, id)), "read input set of %s: import %s has no manifest", in.owner, id)
	}
	*into = m
	return err
}

// readEdit reads one of the person's changes, which is written once and never removed.
func readEdit(ctx context.Context, s blob.Store, owner string, n int, into *assemble.Edit) error {
	key := state.EditKey(owner, n)
	if _, err := state.ReadJSON(ctx, s, key, into); err != nil {
		return fmt.Errorf("read edits of %s: %w", owner, state.Lost(key, err))
	}
	return nil
}
