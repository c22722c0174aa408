package ingest_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// toldExport has talks that tell something, talks that tell nothing, secrets, and records.
func toldExport(t *testing.T) []byte {
	return stagetest.Zip(t, map[string]string{"notes.json": `[
		{"id":"1","text":"I'm vegetarian and I live in Ghent."},{"id":"2","text":"What is a monad?"},{"record":{"kind":"memory","text":"User keeps hens."}},
		{"id":"3","text":"Remember that my password is hunter2!x9. I have a dog named Otto."},{"record":{"kind":"memory","text":"User's password is hunter2hunter2."}},{"id":"4","text":"y"},{"id":"5","text":"z"}]`})
}

// earlyRig extracts while it packs, if it is told to.
func earlyRig(t *testing.T, early bool) *stagetest.Rig {
	r := stagetest.New(t)
	r.Ingest.Registry, r.Ingest.Limits.ShardItems = stagetest.NotesRegistry(), 2
	if early {
		r.Ingest.Finder = r.Extraction.Finder
	}
	return r
}

// extractAll takes the shards of an import through their extraction, those that have no result.
func extractAll(t *testing.T, r *stagetest.Rig, m state.Manifest) (extracted int) {
	t.Helper()
	for n, s := range m.Shards {
		if _, done := r.Data.Body(state.CompleteKey(owner, m.Import, s.ID)); done {
			continue
		}
		extracted++
		if _, complete, err := r.Extract(t.Context(), m, n, 1); err != nil || !complete {
			t.Fatal(complete, err)
		}
	}
	return extracted
}

func TestWhatIsExtractedEarlyIsWhatTheStageWrites(t *testing.T) {
	export := toldExport(t)
	late, early := earlyRig(t, false), earlyRig(t, true)
	if n := extractAll(t, late, read(t, late, late.PutDrop(t, export))); n != 4 {
		t.Fatalf("%d shards were extracted, want 4", n)
	}
	if n := extractAll(t, early, read(t, early, early.PutDrop(t, export))); n != 0 {
		t.Errorf("%d shards were left to their extraction", n)
	}
	want := withoutKnown(storedObjects(late)) // the known elements have what was found, or that nobody has looked
	if !maps.Equal(withoutKnown(storedObjects(early)), want) {
		t.Error("the objects differ")
	}
	candidates, rejects := 0, 0
	for key := range want {
		if strings.Contains(key, "/candidates/") {
			candidates++
		}
		if strings.Contains(key, "/rejects/") {
			rejects++
		}
	}
	if candidates != 4 || rejects == 0 {
		t.Errorf("%d results and %d lists of rejects: the export tells too little", candidates, rejects)
	}
}

func TestACrashAtAnyWriteOfAnEarlyExtractionEndsInTheSameObjects(t *testing.T) {
	export := toldExport(t)
	r := earlyRig(t, true)
	drop := r.PutDrop(t, export)
	extractAll(t, r, read(t, r, drop))
	want := storedObjects(r)
	left := 0
	for n := 0; ; n++ {
		r := earlyRig(t, true)
		drop := r.PutDrop(t, export)
		c, reached := r.Crash(n)
		if _, err := c.Read(t.Context(), drop); reached() && !errors.Is(err, statetest.ErrCrashed) {
			t.Fatalf("crash at write %d: %v", n, err)
		}
		left += extractAll(t, r, read(t, r, drop))
		if !maps.Equal(storedObjects(r), want) {
			t.Errorf("after a crash at write %d the objects differ", n)
		}
		if !reached() {
			break
		}
	}
	if left == 0 {
		t.Error("no crash left a pack without its result")
	}
}

// brittle is an extractor that panics at one document, and finds nothing in others.
type brittle struct{ in string }

func (b brittle) Name() string          { return "brittle" }
func (b brittle) Version() string       { return "pamline-brittle/1.0.0" }
func (b brittle) Wants(doc []byte) bool { return strings.Contains(string(doc), b.in) }
func (b brittle) Extract(*pamio.Conversation, []byte) ([]normalize.Candidate, extract.Report) {
	panic("the extractor has a fault")
}

func TestWhatCannotBeExtractedEarlyIsLeftToTheStage(t *testing.T) {
	long := fmt.Sprintf(`{"id":"9","text":%q}`, strings.Repeat("I live in Ghent. ", 1<<16))
	cases := map[string]struct {
		change func(r *stagetest.Rig)
		early  []bool // of the shards: one talk in each
	}{
		"nobody extracts early": {func(r *stagetest.Rig) { r.Ingest.Finder = nil }, []bool{false, false, false}},
		"a large document":      {func(*stagetest.Rig) {}, []bool{true, true, false}},
		"a panic": {func(r *stagetest.Rig) {
			r.Ingest.Extractors, r.Extraction.Extractors = builtin.Registry(brittle{in: "hens"}), builtin.Registry(brittle{in: "hens"})
		}, []bool{true, false, false}},
		"a service": {func(r *stagetest.Rig) {
			r.Ingest.Extractors, r.Extraction.Extractors = builtin.Registry(&stagetest.Model{}), builtin.Registry(&stagetest.Model{})
		}, []bool{false, false, false}},
		"vectors": {func(r *stagetest.Rig) { r.Ingest.Embeddings = "v@2" }, []bool{false, false, false}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := earlyRig(t, true)
			r.Ingest.Limits.ShardItems = 1
			c.change(r)
			if r.Ingest.Finder != nil {
				r.Ingest.Finder = r.Extraction.Finder
			}
			m := read(t, r, r.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": `[{"id":"1","text":"I live in Ghent."},{"id":"2","text":"I keep hens."},` + long + `]`})))
			if len(m.Shards) != 3 || m.Counts.Conversations != 3 || m.Counts.Quarantined != 0 {
				t.Fatalf("%d shards, counts %+v", len(m.Shards), m.Counts)
			}
			for n, s := range m.Shards {
				if _, done := r.Data.Body(state.CompleteKey(owner, m.Import, s.ID)); done != c.early[n] {
					t.Errorf("shard %d has a result: %v", n, done)
				}
			}
		})
	}
}
