package pipeline

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/pamline/pamline/blob"
)

// outages is a store whose errors, other than answers about the object itself, are faults of class Outage: the work
// that met one is not to blame.
type outages struct{ blob.Store }

func outage(err error) error {
	var f *Fault
	switch {
	case err == nil, errors.As(err, &f),
		errors.Is(err, blob.ErrNotExist), errors.Is(err, blob.ErrPrecondition), errors.Is(err, blob.ErrKey),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &Fault{Class: Outage, Err: err, Hint: "the work waits for storage and goes on by itself"}
}

// gone: where writing finds something missing, the store itself is.
func gone(err error) error {
	if isMissing(err) {
		return &Fault{Class: Outage, Err: err, Hint: "was the folder or bucket of the store removed?"}
	}
	return err
}

func (s outages) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	rc, o, err := s.Store.Get(ctx, key, r)
	if err != nil {
		return nil, o, outage(err)
	}
	return outageReader{rc}, o, nil
}

func (s outages) Head(ctx context.Context, key string) (blob.Object, error) {
	o, err := s.Store.Head(ctx, key)
	return o, outage(err)
}

func (s outages) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	obj, err := s.Store.Put(ctx, key, body, o)
	return obj, gone(outage(err))
}

func (s outages) Delete(ctx context.Context, key string) error {
	return gone(outage(s.Store.Delete(ctx, key)))
}

func (s outages) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for o, err := range s.Store.List(ctx, prefix) {
			if !yield(o, outage(err)) {
				return
			}
		}
	}
}

// PutAbsent keeps the batch of the store below, or writes one by one.
func (s outages) PutAbsent(ctx context.Context, items []blob.Item) (int, error) {
	n, err := blob.PutAbsentAll(ctx, s.Store, items)
	return n, gone(outage(err))
}

type outageReader struct{ io.ReadCloser }

func (r outageReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // the end of a reader is io.EOF itself; an error that wraps it is a failure
		err = outage(err)
	}
	return n, err
}

// ListAll keeps the names that are no keys, where the store below tells of them.
func (s outages) ListAll(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for o, err := range blob.ListAll(ctx, s.Store, prefix) {
			if !yield(o, outage(err)) {
				return
			}
		}
	}
}
