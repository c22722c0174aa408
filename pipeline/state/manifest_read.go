package state

import (
	"context"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
)

// ReadManifest gives the manifest of an import; ok is false while ingest has not ended.
func ReadManifest(ctx context.Context, s blob.Store, owner, id string) (m Manifest, ok bool, err error) {
	_, err = ReadJSON(ctx, s, ManifestKey(owner, id), &m)
	if IsMissing(err) {
		return m, false, nil
	}
	return m, err == nil, err
}

// ReadShards gives the shards of the manifest of an import, in the order of their packs. A manifest
// that is missing or cannot be decoded is a fault of class Permanent: whoever names an import has
// found its manifest before.
func ReadShards(ctx context.Context, s blob.Store, owner, id string) ([]Shard, error) {
	m, ok, err := ReadManifest(ctx, s, owner, id)
	if err == nil && !ok {
		err = fault.Permanentf("restore the object from a backup, or import the drop again", "read manifest of import %s: it is missing", id)
	}
	return m.Shards, err
}
