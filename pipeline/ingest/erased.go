package ingest

import (
	"context"
	"slices"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// RemoveErasedCopies removes the copies of an archive that was read without what its owner has had
// erased: the archive holds it still. An archive that lies where a person has put it stays, and so
// do all if the owner keeps originals.
func RemoveErasedCopies(ctx context.Context, s blob.Store, m state.Manifest) error {
	if m.Counts.Skips[ledger.CodeErased].Count == 0 {
		return nil
	}
	l, _, err := ledger.Read(ctx, s, m.Owner)
	if err != nil || slices.ContainsFunc(l.Entries, func(e ledger.Entry) bool { return e.KeepOriginals }) {
		return err
	}
	return removeCopies(ctx, s, m)
}

// removeCopies removes the copied archive of a drop.
func removeCopies(ctx context.Context, s blob.Store, m state.Manifest) error {
	rec, err := state.ReadDrop(ctx, s, m.Owner, m.Drop)
	if objects.IsMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(rec.Parts, func(p state.DropPart) bool { return p.ETag != "" || p.Files != nil }) {
		return nil
	}
	keys := []string{state.DropKey(m.Owner, m.Drop, "drop.json")}
	for _, p := range rec.Parts {
		keys = append(keys, p.Key)
	}
	for _, key := range keys {
		if err := s.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}
