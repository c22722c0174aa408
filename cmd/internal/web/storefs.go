package web

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
)

// exportFS is one export of an owner as the files of a bundle. It does not change when the owner's
// head moves on.
type exportFS struct {
	ctx   context.Context
	store blob.Store
	owner string
	head  state.Head
}

// key is where a file of the bundle is.
func (f exportFS) key(name string) string {
	switch name {
	case pamio.StoreFile:
		return state.ExportKey(f.owner, f.head.ExportID, ".json")
	case pamio.EmbeddingsFile:
		return state.ExportKey(f.owner, f.head.ExportID, ".embeddings.json")
	}
	return state.OwnerKey(f.owner, name)
}

func (f exportFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) || name == "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	rc, o, err := f.store.Get(f.ctx, f.key(name), blob.Range{})
	if err != nil {
		if errors.Is(err, blob.ErrNotExist) || errors.Is(err, blob.ErrKey) {
			err = fs.ErrNotExist
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &exportFile{ReadCloser: rc, name: path.Base(name), size: o.Size}, nil
}

// exportFile is an object as a file.
type exportFile struct {
	io.ReadCloser
	name string
	size int64
}

func (f *exportFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *exportFile) Name() string               { return f.name }
func (f *exportFile) Size() int64                { return f.size }
func (f *exportFile) Mode() fs.FileMode          { return 0o444 }
func (f *exportFile) ModTime() time.Time         { return time.Time{} }
func (f *exportFile) IsDir() bool                { return false }
func (f *exportFile) Sys() any                   { return nil }
