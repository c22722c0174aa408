package publish

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// manyInputs is an input set that is large enough to be cached.
func manyInputs() state.Inputs {
	in := state.NewInputs()
	for i := range cacheFrom {
		in.Accept(objects.Digest(fmt.Sprint(i)), 1, objects.Digest(fmt.Sprint("i", i))[:32], nil)
	}
	return in
}

func opened(t testing.TB, s blob.Store, set state.Inputs) *objectCache {
	t.Helper()
	c, err := openCache(t.Context(), Options{Store: s, Log: zap.NewNop(), Scratch: t.TempDir()}, "me", set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func put(t testing.TB, s blob.Store, key string, size int) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, bytes.NewReader(make([]byte, size)), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

// Large objects, documents and what may change are read where they are, and the cache has a bound.
func TestTheCacheIsBounded(t *testing.T) {
	s := statetest.New()
	sizes := map[string]int{"imports/x/small": cacheEach, "imports/x/large": cacheEach + 1, "imports/x/pack.s2": 10, "edits/1.json": 5, "head.json": 7}
	for name, size := range sizes {
		put(t, s, state.OwnerKey("me", name), size)
	}
	c := opened(t, s, manyInputs())
	for name, size := range sizes {
		for range 2 {
			if body, _, err := blob.ReadAll(t.Context(), c, state.OwnerKey("me", name), cacheMost); err != nil || len(body) != size {
				t.Errorf("%s has %d bytes, want %d (%v)", name, len(body), size, err)
			}
		}
	}
	put(t, s, state.OwnerKey("me", "imports/x/late"), 11)
	c.end = cacheMost - 10
	if body, _, err := blob.ReadAll(t.Context(), c, state.OwnerKey("me", "imports/x/late"), cacheMost); err != nil || len(body) != 11 {
		t.Errorf("%d bytes, %v", len(body), err)
	}
	if names := slices.Sorted(maps.Keys(c.copies)); !slices.Equal(names, []string{state.EditKey("me", 1), state.ImportKey("me", "x", "small")}) || c.added != 2 {
		t.Errorf("cached are %v", names)
	}
}

func TestAnOwnerWithFewImportsHasNoCache(t *testing.T) {
	s := statetest.New()
	put(t, s, cacheKey("me"), 3)
	put(t, s, state.OwnerKey("me", "imports/x/a"), 3)
	calls := 0
	c := opened(t, s.View(func(statetest.Call) error { calls++; return nil }, nil), state.NewInputs())
	if _, _, err := blob.ReadAll(t.Context(), c, state.OwnerKey("me", "imports/x/a"), 10); err != nil || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
	if err := c.save(t.Context(), false); err != nil || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// filled stores a cache of many objects, and gives it.
func filled(t *testing.T, s *statetest.Store) (key string, body []byte) {
	t.Helper()
	c := opened(t, s, manyInputs())
	for i := range cacheAt {
		key := state.OwnerKey("me", fmt.Sprintf("imports/x/%03d", i))
		if _, err := objects.PutOnce(t.Context(), s, key, []byte(strings.Repeat("x", i))); err != nil {
			t.Fatal(err)
		}
		if _, _, err := blob.ReadAll(t.Context(), c, key, cacheEach); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.save(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	text, ok := s.Body(cacheKey("me"))
	if !ok {
		t.Fatal("there is no cache")
	}
	return cacheKey("me"), []byte(text)
}

func TestCopiesAreReadWithoutTheirObjects(t *testing.T) {
	s := statetest.New()
	filled(t, s)
	var got []string
	c := opened(t, s.View(func(c statetest.Call) error { got = append(got, c.Key); return nil }, nil), manyInputs())
	for i := range cacheAt {
		if body, _, err := blob.ReadAll(t.Context(), c, state.OwnerKey("me", fmt.Sprintf("imports/x/%03d", i)), cacheEach); err != nil || len(body) != i {
			t.Errorf("copy %d has %d bytes (%v)", i, len(body), err)
		}
	}
	if !slices.Equal(got, []string{cacheKey("me")}) {
		t.Errorf("read are %v", got)
	}
}

// A cache that is damaged, truncated or of another version is not used.
func TestADamagedCacheIsNotUsed(t *testing.T) {
	s := statetest.New()
	key, good := filled(t, s)
	for name, body := range map[string][]byte{
		"not compressed":     []byte("hello"),
		"truncated":          good[:len(good)/2],
		"of a later version": objects.CompressLines([]byte("{\"v\":3,\"k\":\"a\",\"n\":0}\n")),
		"too short":          objects.CompressLines([]byte("{\"v\":2,\"k\":\"a\",\"n\":100}\nabc")),
		"without a line end": objects.CompressLines([]byte("{\"v\":2,\"k\":\"a\",\"n\":0}")),
		"too large":          objects.CompressLines([]byte("{\"v\":2,\"k\":\"a\",\"n\":70000}\n" + strings.Repeat("x", 70000))),
	} {
		if _, err := s.Put(t.Context(), key, bytes.NewReader(body), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		c := opened(t, s, manyInputs())
		if len(c.copies) > 0 || c.end != 0 {
			t.Errorf("%s: %d copies are used", name, len(c.copies))
		}
		if body, _, err := blob.ReadAll(t.Context(), c, state.OwnerKey("me", "imports/x/009"), cacheEach); err != nil || len(body) != 9 {
			t.Errorf("%s: %d bytes, %v", name, len(body), err)
		}
	}
}

func TestAnErasureRemovesTheCache(t *testing.T) {
	s := statetest.New()
	key, _ := filled(t, s)
	before := manyInputs()
	after := before.Clone()
	after.Erase(objects.Digest("3"), 2)
	if !before.HasDropped(after) || after.HasDropped(after) || before.HasDropped(before) {
		t.Error("an erasure is not recognized")
	}
	if err := opened(t, s, after).save(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Body(key); ok {
		t.Error("the cache is there")
	}
}

func FuzzCache(f *testing.F) {
	f.Add(objects.CompressLines([]byte("{\"v\":1,\"k\":\"imports/a/manifest.json\",\"n\":3}\nabc{\"v\":1,\"k\":\"imports/c\",\"n\":0}\n")))
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Fuzz(func(t *testing.T, body []byte) {
		c := opened(t, statetest.New(), manyInputs())
		_ = c.decode(bytes.NewReader(body)) // must end, within its bounds
		for name, copied := range c.copies {
			if copied.size < 0 || copied.size > cacheEach || copied.at+copied.size > c.end || c.end > cacheMost {
				t.Errorf("copy %q of %d bytes at %d passes the bounds", name, copied.size, copied.at)
			}
		}
	})
}

func TestNeitherABadStoreNorBadVectorsArePublished(t *testing.T) {
	for name, text := range map[string]string{
		"store.json":      `{"schema":"portable-ai-memory","schema_version":"1.0","memories":[{"id":"x"}]}`,
		"embeddings.json": `{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[{"id":"x","vector":[]}]}`,
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := Options{Log: zap.NewNop(), Scratch: t.TempDir(), SortBudget: 8 << 20}
		if err := o.checkDocument(t.Context(), file); fault.Of(err) != fault.Permanent || !strings.Contains(err.Error(), "the store is unchanged") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
