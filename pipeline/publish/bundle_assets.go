package publish

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// fillAssets copies the assets of all imports of the input set. That a file is there already tells
// that several have it.
func fillAssets(ctx context.Context, s blob.Store, owner string, head state.Head, folder string, creating *sync.Mutex) error {
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
			if err := os.MkdirAll(filepath.Join(folder, state.AssetsFolder), 0o700); err != nil {
				return err
			}
			for ref, err := range state.AssetRefs(gctx, s, m) {
				if err != nil {
					return err
				}
				g.Go(func() error {
					err := copyObject(gctx, s, state.AssetKey(owner, ref), "", filepath.Join(folder, filepath.FromSlash(ref)), creating)
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
