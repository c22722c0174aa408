package pipeline

import (
	"context"
	"errors"
	"io"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

var errFlaky = errors.New("the network is gone")

// flaky fails one operation in every few, before or after it was done, and reads break off in the middle.
type flaky struct {
	blob.Store
	mu  sync.Mutex
	r   *rand.Rand
	one int // in so many
	off bool
}

func (f *flaky) hit() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.off && f.r.IntN(f.one) == 0
}

func (f *flaky) fail(op, key string) error {
	return &blob.Error{Op: op, Key: key, Retry: true, Err: errFlaky}
}

func (f *flaky) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	if f.hit() {
		return nil, blob.Object{}, f.fail("get", key)
	}
	rc, o, err := f.Store.Get(ctx, key, r)
	if err != nil {
		return rc, o, err
	}
	return &flakyBody{rc, f, key}, o, nil
}

type flakyBody struct {
	io.ReadCloser
	f   *flaky
	key string
}

func (b *flakyBody) Read(p []byte) (int, error) {
	if b.f.hit() {
		return 0, b.f.fail("get", b.key)
	}
	return b.ReadCloser.Read(p)
}

func (f *flaky) Head(ctx context.Context, key string) (blob.Object, error) {
	if f.hit() {
		return blob.Object{}, f.fail("head", key)
	}
	return f.Store.Head(ctx, key)
}

func (f *flaky) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	if f.hit() {
		return blob.Object{}, f.fail("put", key)
	}
	obj, err := f.Store.Put(ctx, key, body, o)
	if err == nil && f.hit() {
		return blob.Object{}, f.fail("put", key) // done, but the answer was lost
	}
	return obj, err
}

func (f *flaky) Delete(ctx context.Context, key string) error {
	if f.hit() {
		return f.fail("delete", key)
	}
	return f.Store.Delete(ctx, key)
}

func (f *flaky) PutAbsent(ctx context.Context, items []blob.Item) (int, error) {
	return blob.PutEach(ctx, f, items, 1)
}

func (f *flaky) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for o, err := range f.Store.List(ctx, prefix) {
			if err == nil && f.hit() {
				err = f.fail("list", prefix)
			}
			if !yield(o, err) || err != nil {
				return
			}
		}
	}
}

func TestOutagesAtRandomMomentsChangeNothing(t *testing.T) {
	t.Parallel()
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(60), "user.json": `{"id":"user-1","email":"a@b.c","chatgpt_plus_user":false}`})
	fresh := func() Deps {
		d := testDeps(t)
		d.Limits.ShardItems = 7
		return d
	}
	d := fresh()
	if _, err := runStages(t, d, file); err != nil {
		t.Fatal(err)
	}
	want := outcome(t, d.Store)
	for seed := range uint64(6) {
		d := fresh()
		f := &flaky{Store: d.Store, r: rand.New(rand.NewPCG(seed, 1)), one: 40}
		broken := d
		broken.Store = state.ClassedStore{Store: f}
		tries := 0
		for {
			tries++
			if tries == 300 {
				f.off = true
			}
			r, err := runStages(t, broken, file)
			if err == nil {
				if r.State != state.StateDone || r.Counts.Conversations != 60 {
					t.Errorf("seed %d after %d tries: %s, %d conversations, quarantined %+v", seed, tries, r.State, r.Counts.Conversations, r.Quarantined)
				}
				break
			}
			if c := fault.Of(err); c != fault.Outage {
				t.Errorf("seed %d: class %s: %v", seed, c, err)
			}
			if tries > 310 {
				t.Fatal("never ends")
			}
		}
		got := outcome(t, d.Store)
		for key, text := range want {
			if got[key] != text && !strings.Contains(key, "receipt") {
				t.Errorf("seed %d: %s differs (there: %v)", seed, key, got[key] != "")
			}
		}
		for key := range got {
			if _, ok := want[key]; !ok && !strings.HasPrefix(key, "owners/me/exports/") {
				t.Errorf("seed %d: %s is left behind", seed, key)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d, %d tries", seed, tries)
		}
	}
}
