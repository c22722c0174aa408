// Package receipt makes the reports of imports that have ended, from what is in storage: the
// receipt of an accepted generation, which is stored once, and the same form for a generation that
// was refused or has failed, whose failed objects are its report.
package receipt

import (
	"context"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Maker makes reports of the imports of a store.
type Maker struct {
	Store blob.Store
	// Parallel is how many results are read at a time; 0 means 1.
	Parallel int
	// Log learns of objects that cannot be decoded; nil: it does not.
	Log *zap.Logger
}

func readManifest(ctx context.Context, s blob.Store, owner, id string) (state.Manifest, error) {
	m, ok, err := state.ReadManifest(ctx, s, owner, id)
	if err == nil && !ok {
		key := state.ManifestKey(owner, id)
		err = fault.Permanentf(objects.UnusableHint(key), "read %s: it is missing", key)
	}
	return m, err
}

func addManifest(r *state.Receipt, m state.Manifest) {
	r.Importers, r.Extractors, r.Parts, r.Counts = m.Importers, m.Extractors, m.Parts, m.Counts
	r.Refused, r.Unread, r.Notes, r.Described, r.Signatures = m.Refused, m.Unread, m.Notes, m.Described, m.Signatures
	r.Extraction.Shards = len(m.Shards)
}
