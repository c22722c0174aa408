package pipeline

import (
	"context"
	"errors"

	"github.com/pamline/pamline/blob"
)

// writeReceipt gives an import that was taken in its receipt, unless somebody else has. One that says the import failed is replaced,
// and so is one that calls shards failed which the store has now.
func writeReceipt(ctx context.Context, d Deps, one readyImport, change StoreChange) (r Receipt, err error) {
	key := receiptKey(one.Owner, one.Import)
	for {
		var before Receipt
		tag, err := readJSON(ctx, d.Store, key, &before)
		if err != nil && !isMissing(err) {
			return before, err
		}
		if err == nil && before.State != StateFailed && one.says(before) {
			return before, nil
		}
		if one.markers == nil { // somebody removed the receipt meanwhile
			if one.markers, err = readMarkers(ctx, d.Store, one.Manifest, nil); err != nil {
				return before, err
			}
		}
		if r, err = receiptOf(ctx, d, one.Manifest, one.markers); err != nil {
			return r, err
		}
		r.Store = change
		for _, f := range before.Extraction.Failed {
			if !r.lacks(f.Shard) {
				r.healed = append(r.healed, f.Shard)
			}
		}
		if err := swapJSON(ctx, d.Store, key, tag, r); !errors.Is(err, blob.ErrPrecondition) {
			if err == nil {
				d.Metrics.imported(r.State)
			}
			return r, err
		}
	}
}
