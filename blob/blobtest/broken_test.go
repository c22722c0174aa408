package blobtest_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"iter"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest"
	"github.com/pamline/pamline/blob/dir"
)

// broken are stores that break one promise each, with the part of the suite that has to notice it.
// Each is a sound store with a fault put around it.
var broken = map[string]struct {
	notices string
	store   func(blob.Store) blob.Store
}{
	"IfAbsent is not heeded": {"IfAbsent writes once", func(s blob.Store) blob.Store {
		return changed{Store: s, put: func(_ string, o *blob.PutOptions) { o.IfAbsent = false }}
	}},
	"IfMatch is not heeded": {"IfMatch replaces what it names", func(s blob.Store) blob.Store {
		return changed{Store: s, put: func(_ string, o *blob.PutOptions) { o.IfMatch = "" }}
	}},
	"ranges are not heeded": {"ranges select bytes", func(s blob.Store) blob.Store { return whole{s} }},
	"half a body is an object": {"a failing body leaves no object", func(s blob.Store) blob.Store {
		return halves{s}
	}},
	"all objects have one tag": {"different bytes have different tags", func(s blob.Store) blob.Store { return oneTag{s} }},
	"lists come backwards":     {"lists come in byte order of keys", func(s blob.Store) blob.Store { return backwards{s} }},
	"lists go on":              {"lists keep to their prefix", func(s blob.Store) blob.Store { return all{s} }},
	"a context is not heeded":  {"a cancelled context ends every call", func(s blob.Store) blob.Store { return patient{s} }},
}

// fault names the store that TestStore takes, in the processes that the test below starts.
var fault = flag.String("fault", "", "which of the broken stores to test")

func TestStore(t *testing.T) {
	if *fault == "" {
		return // the sound one is held to the suite where it lies
	}
	blobtest.Run(t, func(t *testing.T) blob.Store {
		s, err := dir.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return broken[*fault].store(s)
	})
}

func TestTheSuiteNoticesABrokenStore(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range broken {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := exec.CommandContext(t.Context(), binary, "-test.run", "^TestStore$/^"+b.notices+"$", "-fault", name).CombinedOutput()
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || !strings.Contains(string(out), "--- FAIL: TestStore/"+strings.ReplaceAll(b.notices, " ", "_")) {
				t.Errorf("it is not noticed: %v\n%s", err, out)
			}
		})
	}
}

// changed changes what is put.
type changed struct {
	blob.Store
	put func(key string, o *blob.PutOptions)
}

func (c changed) Put(ctx context.Context, key string, r io.Reader, o blob.PutOptions) (blob.Object, error) {
	c.put(key, &o)
	return c.Store.Put(ctx, key, r, o)
}

type whole struct{ blob.Store }

func (w whole) Get(ctx context.Context, key string, _ blob.Range) (io.ReadCloser, blob.Object, error) {
	return w.Store.Get(ctx, key, blob.Range{})
}

type halves struct{ blob.Store }

func (h halves) Put(ctx context.Context, key string, r io.Reader, o blob.PutOptions) (blob.Object, error) {
	half, err := io.ReadAll(r)
	obj, stored := h.Store.Put(ctx, key, strings.NewReader(string(half)), o)
	return obj, errors.Join(err, stored)
}

type oneTag struct{ blob.Store }

func (s oneTag) Head(ctx context.Context, key string) (blob.Object, error) {
	obj, err := s.Store.Head(ctx, key)
	obj.ETag = "tag"
	return obj, err
}

func (s oneTag) Put(ctx context.Context, key string, r io.Reader, o blob.PutOptions) (blob.Object, error) {
	obj, err := s.Store.Put(ctx, key, r, o)
	obj.ETag = "tag"
	return obj, err
}

type backwards struct{ blob.Store }

func (b backwards) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		var found []blob.Object
		for obj, err := range b.Store.List(ctx, prefix) {
			if err != nil {
				yield(obj, err)
				return
			}
			found = append(found, obj)
		}
		for _, obj := range slices.Backward(found) {
			if !yield(obj, nil) {
				return
			}
		}
	}
}

type all struct{ blob.Store }

func (a all) List(ctx context.Context, _ string) iter.Seq2[blob.Object, error] {
	return a.Store.List(ctx, "")
}

type patient struct{ blob.Store }

func (p patient) Head(ctx context.Context, key string) (blob.Object, error) {
	return p.Store.Head(context.WithoutCancel(ctx), key)
}

func (p patient) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	return p.Store.Get(context.WithoutCancel(ctx), key, r)
}
