// Package storefile finds the store in what a person names, a store file or a bundle, and replaces
// it there.
package storefile

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/pamline/pamline/pamio"
)

// File is the store of a path that a person named.
type File struct {
	path   string
	bundle *pamio.Bundle
	// folder and zip tell what the path is; neither is a store file.
	folder, zip bool
}

// Open opens a store file, or a bundle: a folder or a zip.
func Open(name string) (*File, error) {
	b, err := pamio.OpenBundle(name)
	if err != nil {
		return nil, err
	}
	f := &File{path: name, bundle: b}
	info, err := os.Stat(name)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	f.folder = info.IsDir()
	if z, err := zip.OpenReader(name); err == nil && !f.folder {
		f.zip = true
		if err := z.Close(); err != nil {
			return nil, errors.Join(err, b.Close())
		}
	}
	return f, nil
}

// Close closes the bundle.
func (f *File) Close() error { return f.bundle.Close() }

// Bundle is what the path holds.
func (f *File) Bundle() *pamio.Bundle { return f.bundle }

// IsZip tells whether the path is a zip.
func (f *File) IsZip() bool { return f.zip }

// IsBundle tells whether there may be other files beside the store.
func (f *File) IsBundle() bool { return f.folder || f.zip }

// Source is the store, to be read more than once.
func (f *File) Source() pamio.Source {
	return pamio.Source{Name: filepath.Base(f.path), Open: func() (io.ReadCloser, error) { return f.bundle.OpenStore() }}
}

// Replace has the store written anew and puts it in the place of the old one, in one step. to is
// another path to write to: a store file, or a zip if the path is one; "" is the path itself. The
// other files are put beside the store of a bundle, after it, in the place of those of their names.
func (f *File) Replace(to string, write func(io.Writer) error, beside ...Beside) error {
	switch {
	case f.zip:
		return f.replaceInZip(to, write, beside)
	case to != "":
		return Create(to, write)
	case !f.folder:
		return Create(f.path, write)
	}
	name, err := storeIn(f.path)
	if err != nil {
		return err
	}
	if err := Create(name, write); err != nil {
		return err
	}
	for _, b := range beside {
		if err := Create(filepath.Join(filepath.Dir(name), b.Name), b.Write); err != nil {
			return err
		}
	}
	return nil
}

// Beside is a file that lies beside the store of a bundle.
type Beside struct {
	Name  string
	Write func(io.Writer) error
}

// storeIn is the path of the store in a folder: at its root, or in its only folder.
func storeIn(folder string) (string, error) {
	for _, pattern := range []string{pamio.StoreFile, "*/" + pamio.StoreFile} {
		found, err := filepath.Glob(filepath.Join(globEscape(folder), pattern))
		if err != nil {
			return "", fmt.Errorf("find store: %w", err)
		}
		if len(found) == 1 {
			return found[0], nil
		}
	}
	return "", fmt.Errorf("find store: %w in %s", pamio.ErrNoStore, folder)
}

func globEscape(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if c := s[i]; c == '*' || c == '?' || c == '[' {
			out = append(out, '[', c, ']')
		} else {
			out = append(out, s[i])
		}
	}
	return string(out)
}

// replaceInZip copies the zip, all members but the store as they are packed.
func (f *File) replaceInZip(to string, write func(io.Writer) error, beside []Beside) (err error) {
	if to == "" {
		to = f.path
	}
	old, err := zip.OpenReader(f.path)
	if err != nil {
		return fmt.Errorf("read zip: %w", err)
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	store := pamio.StoreFile
	if _, err := fs.Stat(old, store); err != nil {
		for _, member := range old.File {
			if dir, name := path.Split(member.Name); name == pamio.StoreFile && path.Dir(path.Clean(dir)) == "." {
				store = member.Name
			}
		}
	}
	return Create(to, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, member := range old.File {
			if slices.ContainsFunc(beside, func(b Beside) bool { return member.Name == path.Join(path.Dir(store), b.Name) }) {
				continue
			}
			if member.Name != store {
				if err := z.Copy(member); err != nil {
					return fmt.Errorf("copy %s: %w", member.Name, err)
				}
				continue
			}
			header := member.FileHeader
			m, err := z.CreateHeader(&zip.FileHeader{Name: header.Name, Method: header.Method, Modified: header.Modified})
			if err != nil {
				return fmt.Errorf("write zip: %w", err)
			}
			if err := write(m); err != nil {
				return err
			}
		}
		for _, b := range beside {
			m, err := z.CreateHeader(&zip.FileHeader{Name: path.Join(path.Dir(store), b.Name), Method: zip.Deflate})
			if err == nil {
				err = b.Write(m)
			}
			if err != nil {
				return fmt.Errorf("write zip: %w", err)
			}
		}
		if err := z.Close(); err != nil {
			return fmt.Errorf("write zip: %w", err)
		}
		return nil
	})
}

// Create has a file written beside its final place and moves it there when it is whole and on the
// disk. The file is readable by its user only. A failure leaves what was there before.
func Create(name string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("create %s: %w", filepath.Base(name), err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := write(f); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(name), err)
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return fmt.Errorf("replace %s: %w", filepath.Base(name), err)
	}
	return nil
}
