package storage

import (
	"context"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/config"
)

func open(t *testing.T) blob.Store {
	t.Helper()
	return openIn(t, config.Default().Store, t.TempDir())
}

func openIn(t *testing.T, c config.Store, local string) blob.Store {
	t.Helper()
	s, closeStore, err := Open(t.Context(), c, local)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeStore(); err != nil {
			t.Error(err)
		}
	})
	return s
}

const partSize = 1 << 20

// check gives the steps by name, in their order.
func check(t *testing.T, s blob.Store) []Step {
	t.Helper()
	var steps []Step
	Check(t.Context(), s, "one", partSize, func(step Step) { steps = append(steps, step) })
	return steps
}

func TestAGoodStorePassesAndIsLeftEmpty(t *testing.T) {
	s := open(t)
	steps := check(t, s)
	for o := range s.List(t.Context(), "") {
		t.Errorf("left behind: %s", o.Key)
	}
	if len(steps) != 13 {
		t.Errorf("%d steps", len(steps))
	}
	for _, step := range steps {
		if step.Err != nil || step.Hint != "" {
			t.Errorf("%+v", step)
		}
	}
}

// spoiled is a store with one fault.
type spoiled struct {
	blob.Store
	put  func(blob.PutOptions) blob.PutOptions
	get  func(blob.Range) blob.Range
	list func(yield func(blob.Object, error) bool, all []blob.Object)
}

func (s spoiled) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	if s.put != nil {
		o = s.put(o)
	}
	return s.Store.Put(ctx, key, body, o)
}

func (s spoiled) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	if s.get != nil {
		r = s.get(r)
	}
	return s.Store.Get(ctx, key, r)
}

func (s spoiled) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		var all []blob.Object
		for o, err := range s.Store.List(ctx, prefix) {
			if err != nil || s.list == nil {
				if !yield(o, err) {
					return
				}
				continue
			}
			all = append(all, o)
		}
		if s.list != nil {
			s.list(yield, all)
		}
	}
}

func TestEachFaultOfAStoreIsFoundOut(t *testing.T) {
	for want, change := range map[string]func(*spoiled){
		"refuse to write an object that exists": func(s *spoiled) {
			s.put = func(o blob.PutOptions) blob.PutOptions { o.IfAbsent = false; return o }
		},
		"refuse to replace an object that somebody changed": func(s *spoiled) {
			s.put = func(o blob.PutOptions) blob.PutOptions { o.IfMatch = ""; return o }
		},
		"read a part of an object": func(s *spoiled) {
			s.get = func(r blob.Range) blob.Range { return blob.Range{} }
		},
		"list objects in the order of their names, page by page": func(s *spoiled) {
			s.list = func(yield func(blob.Object, error) bool, all []blob.Object) {
				for i := range min(len(all), 10) { // only the first page comes
					if !yield(all[i], nil) {
						return
					}
				}
			}
		},
	} {
		s := spoiled{Store: open(t)}
		change(&s)
		var bad []string
		for _, step := range check(t, s) {
			if step.Err != nil {
				bad = append(bad, step.Name)
				if step.Hint == "" {
					t.Errorf("%s: nothing says what to do about %v", step.Name, step.Err)
				}
			}
		}
		if len(bad) == 0 || bad[0] != want {
			t.Errorf("%s: found %q", want, bad)
		}
	}
}

// racy looks first and writes then: it keeps its word to one writer at a time only.
type racy struct {
	blob.Store
	gate *sync.WaitGroup
}

func (r racy) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	have, err := r.Head(ctx, key)
	if o.IfAbsent && err == nil || o.IfMatch != "" && have.ETag != o.IfMatch {
		return blob.Object{}, blob.ErrPrecondition
	}
	if o != (blob.PutOptions{}) && strings.Contains(key, "/swap-") {
		r.gate.Done() // all have looked before the first writes
		r.gate.Wait()
	}
	return r.Store.Put(ctx, key, body, blob.PutOptions{})
}

func TestAStoreThatLooksFirstAndWritesThenIsFoundOut(t *testing.T) {
	var gate sync.WaitGroup
	gate.Add(8)
	for _, step := range check(t, racy{open(t), &gate}) {
		if strings.Contains(step.Name, "replace the same object") {
			if step.Err == nil || !strings.Contains(step.Err.Error(), "8 of 8") {
				t.Errorf("got %v", step.Err)
			}
			return
		}
	}
	t.Error("there was no race")
}

func TestAFolderOfItsOwn(t *testing.T) {
	c := config.Default().Store
	c.Dir.Path = filepath.Join(t.TempDir(), "elsewhere")
	s := openIn(t, c, filepath.Join(t.TempDir(), "unused"))
	if _, err := s.Put(t.Context(), "a", strings.NewReader("x"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	again, err := dir.Open(c.Dir.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.Head(t.Context(), "a"); err != nil {
		t.Errorf("the folder does not have it: %v", err)
	}
}

func TestBucketSettingsReachTheClient(t *testing.T) {
	c := config.Default().Store.S3
	c.Bucket, c.Prefix, c.AccessKeyID, c.SecretAccessKey, c.SSE = "b", "p", "id", config.NewSecret("hush"), "AES256"
	o, err := Options(c)
	if err != nil || o.Bucket != "b" || o.Prefix != "p" || o.AccessKey != "id" || o.SecretKey != "hush" || o.ServerSideEncryption != "AES256" || o.Checksums != "auto" {
		t.Errorf("got %+v, %v", o, err)
	}
	c.CAFile = filepath.Join(t.TempDir(), "none.pem")
	if _, err := Options(c); err == nil || !strings.Contains(err.Error(), "ca_file") {
		t.Errorf("a missing certificate file: %v", err)
	}
}
