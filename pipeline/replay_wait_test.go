package pipeline

import (
	"context"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

func TestAQueuedReplayThatChangesNothingWritesItsRequestOnly(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	file := zipOf(t, map[string]string{"conversations.json": twoConversations})
	take(t, d, "me", file)
	before := listing(t, d, "owners/")
	c := &countingStore{Store: d.Store}
	d.Store = c
	one := selected(t, d, Selection{})[0]
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l, err := OpenLocal(ctx, d, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	a, err := Prepare(ctx, d, one.Ask("", nil, false), nil)
	if err != nil || a.State != ReplayQueued || a.Request.Lane != state.LaneSmall {
		t.Fatal(a, err)
	}
	h, err := HandOver(ctx, d, a.Request)
	if err != nil {
		t.Fatal(err)
	}
	events, stop := l.Watch("me", one.Drop)
	defer stop()
	if err := l.Submit(ctx, a.Request); err != nil {
		t.Fatal(err)
	}
	r, err := l.Wait(ctx, events, a.Request, 3)
	if err != nil || r.Import != one.Import || r.Store.Published {
		t.Fatal(r, err)
	}
	seen, ended, err := h.Ended(ctx, d)
	if err != nil || !ended || seen.Import != one.Import || h.Changed(seen) {
		t.Errorf("seen from elsewhere: %v %v %+v", ended, err, seen)
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if len(c.puts) != 1 || c.puts[0] != state.AskKey("me", one.Drop, a.Request.Ask) {
		t.Errorf("written: %v", c.puts)
	}
	if after := listing(t, d, ""); after[c.puts[0]] != "" {
		t.Error("the request is left")
	}
	if after := listing(t, d, "owners/"); len(after) != len(before) {
		t.Errorf("%d objects, were %d", len(after), len(before))
	}
}

func TestWhoWaitsElsewhereSeesARefusal(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	d.Registry = providers.NewRegistry(notes{name: "notes"}, notes{name: "others", at: "elsewhere/"})
	done := take(t, d, "me", notesZip(t))
	for round := range 2 { // the second leaves the same receipt in the same place
		req := state.Request{V: state.MessageVersion, Owner: "me", Drop: done.Drop, Importer: "others", Lane: state.LaneSmall}
		h, err := HandOver(t.Context(), d, req)
		if err != nil {
			t.Fatal(err)
		}
		if err := state.PutJSON(t.Context(), d.Store, state.RequestKey("me", done.Drop), req); err != nil {
			t.Fatal(err)
		}
		if _, ended, err := h.Ended(t.Context(), d); err != nil || ended {
			t.Fatal(ended, err)
		}
		again(t, d, Selection{}, "others")
		r, ended, err := h.Ended(t.Context(), d)
		if err != nil || !ended || r.State != state.StateRefused || h.Changed(r) {
			t.Errorf("round %d: %v %v %+v", round, ended, err, r)
		}
	}
}

func TestAnAssemblyThatWasGivenUpIsSeenInStorage(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	done := take(t, d, "me", zipOf(t, map[string]string{"conversations.json": twoConversations}))
	req := state.Request{V: state.MessageVersion, Owner: "me", Drop: done.Drop, Extractors: []string{"rules"}, Lane: state.LaneSmall}
	h, err := HandOver(t.Context(), d, req)
	if err != nil {
		t.Fatal(err)
	}
	if err := state.PutJSON(t.Context(), d.Store, state.RequestKey("me", done.Drop), req); err != nil {
		t.Fatal(err)
	}
	if _, ended, err := h.Ended(t.Context(), d); err != nil || ended {
		t.Fatal(ended, err)
	}
	id := strings.Repeat("ab", 16)
	if err := state.PutJSON(t.Context(), d.Store, state.ReceiptKey("me", id), state.Receipt{V: 1, Owner: "me", Drop: done.Drop, Import: id, State: state.StateFailed, Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	if err := endRequest(t.Context(), d.Store, "me", done.Drop, req.Name()); err != nil {
		t.Fatal(err)
	}
	if r, ended, err := h.Ended(t.Context(), d); err != nil || !ended || r.Import != id || h.Changed(r) {
		t.Error(r, ended, err)
	}
}
