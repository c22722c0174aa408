package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// scattered is a store that keeps no gathered objects, so that each is read where it lies.
type scattered struct{ blob.Store }

func (s scattered) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	if key == publish.GatheredKey("me") {
		return nil, blob.Object{}, fmt.Errorf("get %s: %w", key, blob.ErrNotExist)
	}
	return s.Store.Get(ctx, key, r)
}

func (s scattered) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	if key == publish.GatheredKey("me") {
		_, err := io.Copy(io.Discard, body)
		return blob.Object{}, err
	}
	return s.Store.Put(ctx, key, body, o)
}

// overtaken is a store on which somebody else acts before each head is written for the first time.
type overtaken struct {
	blob.Store
	act func()
}

func (s *overtaken) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	if key == state.HeadKey("me") && s.act != nil {
		act := s.act
		s.act = nil
		act()
	}
	return s.Store.Put(ctx, key, body, o)
}

// manyImports takes small drops through ingest and extract; each has a conversation in common with the one before it, and the
// last is the first one, read anew.
func manyImports(t *testing.T, d Deps, n int) (tasks []AssembleTask) {
	t.Helper()
	for i := range n {
		if i == n-1 {
			i, d.Limits.MaxDepth = 0, 100 // another import of the same drop
		}
		text := strings.NewReplacer(`"c-0"`, fmt.Sprintf(`"c-%d"`, i), `"c-1"`, fmt.Sprintf(`"c-%d"`, i+1),
			"keeps 0", fmt.Sprintf("keeps %d", 100+i), "keeps 1", fmt.Sprintf("keeps %d", 200+i)).Replace(manyConversations(2))
		_, task := ingested(t, d, "me", zipOf(t, map[string]string{"conversations.json": text}))
		tasks = append(tasks, task)
	}
	return tasks
}

func assembled(t *testing.T, d Deps, tasks ...AssembleTask) {
	t.Helper()
	if _, err := Assemble(t.Context(), d, "me", tasks); err != nil {
		t.Fatal(err)
	}
}

// on gives the same dependencies on a fresh overlay, with ids from the first on.
func on(t *testing.T, d Deps, over func(blob.Store) blob.Store) Deps {
	t.Helper()
	s, discard, err := Overlay(d.Store, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := discard(); err != nil {
			t.Error(err)
		}
	})
	fresh := testDeps(t)
	fresh.Store = over(s)
	return fresh
}

// lastingOf is every object, as it is, but the copies. Ids and times are those of testDeps, and so the same each time.
func lastingOf(t *testing.T, d Deps) map[string]string {
	t.Helper()
	all := map[string]string{}
	for o, err := range d.Store.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if o.Key == publish.GatheredKey("me") {
			continue
		}
		body, _, err := blob.ReadAll(t.Context(), d.Store, o.Key, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		all[o.Key] = string(body)
	}
	return all
}

func sameOutcome(t *testing.T, got, want map[string]string) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got[key] != want[key] {
			t.Errorf("%s differs", key)
		}
		delete(got, key)
	}
	for key := range got {
		t.Errorf("%s is there", key)
	}
}

func hasGathered(t *testing.T, s blob.Store) bool {
	t.Helper()
	there, err := state.Exists(t.Context(), s, publish.GatheredKey("me"))
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// The tests of gathered objects share sixty imports that have been extracted.
func TestGatheredObjects(t *testing.T) {
	base := testDeps(t)
	tasks := manyImports(t, base, 60)
	t.Run("change nothing one by one", func(t *testing.T) { gatheringOneByOne(t, base, tasks) })
	t.Run("change nothing in batches", func(t *testing.T) {
		gatheringChangesNothing(t, base, func(d Deps) {
			for batch := range slices.Chunk(tasks, 7) {
				assembled(t, d, batch...)
			}
		})
	})
	t.Run("change nothing with a second assembler", func(t *testing.T) {
		gatheringChangesNothing(t, base, func(d Deps) {
			for batch := range slices.Chunk(tasks, 10) {
				late := d
				late.Store = &overtaken{d.Store, func() { assembled(t, d, batch[:5]...) }}
				assembled(t, late, batch[5:]...)
			}
		})
	})
	t.Run("are read again when they changed", func(t *testing.T) { changedAfterGathering(t, base, tasks) })
	t.Run("are replaced when they are damaged", func(t *testing.T) { damagedGathering(t, base, tasks) })
}

func plain(s blob.Store) blob.Store { return s }

func apart(s blob.Store) blob.Store { return scattered{s} }

// gatheringChangesNothing: everything that lasts is the same whether small objects are gathered or not.
func gatheringChangesNothing(t *testing.T, base Deps, run func(d Deps)) {
	t.Parallel()
	with, without := on(t, base, plain), on(t, base, apart)
	run(with)
	run(without)
	if !hasGathered(t, with.Store) || hasGathered(t, without.Store) {
		t.Fatal("want gathered objects in the first store only")
	}
	sameOutcome(t, lastingOf(t, with), lastingOf(t, without))
}

// How much is asked of storage for one more drop does not depend on how many there were; and somebody with few of them has
// no gathered objects, and pays for no listings.
func gatheringOneByOne(t *testing.T, base Deps, tasks []AssembleTask) {
	gatheringChangesNothing(t, base, func(d Deps) {
		counted := newRequests(d.Store)
		d.Store = counted
		reads := func(tasks []AssembleTask) int {
			counted.reset()
			for _, task := range tasks {
				assembled(t, d, task)
			}
			return counted.of("get")
		}
		assembled(t, d, tasks[:publish.GatherFrom-1]...)
		if n := counted.kinds["list imports"] + counted.kinds["get gathered.zst"]; n > 0 {
			t.Errorf("%d requests were made for gathered objects of an owner with few imports:\n%s", n, counted)
		}
		early := reads(tasks[publish.GatherFrom-1 : 31])
		assembled(t, d, tasks[31:44]...)
		late := reads(tasks[44:60])
		if hasGathered(t, d.Store) && late > early+early/4 {
			t.Errorf("16 drops after 44 take %d reads, those after 15 took %d:\n%s", late, early, counted)
		}
	})
}

// What is changed, added or removed after it was gathered is seen, whoever did it.
func changedAfterGathering(t *testing.T, base Deps, tasks []AssembleTask) {
	t.Parallel()
	key := func(i int) string {
		m, ok, err := state.ReadManifest(t.Context(), base.Store, "me", tasks[i].Import)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		return state.CandidatesKey("me", m.Import, m.Shards[0].ID)
	}
	put := func(d Deps, key string, lines []byte) {
		if _, err := d.Store.Put(t.Context(), key, bytes.NewReader(state.CompressLines(lines)), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(d Deps, key string) {
		if err := d.Store.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	changed, added, removed := key(3), key(5), key(7)
	run := func(over func(blob.Store) blob.Store) Deps {
		d := on(t, base, over)
		lines := expanded(t, d.Store, added)
		remove(d, added)
		assembled(t, d, tasks[:20]...)
		assembled(t, d, tasks[20:40]...)
		put(d, changed, bytes.ReplaceAll(expanded(t, d.Store, changed), []byte("hens"), []byte("geese")))
		put(d, added, lines)
		remove(d, removed)
		assembled(t, d, tasks[40])
		return d
	}
	with := run(plain)
	if !hasGathered(t, with.Store) {
		t.Fatal("nothing was gathered")
	}
	all := lastingOf(t, with)
	for text, want := range map[string]bool{"keeps 103 geese": true, "keeps 103 hens": false, "keeps 105 hens": true, "keeps 107 hens": false, "keeps 104 hens": true} {
		if strings.Contains(all[state.StoreKey("me")], text) != want {
			t.Errorf("the store has %q: %t, want %t", text, !want, want)
		}
	}
	sameOutcome(t, all, lastingOf(t, run(apart)))
}

func expanded(t *testing.T, s blob.Store, key string) []byte {
	t.Helper()
	body, _, err := blob.ReadAll(t.Context(), s, key, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	lines, err := z.DecodeAll(body, nil)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// A gathered object that is damaged, cut off or of another version is not used, and written anew.
func damagedGathering(t *testing.T, base Deps, tasks []AssembleTask) {
	t.Parallel()
	last := tasks[33]
	ready := func(over func(blob.Store) blob.Store) Deps {
		d := on(t, base, over)
		assembled(t, d, tasks[:33]...)
		return d
	}
	without := ready(apart)
	assembled(t, without, last)
	want := lastingOf(t, without)
	good, _, err := blob.ReadAll(t.Context(), ready(plain).Store, publish.GatheredKey("me"), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{
		"not compressed":  []byte("hello"),
		"cut off":         good[:len(good)/2],
		"of a later form": state.CompressLines([]byte("{\"v\":2}\n")),
		"too short":       state.CompressLines([]byte("{\"v\":1}\n{\"k\":\"a\",\"e\":\"b\",\"n\":100}\nabc")),
	} {
		t.Run(name, func(t *testing.T) {
			d := ready(plain)
			if _, err := d.Store.Put(t.Context(), publish.GatheredKey("me"), bytes.NewReader(body), blob.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			assembled(t, d, last)
			sameOutcome(t, lastingOf(t, d), maps.Clone(want))
			if now, _, err := blob.ReadAll(t.Context(), d.Store, publish.GatheredKey("me"), 1<<20); err != nil || bytes.Equal(now, body) {
				t.Errorf("the damaged object of %d bytes was not replaced (%v)", len(body), err)
			}
		})
	}
}

// Large objects are read where they lie, and what is gathered has a bound.
func TestGatheredObjectsAreBounded(t *testing.T) {
	d := testDeps(t)
	put := func(name string, size int) {
		if _, err := d.Store.Put(t.Context(), state.ImportKey("me", "x", name), bytes.NewReader(make([]byte, size)), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	put("small", publish.GatherEach)
	put("large", publish.GatherEach+1)
	put("late", 11)
	put("pack.s2", 10)
	g, err := publish.OpenGathered(t.Context(), d.publication(), "me", publish.GatherFrom)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	read := func(name string, want int) {
		t.Helper()
		if body, _, err := blob.ReadAll(t.Context(), g, state.ImportKey("me", "x", name), publish.GatherMost); err != nil || len(body) != want {
			t.Errorf("%s has %d bytes, want %d (%v)", name, len(body), want, err)
		}
	}
	read("small", publish.GatherEach)
	read("large", publish.GatherEach+1)
	read("pack.s2", 10)
	g.End = publish.GatherMost - 10
	read("late", 11)
	if names := slices.Collect(maps.Keys(g.Copies)); !slices.Equal(names, []string{"x/small"}) || g.Alone != 1 {
		t.Errorf("gathered %v, want the small object only", names)
	}
}

func FuzzGatheredObject(f *testing.F) {
	f.Add(state.CompressLines([]byte("{\"v\":1}\n{\"k\":\"a/manifest.json\",\"e\":\"b\",\"n\":3}\nabc{\"k\":\"c\",\"e\":\"\",\"n\":0}\n")))
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Fuzz(func(t *testing.T, body []byte) {
		d := testDeps(t)
		g, err := publish.OpenGathered(t.Context(), d.publication(), "me", publish.GatherFrom)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		_ = g.Decode(bytes.NewReader(body)) // must end, within its bounds
		for name, c := range g.Copies {
			if c.Size < 0 || c.Size > publish.GatherEach || c.At+c.Size > g.End || g.End > publish.GatherMost {
				t.Errorf("copy %q of %d bytes at %d passes the bounds", name, c.Size, c.At)
			}
		}
	})
}
