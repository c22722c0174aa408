package publish

import (
	"context"
	"iter"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Rejects gives the candidates that the gate held back in an import, in the order of its shards:
// those of the results that the owner's input set names, else of the complete ones.
func Rejects(ctx context.Context, s blob.Store, owner, id string) iter.Seq2[extract.Reject, error] {
	return func(yield func(extract.Reject, error) bool) {
		m, ok, err := state.ReadManifest(ctx, s, owner, id)
		if err != nil || !ok {
			if err != nil {
				yield(extract.Reject{}, err)
			}
			return
		}
		head, _, err := state.ReadHead(ctx, s, owner)
		var in state.Inputs
		if err == nil {
			in, err = state.ReadInputs(ctx, s, owner, head)
		}
		if err != nil {
			yield(extract.Reject{}, err)
			return
		}
		for _, shard := range m.Shards {
			if r := in.ResultOf(m, shard); r != nil && !yieldRejects(ctx, s, m, r.Key, yield) {
				return
			}
		}
	}
}

func yieldRejects(ctx context.Context, s blob.Store, m state.Manifest, result string, yield func(extract.Reject, error) bool) bool {
	h, err := state.ReadResultHeader(ctx, s, result)
	switch {
	case objects.IsMissing(err):
		return true // it is not extracted yet
	case err != nil:
		return yield(extract.Reject{}, err)
	case h.Rejects == "":
		return true
	}
	key := state.RejectsKey(m.Owner, m.Import, h.Rejects)
	for line, err := range objects.ReadLines(ctx, s, key) {
		var r extract.Reject
		if err == nil {
			if r, err = extract.ParseReject(line); err != nil {
				err = objects.Damaged(key, err)
			}
		}
		if !yield(r, err) || err != nil {
			return false
		}
	}
	return true
}
