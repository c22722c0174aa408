package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// ErrTooLarge: an object is bigger than the caller is ready to hold in memory.
var ErrTooLarge = errors.New("object is too large")

// ReadAll reads a whole object of at most max bytes. A bigger one gives [ErrTooLarge] before
// anything is read of it.
func ReadAll(ctx context.Context, s Store, key string, max int64) (data []byte, obj Object, err error) {
	r, obj, err := s.Get(ctx, key, Range{})
	if err != nil {
		return nil, Object{}, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if obj.Size > max {
		return nil, Object{}, fmt.Errorf("read object %q: %w: %d bytes, at most %d are read at once", key, ErrTooLarge, obj.Size, max)
	}
	data = make([]byte, obj.Size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, Object{}, fmt.Errorf("read object %q: %w", key, err)
	}
	return data, obj, nil
}

// parallelPuts bounds the writes of a batch that a store has no way of its own for.
const parallelPuts = 8

// PutAbsentAll writes the items that are not there yet and returns once all are durable; written
// counts the new ones, after an error too. It uses the store's [Batcher], or else writes eight at a
// time. Calling again after an error writes the rest.
func PutAbsentAll(ctx context.Context, s Store, items []Item) (written int, err error) {
	if b, ok := s.(Batcher); ok {
		return b.PutAbsent(ctx, items)
	}
	return PutEach(ctx, s, items, parallelPuts)
}

// PutEach writes the items that are not there yet one by one, so many at once. Stores without a
// cheaper way make their PutAbsent of it.
func PutEach(ctx context.Context, s Store, items []Item, parallel int) (written int, err error) {
	for _, it := range items {
		if err := ValidKey(it.Key); err != nil {
			return 0, fmt.Errorf("put objects: %w", err)
		}
	}
	var count atomic.Int64
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(parallel, 1))
	for _, it := range items {
		if gctx.Err() != nil {
			break
		}
		g.Go(func() error {
			_, err := s.Put(gctx, it.Key, bytes.NewReader(it.Body), PutOptions{IfAbsent: true})
			switch {
			case err == nil:
				count.Add(1)
			case errors.Is(err, ErrPrecondition):
				err = nil
			}
			return err
		})
	}
	err = g.Wait()
	if err == nil {
		err = ctx.Err()
	}
	return int(count.Load()), err
}
