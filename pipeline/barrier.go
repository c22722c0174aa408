package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/blob"
)

func isMissing(err error) bool { return errors.Is(err, blob.ErrNotExist) }

// Complete tells whether every shard of an import has its marker. Fan-in is a comparison of sets, so that repeated and
// reordered messages change nothing: whoever writes or finds the last marker sees the sets equal.
func Complete(ctx context.Context, s blob.Store, m Manifest) (bool, error) {
	missing := map[string]bool{}
	for _, shard := range m.Shards {
		missing[shard.ID] = true
	}
	prefix := workKey(m.Owner, m.Import, "markers/")
	for o, err := range s.List(ctx, prefix) {
		if err != nil {
			return false, fmt.Errorf("list markers: %w", err)
		}
		delete(missing, strings.TrimSuffix(strings.TrimPrefix(o.Key, prefix), ".json"))
	}
	return len(missing) == 0, nil
}

// fewShards is up to how many shards asking for each marker costs less than a list of them.
const fewShards = 4

// completeWith is Complete for who knows that one shard, "" for none, has its marker.
func completeWith(ctx context.Context, s blob.Store, m Manifest, marked string) (bool, error) {
	if len(m.Shards) > fewShards {
		return Complete(ctx, s, m)
	}
	for _, shard := range m.Shards {
		if shard.ID == marked {
			continue
		}
		if there, err := exists(ctx, s, markerKey(m.Owner, m.Import, shard.ID)); err != nil || !there {
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

// readMarkers gives the markers of an import by shard id. Those that said ok when they were read before are not read again.
func readMarkers(ctx context.Context, s blob.Store, m Manifest, before map[string]Marker) (map[string]Marker, error) {
	out := map[string]Marker{}
	for _, shard := range m.Shards {
		mk := before[shard.ID]
		if mk.State == MarkerOK {
			out[shard.ID] = mk
			continue
		}
		mk = Marker{}
		if _, err := readJSON(ctx, s, markerKey(m.Owner, m.Import, shard.ID), &mk); err != nil {
			return nil, err
		}
		out[shard.ID] = mk
	}
	return out, nil
}
