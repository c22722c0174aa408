package publish

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// RepairStore recomputes the store of a head from the input set that the head names, and writes
// again what is missing or damaged of it: conversation files, the export, its vectors, its fold
// index and its files in further formats. An object is written only if it is the one that the head
// names. Another store than that of the head is ErrDiffers: another version of pamline published
// it.
func RepairStore(ctx context.Context, o Options, owner string, h state.Head) error {
	if h.ExportID == "" {
		return nil
	}
	set, err := state.ReadInputs(ctx, o.Store, owner, h)
	if err != nil {
		return err
	}
	in, err := openInputs(ctx, o, Round{Owner: owner, Inputs: set.Clone(), Digest: h.Inputs})
	if err != nil {
		return err
	}
	res, err := in.assemble(ctx, in, nil) // stores each conversation file
	if err != nil {
		return err
	}
	defer closeResult(o, res)
	if !isContentOf(h, res) {
		return fmt.Errorf("repair store of %s: %w", owner, ErrDiffers)
	}
	return errors.Join(o.repairExport(ctx, owner, h, res), o.repairEmbeddings(ctx, owner, h, res), o.repairFoldIndex(ctx, owner, h, res), formatterOf(o).repairFormats(ctx, owner, h, set))
}

// repairExport composes the store with each moment that is recorded of it, until its digest is that
// of the head.
func (o Options) repairExport(ctx context.Context, owner string, h state.Head, res *assemble.Result) error {
	for at, err := range o.momentsOf(ctx, owner, h) {
		if err != nil {
			return err
		}
		fits, err := o.repairObject(ctx, state.ExportKey(owner, h.ExportID, ".json"), h.Store, func(w io.Writer) error { return composeStore(w, owner, at, res) })
		if err != nil || fits {
			return err
		}
	}
	return fmt.Errorf("repair export %s of %s: its date is not known any more", h.ExportID, owner)
}

func (o Options) repairEmbeddings(ctx context.Context, owner string, h state.Head, res *assemble.Result) error {
	if h.Embeddings == "" {
		return nil
	}
	fits, err := o.repairObject(ctx, state.ExportKey(owner, h.ExportID, embeddingsSuffix), h.EmbeddingsFile, func(w io.Writer) error {
		return pamio.WriteEmbeddings(w, res.Embeddings.Reader())
	})
	if err == nil && !fits {
		err = fmt.Errorf("repair vectors of %s: %w", owner, ErrDiffers)
	}
	return err
}

func (o Options) repairFoldIndex(ctx context.Context, owner string, h state.Head, res *assemble.Result) error {
	var damaged error
	for _, err := range FoldIndex(ctx, o.Store, owner, h) {
		damaged = err
	}
	switch {
	case damaged == nil:
		return nil
	case !objects.IsMissing(damaged) && !errors.Is(damaged, objects.ErrDamaged) && ctx.Err() != nil:
		return damaged
	case res.FoldIndex.Digest != h.FoldIndex:
		return fmt.Errorf("repair fold index of %s: %w", owner, ErrDiffers)
	}
	return o.putFoldIndex(ctx, state.ExportKey(owner, h.ExportID, ".fold.zst"), blob.PutOptions{}, res)
}

// repairObject composes an object in a scratch file, and stores it if it has the digest. A whole
// object is left alone.
func (o Options) repairObject(ctx context.Context, key, digest string, compose func(io.Writer) error) (fits bool, err error) {
	if whole, err := objects.IsWhole(ctx, o.Store, key, digest); err != nil || whole {
		return whole, err
	}
	f, err := os.CreateTemp(o.Scratch, "repair-*.json")
	if err != nil {
		return false, fmt.Errorf("repair %s: %w", key, err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // scratch is emptied at the next start
	defer f.Close()
	sum := newSum()
	w := bufio.NewWriterSize(io.MultiWriter(f, sum), 256<<10)
	if err := errors.Join(compose(w), w.Flush()); err != nil {
		return false, fmt.Errorf("repair %s: %w", key, err)
	}
	if sum.hex() != digest {
		return false, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return false, fmt.Errorf("repair %s: %w", key, err)
	}
	_, err = o.Store.Put(ctx, key, f, blob.PutOptions{})
	return err == nil, err
}

// momentsOf gives the moments of an export that are found: as recorded, in the export itself as far
// as it can be read, and in its copy.
func (o Options) momentsOf(ctx context.Context, owner string, h state.Head) func(yield func(moment, error) bool) {
	return func(yield func(moment, error) bool) {
		for item, err := range o.Store.List(ctx, state.OwnerKey(owner, "moments/")) {
			var at moment
			if err == nil {
				if _, bad := objects.ReadJSON(ctx, o.Store, item.Key, &at); bad != nil || at.ExportID != h.ExportID {
					continue
				}
			}
			if !yield(at, err) || err != nil {
				return
			}
		}
		for _, key := range []string{state.ExportKey(owner, h.ExportID, ".json"), state.StoreKey(owner)} {
			if at, err := readMomentAt(ctx, o.Store, key); err == nil && !yield(at, nil) {
				return
			}
		}
	}
}

// RepairMoment writes the moment of a published export under the key of a damaged one, if that was
// its moment.
func RepairMoment(ctx context.Context, s blob.Store, owner, key string, h state.Head) (bool, error) {
	if key != momentKey(owner, momentInputs(owner, key), contentOf(h), h.Signer+h.Identity) {
		return false, nil
	}
	at, err := readMoment(ctx, s, owner, h)
	if err != nil || at.ExportID != h.ExportID {
		return false, err
	}
	at.V = 1
	return true, objects.PutJSON(ctx, s, key, at)
}

// momentInputs is the digest of the input set that the key of a moment has.
func momentInputs(owner, key string) string {
	const digits = 64
	name := key[min(len(key), len(state.OwnerKey(owner, "moments/"))):]
	return name[:min(len(name), digits)]
}
