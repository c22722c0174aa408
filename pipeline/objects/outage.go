package objects

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
)

// ClassedStore is a store whose errors are faults of class Outage, except answers about the object
// itself: no work is to blame for them.
type ClassedStore struct{ blob.Store }

// Unwrap gives the decorated store.
func (s ClassedStore) Unwrap() blob.Store { return s.Store }

// AsOutage makes an error of storage an outage, unless it is an answer about the object itself. An
// object that a store knows to be damaged is a permanent fault.
func AsOutage(err error) error {
	var f *fault.Fault
	switch {
	case err == nil, errors.As(err, &f),
		errors.Is(err, blob.ErrNotExist), errors.Is(err, blob.ErrPrecondition), errors.Is(err, blob.ErrKey),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	if d := (*blob.DamagedError)(nil); errors.As(err, &d) {
		return Damaged(d.Key, err)
	}
	return &fault.Fault{Class: fault.Outage, Err: err, Hint: "the work waits for storage and goes on by itself"}
}

// Gone makes a missing object an outage: if a write finds something missing, the store itself is
// gone.
func Gone(err error) error {
	if IsMissing(err) {
		return &fault.Fault{Class: fault.Outage, Err: err, Hint: "was the folder or bucket of the store removed?"}
	}
	return err
}

func (s ClassedStore) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	rc, o, err := s.Store.Get(ctx, key, r)
	if err != nil {
		return nil, o, AsOutage(err)
	}
	return outageReader{rc}, o, nil
}

func (s ClassedStore) Head(ctx context.Context, key string) (blob.Object, error) {
	o, err := s.Store.Head(ctx, key)
	return o, AsOutage(err)
}

func (s ClassedStore) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	obj, err := s.Store.Put(ctx, key, body, o)
	return obj, Gone(AsOutage(err))
}

func (s ClassedStore) Delete(ctx context.Context, key string) error {
	return Gone(AsOutage(s.Store.Delete(ctx, key)))
}

func (s ClassedStore) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for o, err := range s.Store.List(ctx, prefix) {
			if !yield(o, AsOutage(err)) {
				return
			}
		}
	}
}

// PutAbsent uses the batch of the store below, or writes one by one.
func (s ClassedStore) PutAbsent(ctx context.Context, items []blob.Item) (int, error) {
	n, err := blob.PutAbsentAll(ctx, s.Store, items)
	return n, Gone(AsOutage(err))
}

type outageReader struct{ io.ReadCloser }

func (r outageReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // the end of a reader is io.EOF itself; an error that wraps it is a failure
		err = AsOutage(err)
	}
	return n, err
}

// OpenAt keeps the cheaper way of the store below.
func (s ClassedStore) OpenAt(ctx context.Context, key string) (blob.RandomReader, blob.Object, error) {
	below, ok := s.Store.(blob.Opener)
	if !ok {
		return nil, blob.Object{}, errors.ErrUnsupported
	}
	r, o, err := below.OpenAt(ctx, key)
	if err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			err = AsOutage(err)
		}
		return nil, o, err
	}
	return outageReaderAt{r}, o, nil
}

type outageReaderAt struct{ blob.RandomReader }

func (r outageReaderAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.RandomReader.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, blob.ErrChanged) {
		err = AsOutage(err)
	}
	return n, err
}

// ListAll also gives names that are no keys, if the store below does.
func (s ClassedStore) ListAll(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for o, err := range blob.ListAll(ctx, s.Store, prefix) {
			if !yield(o, AsOutage(err)) {
				return
			}
		}
	}
}

// ListFolders keeps the cheaper way of the store below.
func (s ClassedStore) ListFolders(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for name, err := range blob.ListFolders(ctx, s.Store, prefix) {
			if !yield(name, AsOutage(err)) {
				return
			}
		}
	}
}
