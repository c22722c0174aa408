package archive

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// PackFolder writes the regular files of a folder as one stored zip, so that a dropped folder
// becomes one object with one digest. The same names and contents give the same bytes: there are no
// times and no modes in it, the order is that of the names' bytes, and what systems leave behind
// (.DS_Store and its like), empty folders and links are not part of it. What leave says of is left
// out, too; nil leaves nothing out. A folder without files is an *Error of code empty. The result
// is how many links and special files were left out.
func PackFolder(ctx context.Context, folder string, w io.Writer, leave func(name string) bool) (left int, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return 0, fmt.Errorf("open folder: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	b := newBuilder(ctx, Limits{}, "")
	at := place{label: baseLabel(folder)}
	files, err := b.listFolder(root, at)
	if err != nil {
		return 0, err
	}
	z := zip.NewWriter(w)
	packed := 0
	for _, f := range files {
		if isJunk(f.name) || leave != nil && leave(f.name) {
			continue
		}
		if err := packFile(ctx, z, root, f.name); err != nil {
			return 0, err
		}
		packed++
	}
	if packed == 0 {
		return 0, &Error{Code: CodeEmpty, Archive: at.label, Reason: "the folder has no files in it", Hint: "name the folder that holds the export"}
	}
	if err := z.Close(); err != nil {
		return 0, fmt.Errorf("write zip: %w", err)
	}
	return b.a.LeftOut["link"], nil
}

func packFile(ctx context.Context, z *zip.Writer, root *os.Root, name string) error {
	f, err := openInside(root, name)
	if err != nil {
		return err
	}
	defer f.Close()
	out, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err != nil {
		return fmt.Errorf("write zip: %w", err)
	}
	if _, err := io.Copy(out, &contextReader{ctx, f}); err != nil {
		return fmt.Errorf("pack file %q: %w", name, err)
	}
	return nil
}
