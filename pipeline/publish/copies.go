package publish

import (
	"context"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Copies of what the head names, under the names that other tools look for.
const (
	storeCopy      = "memory-store.json"
	embeddingsCopy = "embeddings.json"
)

// RepairCopies makes memory-store.json, embeddings.json and the files of further formats copies of
// what the head names, unless they are. The vectors are written first, so a store has its vectors.
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
		err = copyWithin(ctx, s, state.ExportKey(owner, h.ExportID, embeddingsSuffix), h.EmbeddingsFile, state.OwnerKey(owner, embeddingsCopy))
	} else {
		err = s.Delete(ctx, state.OwnerKey(owner, embeddingsCopy))
	}
	if err != nil {
		return err
	}
	if err := copyFormats(ctx, s, owner, h); err != nil {
		return err
	}
	return copyWithin(ctx, s, state.ExportKey(owner, h.ExportID, ".json"), h.Store, state.OwnerKey(owner, storeCopy))
}

// isCopy tells whether the copies are those of the head.
func isCopy(ctx context.Context, s blob.Store, owner string, h state.Head) (bool, error) {
	for name, want := range CopiesOf(h) {
		key := state.OwnerKey(owner, name)
		o, err := s.Head(ctx, key)
		if err != nil && !objects.IsMissing(err) {
			return false, err
		}
		if o.Size != want.Size { // a missing one has none
			return false, nil
		}
		if want.SHA256 == "" {
			continue
		}
		if same, err := objects.IsWhole(ctx, s, key, want.SHA256); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

// copyWithin copies an object of a digest. A damaged one is not copied.
func copyWithin(ctx context.Context, s blob.Store, from, digest, to string) error {
	rc, err := objects.OpenVerified(ctx, s, from, digest)
	if err != nil {
		return objects.Lost(from, err)
	}
	defer rc.Close()
	_, err = s.Put(ctx, to, rc, blob.PutOptions{})
	return err
}
