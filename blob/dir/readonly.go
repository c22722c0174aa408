//go:build unix

package dir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/pamline/pamline/blob"
)

var (
	_ blob.Store   = (*ReadOnly)(nil)
	_ blob.Batcher = (*ReadOnly)(nil)
	_ blob.Opener  = (*ReadOnly)(nil)
)

// ErrReadOnly: the store was opened with OpenReadOnly.
var ErrReadOnly = errors.New("the store was opened for reading only")

// ReadOnly is a store over a folder that nothing is written into, no lock and no scratch file
// either: the folder may be a backup, a mount without the right to write, or one that a service
// works in. Put, Delete and PutAbsent fail.
type ReadOnly struct{ s *Store }

// OpenReadOnly opens the store in the folder root for reading. A folder that is not there is an
// error: none is made.
func OpenReadOnly(root string) (*ReadOnly, error) {
	fs, err := openExisting(root)
	if err != nil {
		return nil, fmt.Errorf("open store %s for reading: %w", root, explain(err))
	}
	return &ReadOnly{&Store{fs: fs, release: func() {}}}, nil
}

// Close gives up the folder; objects that are being read stay readable.
func (r *ReadOnly) Close() error { return r.s.Close() }

// Get opens an object for reading.
func (r *ReadOnly) Get(ctx context.Context, key string, part blob.Range) (io.ReadCloser, blob.Object, error) {
	return r.s.Get(ctx, key, part)
}

// Head describes an object.
func (r *ReadOnly) Head(ctx context.Context, key string) (blob.Object, error) {
	return r.s.Head(ctx, key)
}

// OpenAt opens an object for reading at any place.
func (r *ReadOnly) OpenAt(ctx context.Context, key string) (blob.RandomReader, blob.Object, error) {
	return r.s.OpenAt(ctx, key)
}

// Put fails.
func (r *ReadOnly) Put(_ context.Context, key string, _ io.Reader, _ blob.PutOptions) (blob.Object, error) {
	return blob.Object{}, refuse("put", key)
}

// Delete fails.
func (r *ReadOnly) Delete(_ context.Context, key string) error { return refuse("delete", key) }

// PutAbsent fails.
func (r *ReadOnly) PutAbsent(_ context.Context, items []blob.Item) (int, error) {
	if len(items) == 0 {
		return 0, nil
	}
	return 0, refuse("put", items[0].Key)
}

func refuse(op, key string) error {
	return &blob.Error{Op: op, Key: key, Err: ErrReadOnly, Hint: "nothing was changed"}
}

// List walks the files under a prefix in byte order.
func (r *ReadOnly) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return r.s.List(ctx, prefix)
}
