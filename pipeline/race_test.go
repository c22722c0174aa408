package pipeline

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// ingested takes a file through ingest and extract and gives its assemble task.
func ingested(t testing.TB, d Deps, owner, file string, extractors ...string) (state.Manifest, AssembleTask) {
	t.Helper()
	ctx := t.Context()
	rec, err := TakeIn(ctx, d.Store, owner, []string{file}, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	req := state.Request{V: state.MessageVersion, Owner: owner, Drop: rec.Drop, Lane: state.LaneSmall, Extractors: extractors}
	m, err := ingest.Ingest(ctx, d.ingest(), req, func(state.Manifest, state.Shard) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range m.Shards {
		task := state.ExtractTask{V: state.MessageVersion, Owner: owner, Drop: m.Drop, Import: m.Import, Pack: s.Pack, Shard: s.ID, Extractors: m.Extractors, Lane: m.Lane}
		if _, err := extraction.Extract(ctx, d.extraction(), task); err != nil {
			t.Fatal(err)
		}
	}
	return m, AssembleTask{V: state.MessageVersion, Owner: owner, Drop: m.Drop, Import: m.Import}
}

// checkHead tells what is wrong with what the head names.
func checkHead(t *testing.T, d Deps, owner string) state.Head {
	t.Helper()
	h, _, err := state.ReadHead(t.Context(), d.Store, owner)
	if err != nil {
		t.Fatal(err)
	}
	if o, err := d.Store.Head(t.Context(), state.ExportKey(owner, h.ExportID, ".json")); err != nil || o.Size != h.Size {
		t.Errorf("head %d names an export that is not there: %v (size %d, want %d)", h.Sequence, err, o.Size, h.Size)
	}
	if _, err := d.Store.Head(t.Context(), state.ExportKey(owner, h.ExportID, ".fold.zst")); err != nil {
		t.Errorf("head %d names an export without its fold index: %v", h.Sequence, err)
	}
	same, err := publish.StartsAlike(t.Context(), d.Store, state.StoreKey(owner), h.ExportID)
	if err != nil || !same {
		t.Errorf("memory-store.json is no copy of what the head names (%v)", err)
	}
	return h
}

func TestRepeatedAssembleMessagesRace(t *testing.T) {
	t.Parallel()
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(9)})
	for round := range 6 {
		d := testDeps(t)
		_, task := ingested(t, d, "me", file)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := Assemble(t.Context(), d, "me", []AssembleTask{task}); err != nil {
					t.Logf("assemble: %v", err)
				}
			})
		}
		wg.Wait()
		checkHead(t, d, "me")
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
}

func TestDifferentDropsRace(t *testing.T) {
	t.Parallel()
	for round := range 2 {
		d := testDeps(t)
		var tasks []AssembleTask
		for i := range 6 {
			text := strings.ReplaceAll(manyConversations(3), `"c-`, fmt.Sprintf(`"d%d-`, i))
			_, task := ingested(t, d, "me", zipOf(t, map[string]string{"conversations.json": text}))
			tasks = append(tasks, task)
		}
		var wg sync.WaitGroup
		for _, task := range tasks {
			for range 2 {
				wg.Go(func() {
					if _, err := Assemble(t.Context(), d, "me", []AssembleTask{task}); err != nil {
						t.Logf("assemble: %v (%s)", err, fault.Of(err))
					}
				})
			}
		}
		wg.Wait()
		h := checkHead(t, d, "me")
		in, err := state.ReadInputs(t.Context(), d.Store, "me", h)
		if err != nil || len(in.Drops) != len(tasks) {
			t.Errorf("input set has %d drops, want %d (%v)", len(in.Drops), len(tasks), err)
		}
		if t.Failed() {
			var exports []string
			for o := range d.Store.List(t.Context(), "owners/me/exports/") {
				exports = append(exports, path.Base(o.Key))
			}
			t.Fatalf("in round %d; exports %v, head %s", round, exports, h.ExportID)
		}
	}
}

// A message that the server delivers again after the owner's drop was processed anew.
func TestOldAssembleMessageDoesNotUndoAReplay(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(3)})
	first, old := ingested(t, d, "me", file)
	if _, err := Assemble(t.Context(), d, "me", []AssembleTask{old}); err != nil {
		t.Fatal(err)
	}
	d2 := d
	d2.Limits.MaxDepth = 100 // another import of the same drop
	second, replay := ingested(t, d2, "me", file)
	if first.Import == second.Import {
		t.Fatal("not another import")
	}
	if _, err := Assemble(t.Context(), d2, "me", []AssembleTask{replay}); err != nil {
		t.Fatal(err)
	}
	if _, err := Assemble(t.Context(), d, "me", []AssembleTask{old}); err != nil { // delivered again
		t.Fatal(err)
	}
	h, _, err := state.ReadHead(t.Context(), d.Store, "me")
	if err != nil {
		t.Fatal(err)
	}
	in, err := state.ReadInputs(t.Context(), d.Store, "me", h)
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(maps.Values(in.Drops)); len(got) != 1 || got[0] != second.Import {
		t.Errorf("the store is made of import %v, want the replay %s", got, second.Import)
	}
}

var _ = blob.Range{}
