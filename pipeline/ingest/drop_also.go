package ingest

import (
	"context"
	"errors"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// elsewhere looks for a drop whose reading ended with cause, because a part is no longer where it lay: the same bytes may lie
// at another place, of which the record knows. found: the drop is to be read as now says. The place that was lost is no longer
// in the record, so that this ends.
func elsewhere(ctx context.Context, s blob.Store, read state.DropRecord, cause error) (now state.DropRecord, found bool, err error) {
	var lost *state.MovedError
	if !errors.As(cause, &lost) && !state.IsMissing(cause) {
		return read, false, nil
	}
	key := state.DropKey(read.Owner, read.Drop, "drop.json")
	for {
		var now state.DropRecord
		tag, err := state.ReadJSON(ctx, s, key, &now)
		if state.IsMissing(err) || err == nil && now.Check(read.Owner, read.Drop) != nil {
			return read, false, nil
		}
		if err != nil {
			return read, false, err
		}
		found, changed := false, false
		for i, p := range now.Parts {
			if !p.At(read.Parts[i]) {
				found = true // somebody else was here
				continue
			}
			if gone, err := p.LostWith(ctx, s, lost); err != nil {
				return read, false, err
			} else if !gone {
				continue
			}
			if now.Parts[i], found, err = p.Other(ctx, s); err != nil || !found {
				return read, false, err
			}
			changed = true
		}
		if !changed {
			return now, found, nil
		}
		if err := state.SwapJSON(ctx, s, key, tag, now); !errors.Is(err, blob.ErrPrecondition) {
			return now, err == nil, err
		}
	}
}
