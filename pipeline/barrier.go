package pipeline

import (
	"context"
	"errors"
	"slices"

	"github.com/pamline/pamline/blob"
)

func isMissing(err error) bool { return errors.Is(err, blob.ErrNotExist) }

// Complete tells whether every shard of an import has its marker, and is not tried again. Fan-in is a comparison of sets, so that
// repeated and reordered messages change nothing: whoever writes or finds the last marker sees the sets equal.
func Complete(ctx context.Context, s blob.Store, m Manifest) (bool, error) {
	there, err := markedShards(ctx, s, m.Owner, m.Import)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(m.Shards, func(shard Shard) bool { return !there[shard.ID] }), nil
}

// fewShards is up to how many shards asking for each marker costs less than a list of them.
const fewShards = 4

// completeWith is Complete for who knows that one shard, "" for none, has its marker.
func completeWith(ctx context.Context, s blob.Store, m Manifest, known string) (bool, error) {
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

// readManifest gives the manifest of an import; ok is false while ingest has not ended.
func readManifest(ctx context.Context, s blob.Store, owner, id string) (m Manifest, ok bool, err error) {
	_, err = readJSON(ctx, s, manifestKey(owner, id), &m)
	if isMissing(err) {
		return m, false, nil
	}
	return m, err == nil, err
}

// readMarkers gives the markers of an import by shard id, as far as there are any, and tells whether a shard is tried again. Those
// that said ok when they were read before are not read again.
func readMarkers(ctx context.Context, s blob.Store, m Manifest, before map[string]Marker) (markers map[string]Marker, again bool, err error) {
	markers = map[string]Marker{}
	for _, shard := range m.Shards {
		mk := before[shard.ID]
		if mk.State == MarkerOK {
			markers[shard.ID] = mk
			continue
		}
		mk = Marker{}
		_, err := readJSON(ctx, s, markerKey(m.Owner, m.Import, shard.ID), &mk)
		switch {
		case isMissing(err):
		case err != nil:
			return nil, false, err
		case mk.State == MarkerAgain:
			again = true
		default:
			markers[shard.ID] = mk
		}
	}
	return markers, again, nil
}
