package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

type folderFile struct {
	name string // relative, with slashes
	size int64
}

// listFolder finds the regular files, in byte order.
func (b *builder) listFolder(root *os.Root, at place) ([]folderFile, error) {
	var files []folderFile
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case b.ctx.Err() != nil:
			return b.ctx.Err()
		case d.IsDir():
			if name != "." {
				b.leaveOut("directory")
			}
			return nil
		case !d.Type().IsRegular():
			b.leaveOut("link")
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if len(files) >= b.sh.limits.MaxMembers {
			return b.tooMany(at)
		}
		files = append(files, folderFile{name, info.Size()})
		return nil
	})
	var bad *Error
	if errors.As(err, &bad) {
		return nil, bad
	}
	if err != nil {
		return nil, fmt.Errorf("list folder: %w", err)
	}
	slices.SortFunc(files, func(a, b folderFile) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
	return files, nil
}

func openInside(root *os.Root, name string) (*os.File, error) {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("open file in folder: %w", err)
	}
	return f, nil
}
