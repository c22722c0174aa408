package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// assets counts the regular files below a folder, which need not be there. Large folders are read
// in pieces.
func (s *summing) assets(ctx context.Context, fsys fs.FS, folder string) error {
	f, err := fsys.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list assets: %w", err)
	}
	defer f.Close()
	dir, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil // a file of that name is none of ours
	}
	for {
		entries, err := dir.ReadDir(1024)
		for _, e := range entries {
			if e.IsDir() {
				if err := s.assets(ctx, fsys, path.Join(folder, e.Name())); err != nil {
					return err
				}
			}
			if !e.Type().IsRegular() {
				continue
			}
			info, err := e.Info()
			if err != nil {
				return fmt.Errorf("list assets: %w", err)
			}
			s.Assets++
			s.AssetBytes += info.Size()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("list assets: %w", err)
		}
	}
}
