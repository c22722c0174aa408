package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

// checkBases refuses an incremental PAM export whose base the owner does not have: alone it would
// leave memories without the ones that they refer to. A base is an export that pamline published, one
// that was imported, or one in the same drop.
func (o Options) checkBases(ctx context.Context, owner string, claims []providers.Detected) error {
	var bases, exports []string
	for _, c := range claims {
		bases, exports = append(bases, c.Claim.Bases...), append(exports, c.Claim.Exports...)
	}
	for _, base := range bases {
		if slices.Contains(exports, base) {
			continue
		}
		known, err := o.hasExport(ctx, owner, base)
		if err != nil {
			return err
		}
		if !known {
			return fault.Permanentf(fmt.Sprintf("import the export with the id %q first, then this one again", base),
				"read drop: it is an incremental export, and its base was never imported")
		}
	}
	return nil
}

// hasExport tells whether an export is known: published for the owner, or read from a drop.
func (o Options) hasExport(ctx context.Context, owner, id string) (bool, error) {
	if uuid.Validate(id) == nil { // only such ids name exports of ours
		_, err := o.Store.Head(ctx, state.ExportKey(owner, id, ".json"))
		if err == nil || !errors.Is(err, blob.ErrNotExist) {
			return err == nil, err
		}
	}
	root := state.OwnerKey(owner, "imports/")
	for object, err := range o.Store.List(ctx, root) {
		if err != nil {
			return false, fmt.Errorf("look for export %q: %w", id, err)
		}
		name, isManifest := strings.CutSuffix(strings.TrimPrefix(object.Key, root), "/manifest.json")
		if !isManifest {
			continue
		}
		m, ok, err := state.ReadManifest(ctx, o.Store, owner, name)
		if err != nil {
			return false, fmt.Errorf("look for export %q: %w", id, err)
		}
		if ok && slices.Contains(m.Exports, id) {
			return true, nil
		}
	}
	return false, nil
}
