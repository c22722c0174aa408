package publish

import (
	"bytes"
	"context"
	"io"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// Copies of what the head names, under the names that other tools look for.
const (
	storeCopy      = "memory-store.json"
	embeddingsCopy = "embeddings.json"
)

// RepairCopies makes memory-store.json and embeddings.json copies of what the head names, unless
// they are. The vectors are written first, so a store has its vectors.
func RepairCopies(ctx context.Context, s blob.Store, owner string, h state.Head) error {
	if h.ExportID == "" {
		return nil
	}
	same, err := isCopy(ctx, s, owner, h)
	if err != nil || same {
		return err
	}
	return WriteCopies(ctx, s, owner, h)
}

// WriteCopies writes the copies of a head that was just swapped, until it is still the head: a
// slower writer of an older one may have come in between.
func WriteCopies(ctx context.Context, s blob.Store, owner string, h state.Head) error {
	for {
		if err := writeCopy(ctx, s, owner, h); err != nil {
			return err
		}
		now, _, err := state.ReadHead(ctx, s, owner)
		if err != nil || now.ExportID == h.ExportID {
			return err
		}
		h = now
	}
}

func writeCopy(ctx context.Context, s blob.Store, owner string, h state.Head) (err error) {
	if h.Embeddings != "" {
		err = copyWithin(ctx, s, state.ExportKey(owner, h.ExportID, embeddingsSuffix), state.OwnerKey(owner, embeddingsCopy))
	} else {
		err = s.Delete(ctx, state.OwnerKey(owner, embeddingsCopy))
	}
	if err != nil {
		return err
	}
	return copyWithin(ctx, s, state.ExportKey(owner, h.ExportID, ".json"), state.OwnerKey(owner, storeCopy))
}

// isCopy tells whether the copies are those of the head, by their sizes and by the export id among
// the first members of the store.
func isCopy(ctx context.Context, s blob.Store, owner string, h state.Head) (bool, error) {
	for name, size := range map[string]int64{storeCopy: h.Size, embeddingsCopy: h.EmbeddingsSize} {
		o, err := s.Head(ctx, state.OwnerKey(owner, name))
		if err != nil && !state.IsMissing(err) {
			return false, err
		}
		if o.Size != size { // a missing one has none
			return false, nil
		}
	}
	return startsAlike(ctx, s, state.OwnerKey(owner, storeCopy), h.ExportID)
}

func copyWithin(ctx context.Context, s blob.Store, from, to string) error {
	rc, _, err := s.Get(ctx, from, blob.Range{})
	if err != nil {
		return err
	}
	defer rc.Close()
	_, err = s.Put(ctx, to, rc, blob.PutOptions{})
	return err
}

// startsAlike tells whether the store at key is the export of that id, which stands among its first
// members.
func startsAlike(ctx context.Context, s blob.Store, key, export string) (bool, error) {
	rc, _, err := s.Get(ctx, key, blob.Range{Length: 512})
	if err != nil {
		return false, err
	}
	defer rc.Close()
	start, err := io.ReadAll(rc)
	return bytes.Contains(start, []byte(`"export_id":"`+export+`"`)), err
}
