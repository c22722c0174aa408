package pipeline

import (
	"context"
	"slices"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// Complete tells whether every shard of an import has its marker, and is not tried again. Fan-in is a comparison of sets, so that
// repeated and reordered messages change nothing: whoever writes or finds the last marker sees the sets equal.
func Complete(ctx context.Context, s blob.Store, m state.Manifest) (bool, error) {
	there, err := markedShards(ctx, s, m.Owner, m.Import)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(m.Shards, func(shard state.Shard) bool { return !there[shard.ID] }), nil
}

// fewShards is up to how many shards asking for each marker costs less than a list of them.
const fewShards = 4

// completeWith is Complete for who knows that one shard, "" for none, has its marker.
func completeWith(ctx context.Context, s blob.Store, m state.Manifest, known string) (bool, error) {
	if len(m.Shards) > fewShards {
		return Complete(ctx, s, m)
	}
	for _, shard := range m.Shards {
		if shard.ID == known {
			continue
		}
		if there, err := marked(ctx, s, m.Owner, m.Import, shard.ID); err != nil || !there {
			return false, err
		}
	}
	return true, nil
}

// readMarkers gives the markers of an import by shard id, as far as there are any, and tells whether a shard is tried again. Those
// that said ok when they were read before are not read again.
func readMarkers(ctx context.Context, s blob.Store, m state.Manifest, before map[string]state.Marker) (markers map[string]state.Marker, again bool, err error) {
	markers = map[string]state.Marker{}
	for _, shard := range m.Shards {
		mk := before[shard.ID]
		if mk.State == state.MarkerOK {
			markers[shard.ID] = mk
			continue
		}
		mk = state.Marker{}
		_, err := state.ReadJSON(ctx, s, state.MarkerKey(m.Owner, m.Import, shard.ID), &mk)
		switch {
		case state.IsMissing(err):
		case err != nil:
			return nil, false, err
		case mk.State == state.MarkerAgain:
			again = true
		default:
			markers[shard.ID] = mk
		}
	}
	return markers, again, nil
}
