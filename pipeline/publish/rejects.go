package publish

import (
	"context"
	"iter"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/state"
)

// Rejects are the candidates that the gates held back in an import, in the order of its shards.
func Rejects(ctx context.Context, store blob.Store, owner, id string) iter.Seq2[extract.Reject, error] {
	return func(yield func(extract.Reject, error) bool) {
		m, ok, err := state.ReadManifest(ctx, store, owner, id)
		if err != nil || !ok {
			if err != nil {
				yield(extract.Reject{}, err)
			}
			return
		}
		for _, shard := range m.Shards {
			key := state.RejectsKey(owner, id, shard.ID)
			for line, err := range state.ReadLines(ctx, store, key) {
				var r extract.Reject
				if err == nil {
					if r, err = extract.ParseReject(line); err != nil {
						err = state.Damaged(key, err)
					}
				}
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}
