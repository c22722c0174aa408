package blob_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest"
)

// memory is a store without any extras, which counts its Gets and can be made to misbehave.
type memory struct {
	mu       sync.Mutex
	objects  map[string]stored
	n        int
	gets     []blob.Range
	getErr   func(n int) error
	cutShort int64 // a body ends so many bytes early
	lax      bool  // conditions are ignored
}

type stored struct {
	data []byte
	etag string
}

func newMemory() *memory { return &memory{objects: make(map[string]stored)} }

func (m *memory) describe(key string) (stored, blob.Object, error) {
	o, ok := m.objects[key]
	if !ok {
		return o, blob.Object{}, blob.ErrNotExist
	}
	return o, blob.Object{Key: key, Size: int64(len(o.data)), ETag: o.etag, ModTime: epoch}, nil
}

func (m *memory) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := check(ctx, key, r.Valid()); err != nil {
		return nil, blob.Object{}, err
	}
	m.gets = append(m.gets, r)
	if m.getErr != nil {
		if err := m.getErr(len(m.gets)); err != nil {
			return nil, blob.Object{}, err
		}
	}
	o, obj, err := m.describe(key)
	if err != nil {
		return nil, obj, err
	}
	from, to := r.Span(obj.Size)
	return io.NopCloser(blob.ContextReader(ctx, bytes.NewReader(o.data[from:max(from, to-m.cutShort)]))), obj, nil
}

func (m *memory) Head(ctx context.Context, key string) (blob.Object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := check(ctx, key, nil); err != nil {
		return blob.Object{}, err
	}
	_, obj, err := m.describe(key)
	return obj, err
}

func (m *memory) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	if err := check(ctx, key, o.Valid()); err != nil {
		return blob.Object{}, err
	}
	data, err := io.ReadAll(blob.ContextReader(ctx, body))
	if err != nil {
		return blob.Object{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old, there := m.objects[key]
	if !m.lax && (o.IfAbsent && there || o.IfMatch != "" && o.IfMatch != old.etag) {
		return blob.Object{}, blob.ErrPrecondition
	}
	m.n++
	m.objects[key] = stored{data, fmt.Sprint(m.n)}
	_, obj, err := m.describe(key)
	return obj, err
}

func (m *memory) Delete(ctx context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := check(ctx, key, nil); err != nil {
		return err
	}
	delete(m.objects, key)
	return nil
}

func (m *memory) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		if err := blob.ValidPrefix(prefix); err != nil {
			yield(blob.Object{}, err)
			return
		}
		m.mu.Lock()
		keys := slices.Sorted(maps.Keys(m.objects))
		m.mu.Unlock()
		for _, key := range keys {
			if !strings.HasPrefix(key, prefix) {
				continue
			}
			obj, err := m.Head(ctx, key)
			if !yield(obj, err) || err != nil {
				return
			}
		}
	}
}

func check(ctx context.Context, key string, err error) error {
	if kerr := blob.ValidKey(key); kerr != nil {
		return kerr
	}
	if err != nil {
		return err
	}
	return ctx.Err()
}

func TestSuiteAcceptsASimpleStore(t *testing.T) {
	blobtest.Run(t, func(*testing.T) blob.Store { return newMemory() })
}
