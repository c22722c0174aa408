package wiring

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"

	"github.com/pamline/pamline/blob"
)

// pending is a store that did not answer when it was opened: nobody knows yet whether it is
// encrypted. Each call asks again, and fails as long as the store does not answer.
type pending struct {
	resolve func(context.Context) (blob.Store, error)

	mu   sync.Mutex
	done blob.Store
}

var (
	_ blob.Store        = (*pending)(nil)
	_ blob.Batcher      = (*pending)(nil)
	_ blob.Inventory    = (*pending)(nil)
	_ blob.FolderLister = (*pending)(nil)
)

// isFailure tells whether a store could not be asked.
func isFailure(err error) bool {
	var f *blob.Error
	return errors.As(err, &f)
}

func (p *pending) store(ctx context.Context) (blob.Store, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done != nil {
		return p.done, nil
	}
	s, err := p.resolve(ctx)
	if err == nil {
		p.done = s
	}
	return s, err
}

// Unwrap gives the store as it is known now, nil if it has not answered yet.
func (p *pending) Unwrap() blob.Store {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

func (p *pending) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	s, err := p.store(ctx)
	if err != nil {
		return nil, blob.Object{}, err
	}
	return s.Get(ctx, key, r)
}

func (p *pending) Head(ctx context.Context, key string) (blob.Object, error) {
	s, err := p.store(ctx)
	if err != nil {
		return blob.Object{}, err
	}
	return s.Head(ctx, key)
}

func (p *pending) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	s, err := p.store(ctx)
	if err != nil {
		return blob.Object{}, err
	}
	return s.Put(ctx, key, body, o)
}

func (p *pending) PutAbsent(ctx context.Context, items []blob.Item) (int, error) {
	s, err := p.store(ctx)
	if err != nil {
		return 0, err
	}
	return blob.PutAbsentAll(ctx, s, items)
}

func (p *pending) Delete(ctx context.Context, key string) error {
	s, err := p.store(ctx)
	if err != nil {
		return err
	}
	return s.Delete(ctx, key)
}

func (p *pending) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	s, err := p.store(ctx)
	if err != nil {
		return failed[blob.Object](err)
	}
	return s.List(ctx, prefix)
}

func (p *pending) ListAll(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	s, err := p.store(ctx)
	if err != nil {
		return failed[blob.Object](err)
	}
	return blob.ListAll(ctx, s, prefix)
}

func (p *pending) ListFolders(ctx context.Context, prefix string) iter.Seq2[string, error] {
	s, err := p.store(ctx)
	if err != nil {
		return failed[string](err)
	}
	return blob.ListFolders(ctx, s, prefix)
}

// failed is a list that fails at once.
func failed[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		yield(none, err)
	}
}
