package pipeline

import (
	"testing"

	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

// An import with losses is done again although nothing about its reading has changed, in a dry run as in earnest.
func TestAReplayDoesFailedShardsAgain(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	d.Limits.ShardItems = 4
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(8)})
	rec, err := TakeIn(t.Context(), d.Store, "me", []string{file}, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ingest.Ingest(t.Context(), d.ingest(), state.Request{V: 1, Owner: "me", Drop: rec.Drop, Lane: state.LaneSmall}, func(state.Manifest, state.Shard) error { return nil })
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
	missing := 8 - rs[0].Store.Memories

	over, discard, err := Overlay(d.Store, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dry := d
	dry.Store, dry.Estimate = over, true
	one := selected(t, d, Selection{})[0]
	a, err := Prepare(t.Context(), dry, one.Ask("", nil, false), new(Notice))
	if err != nil || a.State != ReplayQueued {
		t.Fatal(a, err)
	}
	would, err := Rehearse(t.Context(), dry, a.Request)
	if err != nil || would.Receipt.State != state.StateDone || would.Receipt.Import != m.Import {
		t.Fatal(err, would)
	}
	diff, err := Diff(t.Context(), dry, "me", would.Before, would.After, 50)
	if err != nil || diff.Memories.Added.Count != missing || diff.Conversations.count() != 0 {
		t.Errorf("%+v, %v; want %d memories", diff, err, missing)
	}
	if err := discard(); err != nil {
		t.Fatal(err)
	}

	_, done := again(t, d, Selection{}, "")
	if r := done[rec.Drop]; r.State != state.StateDone || r.Import != m.Import || r.Store.Memories != 8 {
		t.Errorf("%+v", r)
	}
}

// A replay was given up while it was assembled, and its markers were swept, for the store has the result of before: what it would
// come to now is told all the same, as it is done all the same.
func TestAReplayThatFailedCanBeRehearsedWithoutItsMarkers(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	d.Registry = providers.NewRegistry(notes{name: "notes"})
	take(t, d, "me", notesZip(t, "extra.json", extraTalk))
	d.Registry = providers.NewRegistry(notes{name: "notes"}, newer{notes{name: "notes"}})
	one := selected(t, d, Selection{})[0]
	m, err := ingest.Ingest(t.Context(), d.ingest(), state.Request{V: state.MessageVersion, Owner: "me", Drop: one.Drop, Lane: state.LaneSmall}, func(state.Manifest, state.Shard) error { return nil })
	if err != nil || m.Import == one.Import {
		t.Fatal(err, m.Import)
	}
	failed := state.Receipt{V: 1, Owner: "me", Drop: m.Drop, Import: m.Import, State: state.StateFailed, Reason: "no luck"}
	if err := state.PutJSON(t.Context(), d.Store, state.ReceiptKey("me", m.Import), failed); err != nil {
		t.Fatal(err)
	}
	over, discard, err := Overlay(d.Store, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dry := d
	dry.Store, dry.Estimate = over, true
	a, err := Prepare(t.Context(), dry, one.Ask("", nil, false), new(Notice))
	if err != nil || a.State != ReplayQueued {
		t.Fatal(a, err)
	}
	would, err := Rehearse(t.Context(), dry, a.Request)
	if err != nil || would.Receipt.State != state.StateDone || would.Receipt.Import != m.Import || would.Before == would.After {
		t.Errorf("%+v, %v", would, err)
	}
	if err := discard(); err != nil {
		t.Fatal(err)
	}
}

func TestARehearsalOfARefusalLeavesNothing(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	take(t, d, "me", notesZip(t)) // nobody reads it
	over, discard, err := Overlay(d.Store, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dry := d
	dry.Store = over
	one := selected(t, d, Selection{})[0]
	would, err := Rehearse(t.Context(), dry, state.Request{V: state.MessageVersion, Owner: "me", Drop: one.Drop, Lane: state.LaneSmall})
	if err != nil || would.Receipt.State != state.StateRefused || would.Receipt.Hint == "" || would.Before != "" || would.After != "" {
		t.Errorf("%+v, %v", would, err)
	}
	for o, err := range over.List(t.Context(), "work/") {
		t.Errorf("left: %s %v", o.Key, err)
	}
	if err := discard(); err != nil {
		t.Fatal(err)
	}
}
