//go:build unix

package dir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
)

// PutAbsent writes the items that are not there yet, several at a time, and syncs each folder once.
// After an error some items may be there and written counts them; calling again writes the rest.
func (s *Store) PutAbsent(ctx context.Context, items []blob.Item) (written int, err error) {
	for _, it := range items {
		if err := blob.ValidKey(it.Key); err != nil {
			return 0, fmt.Errorf("put objects: %w", err)
		}
	}
	folders := map[string]bool{}
	var missing []blob.Item
	for _, it := range items {
		folders[folderOf(it.Key)] = true
		_, err := s.stat(it.Key)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, it)
		case err != nil:
			return 0, wrap("put", it.Key, err)
		}
	}
	count, err := s.writeAbsent(ctx, missing)
	if err != nil {
		return count, err
	}
	// Items that were there are synced as well: another process may have written them a moment ago.
	if len(items) == 0 {
		return count, nil
	}
	return count, wrap("put", items[0].Key, s.syncFolders(slices.Sorted(maps.Keys(folders))...))
}

// writeAbsent writes the items to scratch files, makes them durable, and names them, in this order:
// a name never stands for less than the whole object. It leaves the folders unsynced.
func (s *Store) writeAbsent(ctx context.Context, items []blob.Item) (int, error) {
	if len(items) == 0 {
		return 0, wrap("put", "", ctx.Err())
	}
	first, err := s.fs.Stamps(ctx, len(items))
	if err != nil {
		return 0, wrap("put", items[0].Key, err)
	}
	together := len(items) >= s.together
	names := make([]string, len(items))
	err = s.each(ctx, items, func(ctx context.Context, i int) (err error) {
		names[i], _, err = s.stage(ctx, bytes.NewReader(items[i].Body), first.Add(time.Duration(i)*stampStep), !together)
		return err
	})
	if err == nil && together {
		err = wrap("put", items[0].Key, s.fs.SyncData())
	}
	var count atomic.Int64
	if err == nil {
		err = s.each(ctx, items, func(_ context.Context, i int) error {
			name := names[i]
			err := s.place(items[i].Key, func() error { return s.fs.Link(name, items[i].Key) })
			if err == nil {
				count.Add(1)
			} else if errors.Is(err, fs.ErrExist) {
				err = s.isObject(items[i].Key)
			}
			return err
		})
	}
	for i, name := range names {
		if name != "" {
			err = errors.Join(err, wrap("put", items[i].Key, s.discard(name)))
		}
	}
	return int(count.Load()), err
}

// each does something for every item, several at a time, and stops at the first error.
func (s *Store) each(ctx context.Context, items []blob.Item, do func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(s.parallel)
	for i := range items {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return wrap("put", items[i].Key, err)
			}
			return wrap("put", items[i].Key, do(ctx, i))
		})
	}
	return g.Wait()
}
