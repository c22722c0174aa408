package ingest

import (
	"context"
	"errors"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// SettleDrop writes the record of a drop that has just been hashed where it lies. A record that is there already is of the same
// content: it remembers this place, too, and names it first for parts that have gone from where it says, or have become something
// else. One that somebody else wrote, or that cannot be read, is replaced.
func SettleDrop(ctx context.Context, s blob.Store, rec state.DropRecord) error {
	key := state.DropKey(rec.Owner, rec.Drop, "drop.json")
	for {
		err := state.SwapJSON(ctx, s, key, "", rec)
		if !errors.Is(err, blob.ErrPrecondition) {
			return err
		}
		var before state.DropRecord
		tag, err := state.ReadJSON(ctx, s, key, &before)
		if state.IsMissing(err) {
			continue // removed in between
		}
		if err != nil && fault.Of(err) != fault.Permanent {
			return err
		}
		next := rec
		if err == nil && before.Check(rec.Owner, rec.Drop) == nil {
			var changed bool
			if next, changed, err = before.Joined(ctx, s, rec); err != nil || !changed {
				return err
			}
		}
		if err := state.SwapJSON(ctx, s, key, tag, next); !errors.Is(err, blob.ErrPrecondition) {
			return err
		}
	}
}

// InPlace tells whether all parts of a drop still lie, unchanged, at a place that its record names.
func InPlace(ctx context.Context, s blob.Store, rec state.DropRecord) (bool, error) {
	for _, p := range rec.Parts {
		there, err := p.InPlace(ctx, s)
		if err != nil || !there {
			return false, err
		}
	}
	return true, nil
}

// movedFrom is moved for a part that is pinned; of a copy of our own, whose pinned is "", nothing is told.
func movedFrom(pinned string, err error) error {
	if pinned == "" {
		return err
	}
	return state.Moved(pinned, err)
}

// Ours tells whether an object below a first-level folder of an inbox was put there by us: the record or a copied part of
// a drop. A folder of a person that happens to be named by 64 hex digits is a folder as any other, but for such names.
func Ours(folder, inner string) bool {
	if len(folder) != 64 || !state.HexForm.MatchString(folder) {
		return false
	}
	number, part := strings.CutPrefix(inner, "part-")
	return inner == "drop.json" || part && len(number) >= 3 && strings.Trim(number, "0123456789") == ""
}
