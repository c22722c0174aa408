package publish

import (
	"context"
	"fmt"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// ReplacedFiles gives the conversation files that replaced exports name, by their path in the
// folder of the owner: as long as such an export is kept, its files lie beside those of the current
// one. An export that cannot be read names none: [CheckFolder] and a check of the store tell of it.
func ReplacedFiles(ctx context.Context, s blob.Store, owner string) (map[string]bool, error) {
	current, _, err := state.ReadHead(ctx, s, owner)
	if fault.Of(err) == fault.Permanent && err != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	files, seen := map[string]bool{}, map[string]bool{"": true, current.ExportID: true}
	for o, err := range s.List(ctx, state.OwnerKey(owner, "heads/")) {
		if err != nil {
			return nil, fmt.Errorf("list heads of %s: %w", owner, err)
		}
		var h state.Head
		_, err := objects.ReadJSON(ctx, s, o.Key, &h)
		if err != nil {
			err = objects.Lost(o.Key, err)
		}
		if err == nil && !seen[h.ExportID] {
			seen[h.ExportID] = true
			err = addFiles(ctx, s, owner, h, files)
		}
		if err != nil && fault.Of(err) != fault.Permanent {
			return nil, err
		}
	}
	return files, nil
}

func addFiles(ctx context.Context, s blob.Store, owner string, h state.Head, files map[string]bool) error {
	there, err := objects.Exists(ctx, s, state.ExportKey(owner, h.ExportID, ".json"))
	if err != nil || !there { // a prune is removing it
		return err
	}
	rc, err := OpenExport(ctx, s, owner, h)
	if err != nil {
		return err
	}
	defer rc.Close()
	return rc.Finish(pamio.ReadStore(rc, pamio.Visitor{IndexEntry: func(e pamio.Element) error {
		entry, err := pamio.ParseIndexEntry(e.Raw)
		if err == nil && entry.Storage != nil {
			files[entry.Storage.Ref] = true
		}
		return err
	}}))
}
