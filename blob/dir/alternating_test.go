//go:build unix

package dir_test

import (
	"context"
	"io"
	"iter"
	"sync/atomic"

	"github.com/pamline/pamline/blob"
)

// alternating sends each call to the other of two stores, as if two processes took turns.
type alternating struct {
	stores [2]blob.Store
	n      atomic.Uint64
}

func (a *alternating) next() blob.Store { return a.stores[a.n.Add(1)%2] }

func (a *alternating) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	return a.next().Get(ctx, key, r)
}

func (a *alternating) Head(ctx context.Context, key string) (blob.Object, error) {
	return a.next().Head(ctx, key)
}

func (a *alternating) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	return a.next().Put(ctx, key, body, o)
}

func (a *alternating) Delete(ctx context.Context, key string) error { return a.next().Delete(ctx, key) }

func (a *alternating) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return a.next().List(ctx, prefix)
}

func (a *alternating) PutAbsent(ctx context.Context, items []blob.Item) (int, error) {
	return a.next().(blob.Batcher).PutAbsent(ctx, items)
}
