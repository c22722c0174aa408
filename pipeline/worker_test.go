package pipeline

import (
	"testing"
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
	req := Request{V: 1, Owner: "me", Drop: rec.Drop, Lane: LaneSmall}
	m, err := Ingest(t.Context(), d, req, func(Manifest, Shard) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range m.Shards {
		if i == 0 {
			if err := putJSON(t.Context(), d.Store, markerKey("me", m.Import, s.ID), Marker{V: 1, Shard: s.ID, State: MarkerFailed, Reason: "no luck"}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if _, err := Extract(t.Context(), d, ExtractTask{V: 1, Owner: "me", Drop: m.Drop, Import: m.Import, Pack: s.Pack, Shard: s.ID, Extractors: m.Extractors, Lane: m.Lane}); err != nil {
			t.Fatal(err)
		}
	}
	rs, err := Assemble(t.Context(), d, "me", []AssembleTask{{V: 1, Owner: "me", Drop: m.Drop, Import: m.Import}})
	if err != nil || rs[0].State != StateLosses {
		t.Fatal(err, rs)
	}
	r := runImport(t, d, "me", file)
	if r.State != StateDone || r.Store.Memories != 8 {
		t.Errorf("importing again: %s, %d of 8 memories, failed %v", r.State, r.Store.Memories, r.Extraction.Failed)
	}
}
