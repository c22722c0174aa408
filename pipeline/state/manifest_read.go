package state

import (
	"context"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
)

// ReadManifest gives the manifest of an import; ok is false while ingest has not ended.
func ReadManifest(ctx context.Context, s blob.Store, owner, id string) (m Manifest, ok bool, err error) {
	m, _, err = ReadManifestOf(ctx, s, owner, id, "")
	if objects.IsMissing(err) && fault.Of(err) != fault.Permanent {
		return m, false, nil
	}
	return m, err == nil, err
}

// ReadManifestOf gives a manifest and its digest. If the digest is known, a missing manifest or one
// of other content is a fault of class Permanent.
func ReadManifestOf(ctx context.Context, s blob.Store, owner, id, digest string) (m Manifest, sum string, err error) {
	key := ManifestKey(owner, id)
	if sum, err = objects.ReadJSONOf(ctx, s, key, digest, &m); digest != "" {
		err = objects.Lost(key, err)
	}
	return m, sum, err
}

// EncodeManifest gives a manifest in the form in which it is stored.
func EncodeManifest(m Manifest) ([]byte, error) {
	return objects.EncodeSealed(ManifestKey(m.Owner, m.Import), m)
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
