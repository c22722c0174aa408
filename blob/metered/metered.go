// Package metered is a decorator that tells of every call of a store: what was asked, what came of
// it, how long it took.
//
// Put it below blob/retry, so that each attempt is told of. A List is told once, and once more for
// each thousand objects, which is a page of S3; so the count is close to that of the requests that
// are paid for. The body of a Get is not timed: its reader decides how long that takes.
package metered

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/pamline/pamline/blob"
)

var (
	_ blob.Store     = (*Store)(nil)
	_ blob.Batcher   = (*Store)(nil)
	_ blob.Opener    = (*Store)(nil)
	_ blob.Inventory = (*Store)(nil)
)

// page is how many objects S3 lists at once.
const page = 1000

// Outcomes of a call. Absent and Conflict are answers of the store, and no failures of it.
const (
	OK       = "ok"
	Absent   = "absent"   // there is no such object
	Conflict = "conflict" // a condition of a write did not hold
	Canceled = "canceled" // the caller gave up
	Passing  = "passing"  // it failed, and the same call may succeed in a moment
	Failed   = "failed"
)

// Tell hears of a call: op is get, head, put, delete, list or open. It is called from many
// goroutines.
type Tell func(op, outcome string, took time.Duration)

// Store is a store that tells of its calls.
type Store struct {
	inner blob.Store
	now   func() time.Time
	tell  Tell
}

// New decorates a store. now is a clock that never goes back.
func New(inner blob.Store, now func() time.Time, tell Tell) *Store { return &Store{inner, now, tell} }

// Unwrap gives the decorated store.
func (s *Store) Unwrap() blob.Store { return s.inner }

// Outcome says what came of a call.
func Outcome(err error) string {
	switch {
	case err == nil:
		return OK
	case errors.Is(err, blob.ErrNotExist):
		return Absent
	case errors.Is(err, blob.ErrPrecondition):
		return Conflict
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Canceled
	case blob.Retryable(err):
		return Passing
	}
	return Failed
}

func (s *Store) told(op string, start time.Time, err error) {
	s.tell(op, Outcome(err), s.now().Sub(start))
}

func (s *Store) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	start := s.now()
	body, obj, err := s.inner.Get(ctx, key, r)
	s.told("get", start, err)
	return body, obj, err
}

func (s *Store) Head(ctx context.Context, key string) (blob.Object, error) {
	start := s.now()
	obj, err := s.inner.Head(ctx, key)
	s.told("head", start, err)
	return obj, err
}

func (s *Store) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	start := s.now()
	obj, err := s.inner.Put(ctx, key, body, o)
	s.told("put", start, err)
	return obj, err
}

func (s *Store) Delete(ctx context.Context, key string) error {
	start := s.now()
	err := s.inner.Delete(ctx, key)
	s.told("delete", start, err)
	return err
}

// PutAbsent of a store that has batches is told once; of another each object is.
func (s *Store) PutAbsent(ctx context.Context, items []blob.Item) (int, error) {
	b, ok := s.inner.(blob.Batcher)
	if !ok {
		return blob.PutAbsentAll(ctx, plain{s}, items)
	}
	start := s.now()
	n, err := b.PutAbsent(ctx, items)
	s.told("put", start, err)
	return n, err
}

// plain hides that a store takes batches.
type plain struct{ blob.Store }

func (s *Store) OpenAt(ctx context.Context, key string) (blob.RandomReader, blob.Object, error) {
	o, ok := s.inner.(blob.Opener)
	if !ok {
		return nil, blob.Object{}, errors.ErrUnsupported
	}
	start := s.now()
	r, obj, err := o.OpenAt(ctx, key)
	if !errors.Is(err, errors.ErrUnsupported) {
		s.told("open", start, err)
	}
	return r, obj, err
}

func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return s.listed(s.inner.List(ctx, prefix))
}

func (s *Store) ListAll(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return s.listed(blob.ListAll(ctx, s.inner, prefix))
}

// ListFolders is told of once, however many pages it takes.
func (s *Store) ListFolders(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		start, last := s.now(), error(nil)
		var callers time.Duration
		defer func() { s.tell("list", Outcome(last), s.now().Sub(start)-callers) }()
		for name, err := range blob.ListFolders(ctx, s.inner, prefix) {
			last = err
			given := s.now()
			more := yield(name, err)
			callers += s.now().Sub(given)
			if !more || err != nil {
				return
			}
		}
	}
}

// listed tells of pages, without the time that the caller takes for the objects.
func (s *Store) listed(all iter.Seq2[blob.Object, error]) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		start, n := s.now(), 0
		var callers time.Duration
		told := func(err error) {
			s.tell("list", Outcome(err), s.now().Sub(start)-callers)
			start, callers = s.now(), 0
		}
		for obj, err := range all {
			if err != nil {
				told(err)
				yield(obj, err)
				return
			}
			if n++; n > page {
				told(nil)
				n = 1
			}
			given := s.now()
			more := yield(obj, nil)
			callers += s.now().Sub(given)
			if !more {
				break
			}
		}
		told(nil)
	}
}
