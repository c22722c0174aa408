// Package retry is a decorator that tries the calls of a store again.
//
// Tried again is what the store marks as passing (blob.Retryable) and what can be repeated without
// harm:
//
//   - Head, Delete and the opening of a Get, always. The body of a Get is the backend's to resume.
//   - List, ListAll and ListFolders, from behind the last one given.
//   - Put without a condition, when the body is an io.Seeker or nothing of it was read.
//   - PutAbsent, which is idempotent.
//
// A conditional Put is not: after a lost answer only the backend can tell its own success from
// somebody else's, and does (blob/s3 settles it with a nonce). Final are all answers of a store
// ([blob.ErrNotExist], [blob.ErrPrecondition], [blob.ErrKey], [blob.ErrChanged]), the end of the
// context, and errors of a request body.
package retry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/pamline/pamline/blob"
)

var (
	_ blob.Store   = (*Store)(nil)
	_ blob.Batcher = (*Store)(nil)
	_ blob.Opener  = (*Store)(nil)

	_ blob.Inventory = (*Store)(nil)

	_ blob.FolderLister = (*Store)(nil)
)

// Store is a store whose calls are tried again.
type Store struct {
	inner   blob.Store
	backoff blob.Backoff
	notice  func(op string, failed int, err error)
}

// New decorates a store. notice, which may be nil, hears of every failure that is tried again.
func New(inner blob.Store, b blob.Backoff, notice func(op string, failed int, err error)) *Store {
	if notice == nil {
		notice = func(string, int, error) {}
	}
	return &Store{inner, b, notice}
}

// Unwrap gives the decorated store.
func (s *Store) Unwrap() blob.Store { return s.inner }

// do calls f until it succeeds, fails for good, or all tries are used up.
func (s *Store) do(ctx context.Context, op string, f func() error) error {
	for failed := 1; ; failed++ {
		err := f()
		if err == nil || !blob.Retryable(err) || ctx.Err() != nil {
			return err
		}
		if failed >= s.backoff.Tries() {
			return fmt.Errorf("after %d tries: %w", failed, err)
		}
		s.notice(op, failed, err)
		if werr := s.backoff.Wait(ctx, failed); werr != nil {
			return fmt.Errorf("wait to try again: %w, after: %w", werr, err)
		}
	}
}

func (s *Store) Get(ctx context.Context, key string, r blob.Range) (body io.ReadCloser, obj blob.Object, err error) {
	err = s.do(ctx, "get", func() (err error) {
		body, obj, err = s.inner.Get(ctx, key, r)
		return err
	})
	return body, obj, err
}

func (s *Store) Head(ctx context.Context, key string) (obj blob.Object, err error) {
	err = s.do(ctx, "head", func() (err error) {
		obj, err = s.inner.Head(ctx, key)
		return err
	})
	return obj, err
}

func (s *Store) Delete(ctx context.Context, key string) error {
	return s.do(ctx, "delete", func() error { return s.inner.Delete(ctx, key) })
}

func (s *Store) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (obj blob.Object, err error) {
	if (o != blob.PutOptions{}) {
		return s.inner.Put(ctx, key, body, o)
	}
	b, err := newBody(body)
	if err != nil {
		return blob.Object{}, fmt.Errorf("put object %q: find the start of the body: %w", key, err)
	}
	err = s.do(ctx, "put", func() error {
		if err := b.rewind(); err != nil {
			return fmt.Errorf("put object %q: go back to the start of the body: %w", key, err)
		}
		o, err := s.inner.Put(ctx, key, b.reader(), o)
		obj = o
		if err != nil && b.spent() {
			return &final{err}
		}
		return err
	})
	var f *final
	if errors.As(err, &f) {
		err = f.err
	}
	return obj, err
}

// final hides from do that an error is marked as passing: the body is spent.
type final struct{ err error }

func (f *final) Error() string { return f.err.Error() }

func (s *Store) PutAbsent(ctx context.Context, items []blob.Item) (written int, err error) {
	err = s.do(ctx, "put", func() error {
		n, err := blob.PutAbsentAll(ctx, s.inner, items)
		written += n
		return err
	})
	return written, err
}

func (s *Store) OpenAt(ctx context.Context, key string) (r blob.RandomReader, obj blob.Object, err error) {
	o, ok := s.inner.(blob.Opener)
	if !ok {
		return nil, blob.Object{}, errors.ErrUnsupported
	}
	err = s.do(ctx, "open", func() (err error) {
		r, obj, err = o.OpenAt(ctx, key)
		return err
	})
	return r, obj, err
}

func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return s.list(ctx, prefix, s.inner.List)
}

func (s *Store) ListAll(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return s.list(ctx, prefix, func(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
		return blob.ListAll(ctx, s.inner, prefix)
	})
}

// ListFolders lists folders as objects of their names.
func (s *Store) ListFolders(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		folders := func(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
			return func(yield func(blob.Object, error) bool) {
				for name, err := range blob.ListFolders(ctx, s.inner, prefix) {
					if !yield(blob.Object{Key: name + "/"}, err) {
						return
					}
				}
			}
		}
		for o, err := range s.list(ctx, prefix, folders) {
			if !yield(strings.TrimSuffix(o.Key, "/"), err) {
				return
			}
		}
	}
}

// lister is one of the lists of the decorated store.
type lister func(ctx context.Context, prefix string) iter.Seq2[blob.Object, error]

func (s *Store) list(ctx context.Context, prefix string, inner lister) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		last, failed := "", 0
		for {
			more, err := listAfter(ctx, inner, prefix, &last, &failed, yield)
			if err == nil || !more {
				return
			}
			failed++
			if !blob.Retryable(err) || ctx.Err() != nil || failed >= s.backoff.Tries() {
				yield(blob.Object{}, err)
				return
			}
			s.notice("list", failed, err)
			if werr := s.backoff.Wait(ctx, failed); werr != nil {
				yield(blob.Object{}, fmt.Errorf("list objects %q: wait to try again: %w, after: %w", prefix, werr, err))
				return
			}
		}
	}
}

// listAfter gives the objects after *last and ends with the failure of the list; more is false when
// the caller has left. An object that is given sets the count of failures back.
func listAfter(ctx context.Context, inner lister, prefix string, last *string, failed *int,
	yield func(blob.Object, error) bool) (more bool, err error) {
	for obj, err := range inner(ctx, prefix) {
		if err != nil {
			return true, err
		}
		if obj.Key <= *last {
			continue
		}
		*last, *failed = obj.Key, 0
		if !yield(obj, nil) {
			return false, nil
		}
	}
	return true, nil
}
