package ingest

import (
	"context"
	"fmt"
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

// removeCopies removes the copied archive of a drop, and its versions. The record, which names the
// parts, goes after them: whoever is killed in between goes on.
func removeCopies(ctx context.Context, s blob.Store, m state.Manifest) error {
	rec, err := state.ReadDrop(ctx, s, m.Owner, m.Drop)
	if objects.IsMissing(err) {
		return removeVersions(ctx, s, m)
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(rec.Parts, func(p state.DropPart) bool { return p.ETag != "" || p.Files != nil }) {
		return nil
	}
	var keys []string
	for _, p := range rec.Parts {
		keys = append(keys, p.Key)
	}
	keys = append(keys, state.DropKey(m.Owner, m.Drop, "drop.json"))
	for _, key := range keys {
		if err := s.Delete(ctx, key); err != nil {
			return err
		}
	}
	return removeVersions(ctx, s, m)
}

// removeVersions removes what a bucket keeps of a removed copy.
func removeVersions(ctx context.Context, s blob.Store, m state.Manifest) error {
	v := blob.VersionedOf(s)
	if v == nil {
		return nil
	}
	if _, err := v.RemoveVersions(ctx, state.DropKey(m.Owner, m.Drop, "")); err != nil {
		return fmt.Errorf("remove versions of an archive with erased content: %w", err)
	}
	return nil
}
