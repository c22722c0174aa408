package pipeline

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pamline/pamline/blob"
)

// requests is a store that counts what is asked of it, by call and kind of object: "get candidates". A list is one for each
// thousand objects, as S3 gives them.
type requests struct {
	blob.Store
	mu    sync.Mutex
	kinds map[string]int
	bytes int64 // of the bodies of Get
}

func newRequests(s blob.Store) *requests { return &requests{Store: s, kinds: map[string]int{}} }

func (r *requests) Unwrap() blob.Store { return r.Store }

// kindOf tells what an object is, without the names in its key: of an import "lists", "packs", "manifest.json" and so on.
func kindOf(key string) string {
	parts := strings.Split(key, "/")
	switch {
	case parts[0] != "owners" || len(parts) < 3:
		return parts[0]
	case parts[2] != "imports" || len(parts) < 5:
		return parts[2]
	case parts[4] == "snapshots" && path.Ext(key) == ".jsonl":
		return "lists"
	case parts[4] == "snapshots":
		return "packs"
	}
	return parts[4]
}

func (r *requests) count(op, key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kinds[op+" "+kindOf(key)]++
}

func (r *requests) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.kinds)
	r.bytes = 0
}

// of is how many calls of one sort there were.
func (r *requests) of(op string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for kind, some := range r.kinds {
		if strings.HasPrefix(kind, op+" ") {
			n += some
		}
	}
	return n
}

// String lists the kinds, the most frequent first.
func (r *requests) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	kinds := slices.SortedFunc(maps.Keys(r.kinds), func(a, b string) int { return r.kinds[b] - r.kinds[a] })
	var b strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&b, "%7d %s\n", r.kinds[k], k)
	}
	return b.String()
}

func (r *requests) Get(ctx context.Context, key string, part blob.Range) (io.ReadCloser, blob.Object, error) {
	r.count("get", key)
	rc, o, err := r.Store.Get(ctx, key, part)
	if err == nil {
		rc = countedBody{rc, r}
	}
	return rc, o, err
}

type countedBody struct {
	io.ReadCloser
	r *requests
}

func (b countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.r.mu.Lock()
	b.r.bytes += int64(n)
	b.r.mu.Unlock()
	return n, err
}

func (r *requests) Head(ctx context.Context, key string) (blob.Object, error) {
	r.count("head", key)
	return r.Store.Head(ctx, key)
}

func (r *requests) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	r.count("put", key)
	return r.Store.Put(ctx, key, body, o)
}

func (r *requests) Delete(ctx context.Context, key string) error {
	r.count("delete", key)
	return r.Store.Delete(ctx, key)
}

func (r *requests) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		r.count("list", prefix)
		n := 0
		for o, err := range r.Store.List(ctx, prefix) {
			if n++; n > 1000 {
				r.count("list", prefix)
				n = 1
			}
			if !yield(o, err) {
				return
			}
		}
	}
}
