package pipeline

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

func TestTruncatedPackIsPermanentInAFold(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	text := manyConversations(1)
	ingested(t, d, "me", zipOf(t, map[string]string{"conversations.json": text}))
	m, _ := ingested(t, d, "me", zipOf(t, map[string]string{"conversations.json": text}))
	_ = m
	m1, t1 := ingested(t, d, "me", zipOf(t, map[string]string{"conversations.json": text}))
	_, t2 := ingested(t, d, "me", zipOf(t, map[string]string{"conversations.json": strings.Replace(text, "Talk 0", "Talk 0 again", 1)}))
	key := state.PackKey("me", m1.Import, 0)
	rc, _, err := d.Store.Get(t.Context(), key, blob.Range{})
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(rc)
	if _, err := d.Store.Put(t.Context(), key, bytes.NewReader(body[:len(body)/2]), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err = Assemble(t.Context(), d, "me", []AssembleTask{t1, t2})
	if err == nil || fault.Of(err) != fault.Permanent {
		t.Errorf("class %s: %v", fault.Of(err), err)
	}
}

// Two runs of one import at the same time, whose settings cut packs differently: a worker that lost its message to another
// one, with the new configuration, and dies a little later.
func TestRunsWithOtherShardSettingsDoNotMix(t *testing.T) {
	d := testDeps(t)
	d.Limits.ShardItems = 3
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(12)})
	rec, err := TakeIn(t.Context(), d.Store, "me", []string{file}, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	req := state.Request{V: 1, Owner: "me", Drop: rec.Drop, Lane: state.LaneSmall}
	other := d
	other.Limits.ShardItems = 5
	var m state.Manifest
	_, err = ingest.Ingest(t.Context(), d.ingest(), req, func(_ state.Manifest, s state.Shard) (err error) {
		switch s.Pack {
		case 0:
			m, err = ingest.Ingest(t.Context(), other.ingest(), req, func(state.Manifest, state.Shard) error { return nil })
		case 1:
			err = errCut
		}
		return err
	})
	if !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	n := 0
	in := &publish.Stored{Options: d.publication(), Owner: "me", Imports: map[string]state.Manifest{m.Import: m}}
	for _, err := range in.Snapshots(t.Context()) {
		if err != nil {
			t.Logf("an error at least: %v", err)
			return
		}
		n++
	}
	if n != 12 {
		t.Errorf("the assembler sees %d snapshots of 12, and no error", n)
	}
}
