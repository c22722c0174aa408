package pipeline

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
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// memory is a store for tests that make hundreds of them. Its clock goes on by tick with every write; a tick of 0 stands for a
// store whose times are too coarse to tell what came first.
type memory struct {
	mu      sync.Mutex
	at      time.Time
	tick    time.Duration
	objects map[string]object
}

type object struct {
	blob.Object
	body []byte
}

func newMemory() *memory {
	return &memory{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), tick: time.Millisecond, objects: map[string]object{}}
}

func (m *memory) Put(_ context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	b, err := io.ReadAll(body)
	if err != nil {
		return blob.Object{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	before, there := m.objects[key]
	if o.IfAbsent && there || o.IfMatch != "" && before.ETag != o.IfMatch {
		return blob.Object{}, fmt.Errorf("put %s: %w", key, blob.ErrPrecondition)
	}
	m.at = m.at.Add(m.tick)
	m.objects[key] = object{blob.Object{Key: key, Size: int64(len(b)), ETag: state.Digest(string(b)), ModTime: m.at}, b}
	return m.objects[key].Object, nil
}

func (m *memory) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	o, err := m.Head(ctx, key)
	if err != nil {
		return nil, o, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	body := m.objects[key].body
	body = body[min(r.Offset, int64(len(body))):]
	if r.Length > 0 {
		body = body[:min(r.Length, int64(len(body)))]
	}
	return io.NopCloser(bytes.NewReader(body)), o, nil
}

func (m *memory) Head(_ context.Context, key string) (blob.Object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.objects[key]
	if !ok {
		return o.Object, fmt.Errorf("get %s: %w", key, blob.ErrNotExist)
	}
	return o.Object, nil
}

func (m *memory) Delete(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, key)
	return nil
}

func (m *memory) List(_ context.Context, prefix string) iter.Seq2[blob.Object, error] {
	m.mu.Lock()
	keys := slices.Sorted(maps.Keys(m.objects))
	var found []blob.Object
	for _, k := range keys {
		if strings.HasPrefix(k, prefix) {
			found = append(found, m.objects[k].Object)
		}
	}
	m.mu.Unlock()
	return func(yield func(blob.Object, error) bool) {
		for _, o := range found {
			if !yield(o, nil) {
				return
			}
		}
	}
}
