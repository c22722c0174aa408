package state

import (
	"context"

	"github.com/pamline/pamline/blob"
)

// ReadManifest gives the manifest of an import; ok is false while ingest has not ended.
func ReadManifest(ctx context.Context, s blob.Store, owner, id string) (m Manifest, ok bool, err error) {
	_, err = ReadJSON(ctx, s, ManifestKey(owner, id), &m)
	if IsMissing(err) {
		return m, false, nil
	}
	return m, err == nil, err
}
