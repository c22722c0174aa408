//go:build unix

package dir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/pamline/pamline/blob"
)

// Get opens an object for reading. A Put or Delete does not disturb the reader: it goes on with the
// object it opened.
func (s *Store) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	if err := errors.Join(blob.ValidKey(key), r.Valid()); err != nil {
		return nil, blob.Object{}, fmt.Errorf("get object: %w", err)
	}
	f, obj, err := s.openObject(ctx, key)
	if err != nil {
		return nil, blob.Object{}, wrap("get", key, err)
	}
	from, to := r.Span(obj.Size)
	return &body{ctx: ctx, f: f, section: io.NewSectionReader(f, from, to-from), key: key}, obj, nil
}

// Head describes an object. It reads nothing of it.
func (s *Store) Head(ctx context.Context, key string) (blob.Object, error) {
	if err := blob.ValidKey(key); err != nil {
		return blob.Object{}, fmt.Errorf("head object: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return blob.Object{}, wrap("head", key, err)
	}
	st, err := s.stat(key)
	if err != nil {
		return blob.Object{}, wrap("head", key, err)
	}
	return object(key, st), nil
}

// OpenAt opens an object for reading at any place, without copies in between. A read after the file
// was edited in place gives [blob.ErrChanged].
func (s *Store) OpenAt(ctx context.Context, key string) (blob.RandomReader, blob.Object, error) {
	if err := blob.ValidKey(key); err != nil {
		return nil, blob.Object{}, fmt.Errorf("open object: %w", err)
	}
	f, obj, err := s.openObject(ctx, key)
	if err != nil {
		return nil, blob.Object{}, wrap("open", key, err)
	}
	return &randomReader{ctx: ctx, f: f, obj: obj}, obj, nil
}

// stat finds the file of a key; anything that is no file is not there.
func (s *Store) stat(key string) (info, error) {
	st, err := s.fs.Lstat(key)
	if isNotDir(err) {
		return info{}, fs.ErrNotExist
	}
	if err == nil && !st.regular {
		return info{}, fs.ErrNotExist
	}
	return st, err
}

func (s *Store) openObject(ctx context.Context, key string) (openFile, blob.Object, error) {
	if err := ctx.Err(); err != nil {
		return nil, blob.Object{}, err
	}
	// Asked before opening: opening a named pipe would wait for its writer.
	if _, err := s.stat(key); err != nil {
		return nil, blob.Object{}, err
	}
	f, err := s.fs.Open(key)
	if err != nil {
		return nil, blob.Object{}, err
	}
	st, err := f.Stat()
	if err == nil && !st.regular {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, blob.Object{}, errors.Join(err, f.Close())
	}
	return f, object(key, st), nil
}

type body struct {
	ctx     context.Context
	f       openFile
	section *io.SectionReader
	key     string
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, wrap("get", b.key, err)
	}
	n, err := b.section.Read(p)
	if err == io.EOF {
		// A section ends early when somebody cut the file short under us.
		if at, _ := b.section.Seek(0, io.SeekCurrent); at < b.section.Size() {
			return n, wrap("get", b.key, blob.ErrChanged)
		}
		return n, io.EOF
	}
	return n, wrap("get", b.key, err)
}

func (b *body) Close() error { return b.f.Close() }

type randomReader struct {
	ctx context.Context
	f   openFile
	obj blob.Object
}

func (r *randomReader) ReadAt(p []byte, off int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, wrap("get", r.obj.Key, err)
	}
	n, err := r.f.ReadAt(p, off)
	if err != nil && err != io.EOF { //nolint:errorlint // the end of a reader is io.EOF itself; an error that wraps it is a failure
		return n, wrap("get", r.obj.Key, err)
	}
	st, serr := r.f.Stat()
	if serr != nil {
		return 0, wrap("get", r.obj.Key, serr)
	}
	if tag(st) != r.obj.ETag {
		return 0, wrap("get", r.obj.Key, blob.ErrChanged)
	}
	return n, err
}

func (r *randomReader) Close() error { return r.f.Close() }
