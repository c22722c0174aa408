package publish

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// fillAssets copies the assets of all imports of the input set. That a file is there already tells
// that several have it.
func (b *bundleWriter) fillAssets(ctx context.Context, head state.Head) error {
	s, owner := b.store, b.owner
	inputs, err := state.ReadInputs(ctx, s, owner, head)
	if err != nil {
		return err
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(2 * runtime.GOMAXPROCS(0))
	err = func() error {
		accepted, _ := importsOf(inputs)
		for _, id := range accepted {
			m, _, err := state.ReadManifestOf(gctx, s, owner, id, inputs.Contents[id].Manifest)
			if err != nil {
				return objects.Lost(state.ManifestKey(owner, id), err)
			}
			if !m.HasAssets() {
				continue
			}
			if err := os.MkdirAll(filepath.Join(b.folder, state.AssetsFolder), 0o700); err != nil {
				return err
			}
			for ref, err := range state.AssetRefs(gctx, s, m) {
				if err != nil {
					return err
				}
				g.Go(func() error {
					err := b.copyObject(gctx, state.AssetKey(owner, ref), "", ref)
					if errors.Is(err, fs.ErrExist) {
						return nil
					}
					return err
				})
			}
		}
		return nil
	}()
	if first := g.Wait(); first != nil {
		return first // as above
	}
	return err
}
