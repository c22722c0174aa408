package statetest

import (
	"context"
	"io"
	"iter"

	"github.com/pamline/pamline/blob"
)

var _ blob.Store = (*Store)(nil)

// Through lets each call pass a decorator of the store, whose own calls no hook sees: one call is
// one step. Body reads through it, too; Sum and Keys are of what lies beneath.
func (s *Store) Through(decorate func(blob.Store) blob.Store) { s.through = decorate }

// way is the store that calls go to.
func (s *Store) way() blob.Store {
	if s.through == nil {
		return plain{s}
	}
	return s.through(plain{s})
}

// bodyThrough gives the content of an object. One that a test has damaged stays as it is.
func (s *Store) bodyThrough(key string) string {
	rc, _, err := s.Get(context.Background(), key, blob.Range{})
	if err == nil {
		var text []byte
		if text, err = io.ReadAll(rc); err == nil {
			return string(text)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[key].body
}

// Get reads an object.
func (s *Store) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	return s.way().Get(ctx, key, r)
}

// Head describes an object.
func (s *Store) Head(ctx context.Context, key string) (blob.Object, error) {
	return s.way().Head(ctx, key)
}

// Put writes an object.
func (s *Store) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	return s.way().Put(ctx, key, body, o)
}

// Delete removes an object.
func (s *Store) Delete(ctx context.Context, key string) error { return s.way().Delete(ctx, key) }

// List walks the keys that there are when it begins.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return s.way().List(ctx, prefix)
}
