package pipeline

import (
	"testing"

	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/state"
)

func TestShardThatFailedOnceIsMendedByANewImportOfTheDrop(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	d.Limits.ShardItems = 4
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(8)})
	rec, err := TakeIn(t.Context(), d.Store, "me", []string{file}, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	req := state.Request{V: 1, Owner: "me", Drop: rec.Drop, Lane: state.LaneSmall}
	m, err := ingest.Ingest(t.Context(), d.ingest(), req, func(state.Manifest, state.Shard) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range m.Shards {
		if i == 0 {
			if err := state.PutJSON(t.Context(), d.Store, state.MarkerKey("me", m.Import, s.ID), state.Marker{V: 1, Shard: s.ID, State: state.MarkerFailed, Reason: "no luck"}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if _, err := extraction.Extract(t.Context(), d.extraction(), state.ExtractTask{V: 1, Owner: "me", Drop: m.Drop, Import: m.Import, Pack: s.Pack, Shard: s.ID, Extractors: m.Extractors, Lane: m.Lane}); err != nil {
			t.Fatal(err)
		}
	}
	rs, err := Assemble(t.Context(), d, "me", []AssembleTask{{V: 1, Owner: "me", Drop: m.Drop, Import: m.Import}})
	if err != nil || rs[0].State != state.StateLosses {
		t.Fatal(err, rs)
	}
	r := runImport(t, d, "me", file)
	if r.State != state.StateDone || r.Store.Memories != 8 {
		t.Errorf("importing again: %s, %d of 8 memories, failed %v", r.State, r.Store.Memories, r.Extraction.Failed)
	}
}
