package validate

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Target is what is validated: one document, or a bundle.
type Target struct {
	// Name is how findings call it.
	Name string
	// FS holds the files. It is read only, and twice where a store is not sorted.
	FS fs.FS
	// File is the path of the document in FS. Empty: FS is a bundle, with its store at the root or
	// in its only folder.
	File string
	// Known are problems that the caller knows of its files, beside what they say themselves: the
	// folder of an owner has a head that names them.
	Known []Known
	// Kept are conversation files that the store need not name, because the caller knows who does:
	// the folder of an owner may have an earlier export with its files.
	Kept map[string]bool
}

// Known is a problem of a file that a caller of Run knows.
type Known struct {
	File, Problem string
}

// Open finds out what stands under a path: a folder or a zip is a bundle, any other file one
// document. Links inside of a folder are not followed out of it.
func Open(name string) (Target, io.Closer, error) {
	info, err := os.Stat(name)
	if err != nil {
		return Target{}, nil, fmt.Errorf("open target: %w", err)
	}
	base := filepath.Base(name)
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		if err != nil {
			return Target{}, nil, fmt.Errorf("open target: %w", err)
		}
		return Target{Name: base, FS: root.FS()}, root, nil
	}
	if !info.Mode().IsRegular() {
		return Target{}, nil, fmt.Errorf("open target: %s is neither a file nor a folder", base)
	}
	zipped, err := isZip(name)
	if err != nil {
		return Target{}, nil, fmt.Errorf("open target: %w", err)
	}
	if zipped {
		z, err := zip.OpenReader(name)
		if err != nil {
			return Target{}, nil, fmt.Errorf("open target: %s starts like a zip but cannot be read as one; is it cut off? %w", base, err)
		}
		return Target{Name: base, FS: z}, z, nil
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return Target{}, nil, fmt.Errorf("open target: %w", err)
	}
	return Target{Name: base, FS: root.FS(), File: base}, root, nil
}

func isZip(name string) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var magic [4]byte
	if _, err := io.ReadFull(f, magic[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return false, nil
		}
		return false, err
	}
	return bytes.Equal(magic[:], []byte("PK\x03\x04")) || bytes.Equal(magic[:], []byte("PK\x05\x06")), nil
}

// Document is a target of one document that is opened by a function: an object in a bucket, say. It
// is called twice when a store is not sorted by id.
func Document(name string, open func() (io.ReadCloser, error)) Target {
	return Target{Name: name, FS: single{name, open}, File: "document"}
}

// single is a file system of one file.
type single struct {
	name string
	open func() (io.ReadCloser, error)
}

func (s single) Open(string) (fs.File, error) {
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	return singleFile{r, s.name}, nil
}

type singleFile struct {
	io.ReadCloser
	name string
}

func (f singleFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f singleFile) Name() string               { return f.name }
func (f singleFile) Size() int64                { return 0 }
func (f singleFile) Mode() fs.FileMode          { return 0o444 }
func (f singleFile) ModTime() time.Time         { return time.Time{} }
func (f singleFile) IsDir() bool                { return false }
func (f singleFile) Sys() any                   { return nil }
