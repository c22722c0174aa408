package inbox

import (
	"context"
	"errors"
	"slices"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// recordDrop writes the record of a drop that has just been hashed where it lies. If there is a
// record, it is of the same content, and gets this place as a further one. A record that somebody
// else wrote, or that cannot be read, is replaced.
func recordDrop(ctx context.Context, s blob.Store, rec state.DropRecord) error {
	key := state.DropKey(rec.Owner, rec.Drop, "drop.json")
	for {
		err := objects.SwapJSON(ctx, s, key, "", rec)
		if !errors.Is(err, blob.ErrPrecondition) {
			return err
		}
		var before state.DropRecord
		tag, err := objects.ReadJSON(ctx, s, key, &before)
		if objects.IsMissing(err) {
			continue // removed in between
		}
		if err != nil && fault.Of(err) != fault.Permanent {
			return err
		}
		next := rec
		if err == nil && before.Check(rec.Owner, rec.Drop) == nil {
			var changed bool
			if next, changed, err = addPlaces(ctx, s, before, rec); err != nil || !changed {
				return err
			}
		}
		if err := objects.SwapJSON(ctx, s, key, tag, next); !errors.Is(err, blob.ErrPrecondition) {
			return err
		}
	}
}

// addPlaces adds the places of a drop's parts to its record; changed is false if the record has
// them.
func addPlaces(ctx context.Context, s blob.Store, before, here state.DropRecord) (next state.DropRecord, changed bool, err error) {
	next = before
	next.Parts = slices.Clone(before.Parts)
	for i, p := range before.Parts { // both are in the order of their digests
		if next.Parts[i], err = p.AddPlace(ctx, s, here.Parts[i]); err != nil {
			return before, false, err
		}
		changed = changed || !slices.EqualFunc(next.Parts[i].Also, p.Also, state.DropPart.IsAt) || !next.Parts[i].IsAt(p)
	}
	return next, changed, nil
}
