package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// openInputs reads the manifests and edits of a round's input set.
func openInputs(ctx context.Context, o Options, r Round) (*inputs, error) {
	accepted, past := importsOf(r.Inputs)
	in := &inputs{Options: o, owner: r.Owner, set: r.Inputs, prior: r.Prior,
		accepted: make([]state.Manifest, len(accepted)), past: make([]state.Manifest, len(past)), edits: make([]assemble.Edit, r.Inputs.Edits),
		vectors: map[string]string{}}
	manifests, edits := make([]string, len(accepted)+len(past)), make([]string, r.Inputs.Edits)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(IOOverlap * max(o.Workers, 1))
	for i, id := range accepted {
		g.Go(func() error { return in.readManifest(gctx, id, &in.accepted[i], &manifests[i]) })
	}
	for i, id := range past {
		g.Go(func() error { return in.readManifest(gctx, id, &in.past[i], &manifests[len(accepted)+i]) })
	}
	for i := range in.edits {
		g.Go(func() error { return in.readEdit(gctx, i+1, &in.edits[i], &edits[i]) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, id := range slices.Concat(accepted, past) {
		in.set.SetManifest(id, manifests[i])
	}
	for i, digest := range edits {
		in.set.SetResult(state.OwnerJob, strconv.Itoa(i+1), digest)
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

func (in *inputs) readManifest(ctx context.Context, id string, into *state.Manifest, digest *string) (err error) {
	*into, *digest, err = state.ReadManifestOf(ctx, in.Store, in.owner, id, in.set.Contents[id].Manifest)
	return objects.Lost(state.ManifestKey(in.owner, id), err)
}

// readEdit reads one of the person's changes, which is written once and never removed.
func (in *inputs) readEdit(ctx context.Context, n int, into *assemble.Edit, digest *string) (err error) {
	key := state.EditKey(in.owner, n)
	*digest, err = objects.ReadJSONOf(ctx, in.Store, key, in.set.Contents[state.OwnerJob].Results[strconv.Itoa(n)], into)
	if errors.Is(err, objects.ErrDamaged) { // what an erasure has left in its place is none
		sum, unread := objects.ReadJSONOf(ctx, in.Store, key, "", into)
		if unread == nil && into.Action == assemble.EditErased {
			*digest, err = sum, nil
		}
	}
	if err != nil {
		return fmt.Errorf("read edits of %s: %w", in.owner, objects.Lost(key, err))
	}
	return nil
}
