package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// OpenFolder opens a folder as an archive: its regular files in the byte order of their relative
// slash names. Links are left out and counted, and nothing outside the folder is ever read. Zips in
// it are opened like zips in a zip; scratch files for them lie in the system's temporary folder.
func OpenFolder(ctx context.Context, folder string, limits Limits) (*Archive, error) {
	b := newBuilder(ctx, limits, "")
	b.a.Kind = "folder"
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	var open []io.Closer
	b.a.close = func() error {
		errs := []error{b.sh.scratch.close()}
		for _, c := range append(open, root) {
			errs = append(errs, c.Close())
		}
		return errors.Join(errs...)
	}
	at := place{label: baseLabel(filepath.ToSlash(folder))}
	err = b.folder(root, at, func(c io.Closer) { open = append(open, c) })
	if err != nil {
		return nil, errors.Join(err, b.a.Close())
	}
	return b.a, nil
}

func (b *builder) folder(root *os.Root, at place, keep func(io.Closer)) error {
	files, err := b.listFolder(root, at)
	if err != nil {
		return err
	}
	for _, f := range files {
		b.given += f.size
	}
	for _, f := range files {
		e := &entry{at: at, name: f.name, size: f.size, compressed: f.size}
		e.body = func(context.Context) (io.ReadCloser, error) { return openInside(root, f.name) }
		e.direct = func(context.Context) (Source, error) {
			file, err := openInside(root, f.name)
			if err != nil {
				return nil, err
			}
			keep(file)
			return io.NewSectionReader(file, 0, f.size), nil
		}
		if err := b.add(e); err != nil {
			return err
		}
	}
	if len(b.a.Members) == 0 && b.a.RefusedCount == 0 {
		return &Error{Code: CodeEmpty, Archive: at.label, Reason: "the folder has no files in it", Hint: "name the folder that holds the export"}
	}
	return nil
}

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
