package pipeline

import (
	"context"
	"errors"
	"maps"
	"reflect"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// writeReceipt gives an import that was taken in its receipt, unless somebody else has. One that says the import failed is replaced,
// and so is one that calls shards failed which the store has now, or that was reopened before the markers were read. ok is false
// when a shard is tried again since, or has another end by now: whoever sees to that asks for the import to be assembled once more.
func writeReceipt(ctx context.Context, d Deps, one *readyImport, change state.StoreChange) (r state.Receipt, ok bool, err error) {
	key := state.ReceiptKey(one.Owner, one.Import)
	for {
		var before state.Receipt
		tag, err := state.ReadJSON(ctx, d.Store, key, &before)
		if err != nil && !state.IsMissing(err) {
			return before, false, err
		}
		there := err == nil
		if there && before.Ended() && before.State != state.StateFailed && one.says(before) {
			return before, true, nil
		}
		if tag != one.tag {
			if same, err := one.lookAgain(ctx, d.Store); err != nil {
				return before, false, err
			} else if !same {
				o, err := d.Store.Head(ctx, key)
				if err == nil && o.ETag != tag {
					continue // it has ended meanwhile, and its markers have gone
				}
				return before, false, err
			}
			one.tag, one.reopened = tag, before.Reopened
		}
		if r, err = receiptOf(ctx, d, one.Manifest, one.markers); err != nil {
			return r, false, err
		}
		r.Store = change
		for _, f := range before.Extraction.Failed {
			if !r.Lacks(f.Shard) {
				r.Healed = append(r.Healed, f.Shard)
			}
		}
		err = state.SwapJSON(ctx, d.Store, key, tag, r)
		if errors.Is(err, blob.ErrPrecondition) {
			continue
		}
		if err != nil {
			return r, false, err
		}
		d.Metrics.Imported(r.State)
		return r, true, nil
	}
}

// lookAgain reads the markers once more, for somebody has changed the receipt since they were read, and tells whether they still say
// what the store was computed by.
func (r *readyImport) lookAgain(ctx context.Context, s blob.Store) (same bool, err error) {
	markers, again, err := readMarkers(ctx, s, r.Manifest, nil)
	if err != nil || again {
		return false, err
	}
	return r.markers != nil && maps.EqualFunc(markers, r.markers, func(a, b state.Marker) bool {
		return a.State == b.State && (a.State != state.MarkerOK || reflect.DeepEqual(a, b))
	}), nil
}
