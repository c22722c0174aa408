package ingest_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/providers"
)

const owner = stagetest.Owner

// objects gives all objects of an owner, by key.
func storedObjects(r *stagetest.Rig) map[string]string {
	all := map[string]string{}
	for _, key := range r.Data.Keys("owners/") {
		all[key], _ = r.Data.Body(key)
	}
	return all
}

func read(t *testing.T, r *stagetest.Rig, drop string) state.Manifest {
	t.Helper()
	m, err := r.Read(t.Context(), drop)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// notesExport has talks with files beside and inside of them, and records.
func notesExport(t *testing.T) []byte {
	files := map[string]string{"files/large": large, "files/a": "a", "files/b": "b", "files/twin": "a"}
	files["notes.json"] = `[{"id":"1","text":"x","files":["files/large","files/a"],"inside":["in 1"]},{"record":{"kind":"memory","text":"User keeps hens."}},
		{"id":"2","text":"y","files":["files/twin"],"inside":["in 2"]},{"record":{"kind":"memory","text":"User likes oaks."}},{"id":"3","text":"z"}]`
	return stagetest.Zip(t, files)
}

func TestAPackIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	export := notesExport(t)
	var want map[string]string
	for _, workers := range []int{1, 8} {
		r := stagetest.New(t)
		r.Ingest.Registry, r.Ingest.Workers, r.Ingest.Limits.ShardItems = stagetest.NotesRegistry(), workers, 2
		if m := read(t, r, r.PutDrop(t, export)); len(m.Shards) != 3 {
			t.Fatalf("%d shards, want 3", len(m.Shards))
		}
		got := storedObjects(r)
		if want != nil && !maps.Equal(got, want) {
			t.Error("8 workers give other objects than one")
		}
		want = got
	}
}

func TestACrashAtAnyWriteOfIngestEndsInTheSameObjects(t *testing.T) {
	export := notesExport(t)
	fresh := func() (*stagetest.Rig, string) {
		r := stagetest.New(t)
		r.Ingest.Registry, r.Ingest.Limits.ShardItems = stagetest.NotesRegistry(), 2
		return r, r.PutDrop(t, export)
	}
	r, drop := fresh()
	read(t, r, drop)
	want := storedObjects(r)
	for n := 0; ; n += statetest.Stride(5) {
		r, drop := fresh()
		c, reached := r.Crash(n)
		if _, err := c.Read(t.Context(), drop); reached() && !errors.Is(err, statetest.ErrCrashed) {
			t.Fatalf("crash at write %d: %v", n, err)
		}
		read(t, r, drop)
		if got := storedObjects(r); !maps.Equal(got, want) {
			t.Errorf("after a crash at write %d the objects differ", n)
		}
		if !reached() {
			if n < 10 {
				t.Fatalf("ingest needs %d writes only", n)
			}
			return
		}
	}
}

func TestAnInterruptedIngestContinuesBehindTheLastPack(t *testing.T) {
	r := stagetest.New(t)
	r.Ingest.Limits.ShardItems = 3
	drop := r.PutDrop(t, stagetest.TalksZip(t, 12))
	stop := errors.New("stop")
	req := ingest.Request{Owner: owner, Drop: drop, Lane: state.LaneSmall}
	_, err := ingest.Ingest(t.Context(), r.Ingest, req, func(_ state.Manifest, s state.Shard, _ bool) error {
		if s.Pack == 1 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	var written []string
	again := r.On(r.Data.View(func(c statetest.Call) error {
		if c.IsWrite() {
			written = append(written, c.Key)
		}
		return nil
	}, nil))
	var told []int
	m, err := ingest.Ingest(t.Context(), again.Ingest, req, func(m state.Manifest, s state.Shard, _ bool) error {
		if m.Import == "" || m.Shards[len(m.Shards)-1] != s {
			t.Errorf("shard %d comes with a manifest of %d shards", s.Pack, len(m.Shards))
		}
		told = append(told, s.Pack)
		return nil
	})
	if err != nil || !slices.Equal(told, []int{0, 1, 2, 3}) || m.Counts.Conversations != 12 || m.Counts.Units != 12 {
		t.Errorf("published %v: %+v, %v", told, m.Counts, err)
	}
	if len(written) > 2*3+1 {
		t.Errorf("packs were written again: %v", written)
	}
	for _, key := range written {
		if key == state.PackListKey(owner, m.Import, 0) {
			t.Errorf("%s was written again", key)
		}
	}
}

// Two runs of one import have other limits on shards: a worker lost its message to one with a new
// configuration and goes on all the same.
func TestRunsWithOtherLimitsOnShardsShareTheirPacks(t *testing.T) {
	r := stagetest.New(t)
	r.Ingest.Limits.ShardItems = 3
	drop := r.PutDrop(t, stagetest.TalksZip(t, 12))
	other := r.On(r.Data)
	other.Ingest.Limits.ShardItems = 5
	req := ingest.Request{Owner: owner, Drop: drop}
	var second state.Manifest
	first, err := ingest.Ingest(t.Context(), r.Ingest, req, func(_ state.Manifest, s state.Shard, _ bool) (err error) {
		if s.Pack == 0 && second.Import == "" {
			second, err = ingest.Ingest(t.Context(), other.Ingest, req, nil)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if first.Import != second.Import || !slices.Equal(first.Shards, second.Shards) || first.Counts.Conversations != 12 {
		t.Errorf("the runs end with %+v and %+v", first.Shards, second.Shards)
	}
	var sizes []int
	for _, s := range first.Shards {
		sizes = append(sizes, s.Snapshots)
	}
	if !slices.Equal(sizes, []int{3, 5, 4}) {
		t.Errorf("the packs have %v conversations, want 3, 5 and 4", sizes)
	}
}

func TestAStoredManifestIsReturnedWithoutReadingAgain(t *testing.T) {
	r := stagetest.New(t)
	drop := r.PutDrop(t, stagetest.TalksZip(t, 2))
	want := read(t, r, drop)
	again := r.On(r.Data.View(func(c statetest.Call) error {
		if c.IsWrite() {
			t.Errorf("%s", c)
		}
		return nil
	}, nil))
	m, err := ingest.Ingest(t.Context(), again.Ingest, ingest.Request{Owner: owner, Drop: drop, Lane: state.LaneBulk}, func(state.Manifest, state.Shard, bool) error {
		t.Error("a shard was published")
		return nil
	})
	if err != nil || m.Import != want.Import || m.Lane != want.Lane || !slices.Equal(m.Shards, want.Shards) {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestAnUnchangedDropIsNotOpened(t *testing.T) {
	r := stagetest.New(t)
	r.Ingest.Unchanged = func(_ context.Context, req ingest.Request) (state.Manifest, bool, error) {
		return state.Manifest{Import: "accepted", Drop: req.Drop}, true, nil
	}
	m, err := ingest.Ingest(t.Context(), r.Ingest, ingest.Request{Owner: owner, Drop: objects.Digest("not there")}, nil)
	if err != nil || m.Import != "accepted" {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestAManifestHasNoDigestOfWhatWasNotRead(t *testing.T) {
	r := stagetest.New(t)
	m := read(t, r, r.PutDrop(t, stagetest.Zip(t, map[string]string{
		"conversations.json": stagetest.Talks(1), "user.json": `{"id":"user-1","email":"a@b.c","chatgpt_plus_user":false}`, "file-abc.png": stagetest.PNG,
	})))
	for _, s := range m.Sources {
		if strings.HasPrefix(s.Checksum, "sha256:e3b0c442") {
			t.Errorf("%s has the digest of nothing", s.File)
		}
	}
}

func TestAPackListNamesWhoReadsTheImport(t *testing.T) {
	r := stagetest.New(t)
	r.Ingest.Embeddings = "v@2"
	m := read(t, r, r.PutDrop(t, stagetest.TalksZip(t, 1)))
	h, err := state.OpenPackList(t.Context(), r.Store(), state.PackListKey(owner, m.Import, 0))
	if err != nil || !slices.Equal(h.Importers, m.Importers) || !slices.Equal(h.Extractors, m.Extractors) || h.Embeddings != "v@2" || len(h.Extractors) == 0 {
		t.Errorf("%+v, %v", h, err)
	}
	body, _ := r.Data.Body(state.PackListKey(owner, m.Import, 0))
	if m.Shards[0].List != objects.Digest(body) {
		t.Error("the manifest has not the digest of the list")
	}
	if docs, ok := r.Data.Body(state.PackKey(owner, m.Import, h.Pack)); !ok || objects.Digest(docs) != h.Pack {
		t.Error("the list has not the digest of the documents")
	}
}

func TestARecordThatCannotBeStoredIsQuarantined(t *testing.T) {
	r := stagetest.New(t)
	r.Ingest.Registry = providers.NewRegistry(stagetest.NewNotes("notes", ""))
	m := read(t, r, r.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": `[{"record":{"kind":"","text":"x"}},{"id":"a"}]`})))
	var codes []string
	for q, err := range state.ListQuarantined(t.Context(), r.Store(), m) {
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, q.Code)
	}
	if !slices.Equal(codes, []string{"invalid-record"}) || m.Counts.Quarantined != 1 || m.Counts.Conversations != 1 {
		t.Errorf("%v, %+v", codes, m.Counts)
	}
}
