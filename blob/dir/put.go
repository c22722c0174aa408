//go:build unix

package dir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"github.com/pamline/pamline/blob"
)

// Put writes an object and returns once it is durable. A body of any length is copied through a
// buffer of fixed size.
func (s *Store) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	if err := errors.Join(blob.ValidKey(key), o.Valid()); err != nil {
		return blob.Object{}, fmt.Errorf("put object: %w", err)
	}
	obj, err := s.put(ctx, key, body, o)
	return obj, wrap("put", key, err)
}

func (s *Store) put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	// Looked at before the body is read, so that a lost condition costs no copy; it is decided
	// below.
	if err := s.check(key, o); err != nil {
		return blob.Object{}, err
	}
	first, err := s.fs.Stamps(ctx, 1)
	if err != nil {
		return blob.Object{}, err
	}
	tmp, st, err := s.stage(ctx, body, first, true)
	if err != nil {
		return blob.Object{}, err
	}
	if o.IfAbsent {
		err = s.publishAbsent(key, tmp)
	} else {
		err = s.replace(ctx, key, tmp, o)
	}
	if err != nil {
		return blob.Object{}, errors.Join(err, s.discard(tmp))
	}
	return object(key, st), nil
}

// check compares the state of a key with the condition. What it saw is durable when it fails.
func (s *Store) check(key string, o blob.PutOptions) error {
	if !o.IfAbsent && o.IfMatch == "" {
		return nil
	}
	st, err := s.stat(key)
	absent := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !absent:
		return err
	case o.IfAbsent && absent, !o.IfAbsent && !absent && tag(st) == o.IfMatch:
		return nil
	}
	if err := s.syncFolders(folderOf(key)); err != nil {
		return err
	}
	return blob.ErrPrecondition
}

// stage writes a scratch file and, unless somebody else will, syncs it. It leaves nothing when it
// fails.
func (s *Store) stage(ctx context.Context, body io.Reader, stamp time.Time, sync bool) (name string, st info, err error) {
	name = s.scratchName()
	f, err := s.fs.Create(name)
	if err != nil {
		return "", info{}, err
	}
	st, err = fill(ctx, f, body, stamp, sync)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", info{}, errors.Join(err, s.discard(name))
	}
	return name, st, nil
}

func fill(ctx context.Context, f newFile, body io.Reader, stamp time.Time, sync bool) (info, error) {
	if err := copyBody(ctx, f, body); err != nil {
		return info{}, err
	}
	if err := f.SetTime(stamp); err != nil {
		return info{}, err
	}
	if sync {
		if err := f.Sync(); err != nil {
			return info{}, err
		}
	}
	return f.Stat()
}

// copyBody writes what is in memory already without another copy of it.
func copyBody(ctx context.Context, f io.Writer, body io.Reader) error {
	if b, ok := body.(*bytes.Reader); ok {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := b.WriteTo(f)
		return err
	}
	buffer := copyBuffers.Get().(*[]byte) //nolint:errcheck,forcetypeassert // it has nothing else
	defer copyBuffers.Put(buffer)
	_, err := io.CopyBuffer(plainWriter{f}, blob.ContextReader(ctx, body), *buffer)
	return err
}

// publishAbsent gives the scratch file its name if that is free, and removes the scratch name.
func (s *Store) publishAbsent(key, tmp string) error {
	err := s.place(key, func() error { return s.fs.Link(tmp, key) })
	if errors.Is(err, fs.ErrExist) {
		if err := s.isObject(key); err != nil {
			return err
		}
		// Whoever lost relies on the winner's object as on its own: it has to be as durable.
		return errors.Join(blob.ErrPrecondition, s.syncFolders(folderOf(key)))
	}
	if err != nil {
		return err
	}
	if err := s.syncFolders(folderOf(key)); err != nil {
		return err
	}
	return s.discard(tmp)
}

// isObject tells a name that an object has taken from one that something else has. An object that
// has been deleted since counts: it was there.
func (s *Store) isObject(key string) error {
	if st, err := s.fs.Lstat(key); err == nil && !st.regular {
		return syscall.EISDIR
	}
	return nil
}

// replace moves the scratch file over the key, under its lock. The folder is synced before the lock
// is released: the next writer builds on something durable.
func (s *Store) replace(ctx context.Context, key, tmp string, o blob.PutOptions) error {
	unlock, err := s.lock(ctx, key)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.check(key, o); err != nil {
		return err
	}
	if err := s.place(key, func() error { return s.fs.Rename(tmp, key) }); err != nil {
		return err
	}
	return s.syncFolders(folderOf(key))
}

// place runs an operation that gives key a file, making its folders when they are missing. A Delete
// may remove an emptied folder between the two, so it tries again, but not for ever: the scratch
// file itself may be what is missing.
func (s *Store) place(key string, op func() error) error {
	var err error
	for range 50 {
		if err = op(); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := s.mkdirs(folderOf(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// discard removes a scratch file that may have been moved away already.
func (s *Store) discard(name string) error {
	if err := s.fs.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove scratch file: %w", err)
	}
	return nil
}

var copyBuffers = sync.Pool{New: func() any {
	b := make([]byte, 256<<10)
	return &b
}}

// plainWriter hides what io.Copy would use instead of our buffer.
type plainWriter struct{ w io.Writer }

func (w plainWriter) Write(p []byte) (int, error) { return w.w.Write(p) }
