package validate

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// mutation changes the valid bundle so that a check must fail. want lists all ids that the change
// causes, that of the check alone when it is empty.
type mutation struct {
	name   string
	change func(f *fixture) Target
	want   []string
	o      Options
}

const m = "/memories/"

var blankHash = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func set(file, pointer string, value any) func(*fixture) Target {
	return func(f *fixture) Target { f.set(file, pointer, value); return f.bundle() }
}

func del(file, pointer string) func(*fixture) Target {
	return func(f *fixture) Target { f.del(file, pointer); return f.bundle() }
}

func replace(file, old, new string) func(*fixture) Target {
	return func(f *fixture) Target { f.replace(file, old, new); return f.bundle() }
}

// each runs changes one after the other.
func each(changes ...func(*fixture) Target) func(*fixture) Target {
	return func(f *fixture) Target {
		for _, c := range changes {
			c(f)
		}
		return f.bundle()
	}
}

// delta makes an incremental export of the bundle: mem-a changed, with the index entry of its
// conversation.
func delta(changes ...func(*fixture) Target) func(*fixture) Target {
	return func(f *fixture) Target {
		whole := newFixture(f.t)
		f.open = true
		f.set(storeFile, "/export_type", "incremental")
		f.set(storeFile, "/base_export_id", whole.get(storeFile, "/export_id"))
		f.set(storeFile, "/export_id", "9c8b7a6d-0000-4000-8000-000000000001")
		f.set(storeFile, "/since", "2026-02-01T00:00:00Z")
		f.set(storeFile, "/relations", []any{})
		f.del(storeFile, "/conversations_index/1")
		for range 3 {
			f.del(storeFile, "/memories/1")
		}
		f.set(storeFile, "/conversations_index/0/derived_memories", []any{"mem-a", "mem-b"})
		f.del(embFile, "/embeddings/1")
		delete(f.files, conv2)
		f.open = false
		f.set(storeFile, "/memories/0/temporal/updated_at", "2026-02-02T00:00:00Z")
		return each(changes...)(f)
	}
}

func withBase() Options {
	return Options{Base: &Target{Name: "base", FS: fixtureFS()}}
}

func fixtureFS() fstest.MapFS {
	return newFixture(silentT{}).files
}

func ids(found []Finding) []string {
	set := map[string]bool{}
	for _, f := range found {
		set[f.ID] = true
	}
	return slices.Sorted(maps.Keys(set))
}

func TestEachCheckFindsItsFault(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	covered := map[string]bool{}
	for _, group := range []map[string][]mutation{textMutations, storeMutations, signatureMutations, deltaMutations, companionMutations} {
		for id, cases := range group {
			covered[id] = true
			for _, c := range cases {
				t.Run(id+"/"+c.name, func(t *testing.T) { c.check(t, id) })
			}
		}
	}
	for _, c := range Catalog() {
		if !covered[c.ID] {
			t.Errorf("no case shows that %s is found", c.ID)
		}
		delete(covered, c.ID)
	}
	for id := range covered {
		t.Errorf("%s is not in the catalogue", id)
	}
}

func (c mutation) check(t *testing.T, id string) {
	want := c.want
	if len(want) == 0 {
		want = []string{id}
	}
	slices.Sort(want)
	for _, strict := range []bool{false, true} {
		c.o.Strict = strict
		r, found := run(t, c.change(newFixture(t)), c.o)
		if got := ids(found); !slices.Equal(got, want) {
			t.Errorf("strict %v: found %v, want %v", strict, got, want)
			for _, f := range found {
				t.Log(f)
			}
		}
		worst := Info
		for _, f := range found {
			worst = max(worst, f.Severity)
		}
		if (worst == Error) != (r.Verdict() != Valid) {
			t.Errorf("strict %v: verdict %v with a worst finding of %v", strict, r.Verdict(), worst)
		}
		for _, f := range found {
			if f.File == "" || f.Message == "" || f.Pointer != "" && f.Pointer[0] != '/' || strings.Contains(f.Message, "%!") {
				t.Errorf("finding is not whole: %+v", f)
			}
		}
	}
}
