package pamio

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Errors of bundles.
var (
	// ErrNoStore is wrapped when a folder or zip holds no memory-store.json.
	ErrNoStore = errors.New("there is no " + StoreFile)
	// ErrUnsafeRef is wrapped when a reference would leave the bundle.
	ErrUnsafeRef = errors.New("the reference leaves the bundle")
)

// Bundle is a memory store with the files it refers to (PAM §2): a folder, a zip, or the store's
// file alone.
type Bundle struct {
	fsys  fs.FS // rooted at the folder of the store
	store string
	close func() error
}

// OpenBundle opens a folder, a .zip or a store file by its path. A folder or zip has its store at
// the root or in its only folder. Links inside a folder are followed within it and never out of it.
func OpenBundle(name string) (*Bundle, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	if info.IsDir() {
		return openFolder(name, "")
	}
	if isZip(name) {
		z, err := zip.OpenReader(name)
		if err != nil {
			return nil, fmt.Errorf("open bundle %s: %w", filepath.Base(name), err)
		}
		b, err := NewBundle(z)
		if err != nil {
			return nil, errors.Join(err, z.Close())
		}
		b.close = z.Close
		return b, nil
	}
	return openFolder(filepath.Dir(name), filepath.Base(name))
}

// openFolder opens a folder whose store is the named file, or is looked for.
func openFolder(dir, store string) (*Bundle, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	b := &Bundle{fsys: root.FS(), store: store}
	if store == "" {
		if b, err = NewBundle(root.FS()); err != nil {
			return nil, errors.Join(err, root.Close())
		}
	}
	b.close = root.Close
	return b, nil
}

func isZip(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false // opening it as a store says why
	}
	defer f.Close()
	var magic [4]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && (string(magic[:]) == "PK\x03\x04" || string(magic[:]) == "PK\x05\x06")
}

// NewBundle looks for the store in a file system: at its root, else in its only folder.
func NewBundle(fsys fs.FS) (*Bundle, error) {
	if isFile(fsys, StoreFile) {
		return &Bundle{fsys: fsys, store: StoreFile}, nil
	}
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	folder := ""
	for _, e := range entries {
		if !e.IsDir() || e.Name() == "__MACOSX" || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if folder != "" {
			return nil, fmt.Errorf("open bundle: %w at its root", ErrNoStore)
		}
		folder = e.Name()
	}
	if folder == "" || !isFile(fsys, path.Join(folder, StoreFile)) {
		return nil, fmt.Errorf("open bundle: %w at its root or in its only folder", ErrNoStore)
	}
	sub, err := fs.Sub(fsys, folder)
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	return &Bundle{fsys: sub, store: StoreFile}, nil
}

func isFile(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && info.Mode().IsRegular()
}

// Close releases the folder or zip.
func (b *Bundle) Close() error {
	if b.close == nil {
		return nil
	}
	return b.close()
}

// FS is the bundle's files, rooted at the folder of its store.
func (b *Bundle) FS() fs.FS { return b.fsys }

// StoreName is the name of the store's file in FS.
func (b *Bundle) StoreName() string { return b.store }

// OpenStore opens the memory store.
func (b *Bundle) OpenStore() (fs.File, error) {
	f, err := b.fsys.Open(b.store)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	return f, nil
}

// OpenEmbeddings opens embeddings.json. A bundle without one gives an error that wraps
// fs.ErrNotExist; that is no fault (PAM §12.1).
func (b *Bundle) OpenEmbeddings() (fs.File, error) {
	f, err := b.fsys.Open(EmbeddingsFile)
	if err != nil {
		return nil, fmt.Errorf("open embeddings: %w", err)
	}
	return f, nil
}

// Open opens a file by a reference of the store: the ref of a storage block with type "file" (PAM
// §14.2), slash-separated and relative to the store. A reference that is absolute, climbs with
// "..", or has a backslash, a drive or a NUL gives an error that wraps [ErrUnsafeRef]; a missing
// file wraps fs.ErrNotExist.
func (b *Bundle) Open(ref string) (fs.File, error) {
	name, err := cleanRef(ref)
	if err != nil {
		return nil, fmt.Errorf("open referenced file: %w", err)
	}
	f, err := b.fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open referenced file: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open referenced file: %w", err), f.Close())
	}
	return f, nil
}

// cleanRef is the name of a referenced file inside the bundle.
func cleanRef(ref string) (string, error) {
	if ref == "" || strings.HasPrefix(ref, "/") || strings.ContainsAny(ref, "\\\x00") || len(ref) > 1 && ref[1] == ':' {
		return "", ErrUnsafeRef
	}
	for part := range strings.SplitSeq(ref, "/") {
		if part == ".." {
			return "", ErrUnsafeRef
		}
	}
	name := path.Clean(ref)
	if !fs.ValidPath(name) || name == "." {
		return "", ErrUnsafeRef
	}
	return name, nil
}
