package publish

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pipeline/state"
)

// fillAssets copies the assets of all imports of an input set. That a file is there already tells
// that several have it.
func (b *bundleWriter) fillAssets(ctx context.Context, in state.Inputs) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(2 * runtime.GOMAXPROCS(0))
	folder := ""
	err := eachAsset(gctx, b.store, b.owner, in, func(ref string) error {
		if folder == "" {
			folder = filepath.Join(b.folder, state.AssetsFolder)
			if err := os.MkdirAll(folder, 0o700); err != nil {
				return err
			}
		}
		g.Go(func() error {
			err := b.addObject(gctx, state.AssetKey(b.owner, ref), ref)
			if errors.Is(err, fs.ErrExist) {
				return nil
			}
			return err
		})
		return nil
	})
	if first := g.Wait(); first != nil {
		return first // the reading only stopped because of it
	}
	return err
}
