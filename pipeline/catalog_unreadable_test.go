package pipeline

import (
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/state"
)

// One object that cannot be read must not hide all other imports: it is listed, with what to do.
func TestAListTellsOfWhatCannotBeRead(t *testing.T) {
	m := newMemory()
	received(t, m, "ann", 1, state.StateDone)
	requested(t, m, "ann", 2)
	tear(t, m, state.ReceiptKey("ann", idOf(3)))
	tear(t, m, state.ManifestKey("ann", idOf(4)))
	tear(t, m, state.RequestKey("ann", state.Digest("drop5")))
	tear(t, m, state.RequestPrefix("ann")+"notes.txt")
	want := map[string]string{ // what names it, and its state
		idOf(1): state.StateDone + " ", state.Digest("drop2"): StateWaiting + " ",
		idOf(3): StateUnreadable + " " + state.ReceiptKey("ann", idOf(3)), idOf(4): StateUnreadable + " " + state.ManifestKey("ann", idOf(4)),
		state.Digest("drop5"): StateWaiting + " " + state.RequestKey("ann", state.Digest("drop5")), "notes.txt": StateWaiting + " " + state.RequestPrefix("ann") + "notes.txt",
	}
	for _, q := range []Query{{}, {Owner: "ann"}, {State: StateUnreadable}, {State: "open"}} {
		l, err := StorageCatalog(m).List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range l.Imports {
			name := s.Import
			if name == "" {
				name = s.Drop
			}
			phase, key, _ := strings.Cut(want[name], " ")
			if s.State != phase || !strings.Contains(s.Unusable, key) || key != "" != strings.Contains(s.Unusable, "remove it") {
				t.Errorf("%s is %s: %s", name, s.State, s.Unusable)
			}
		}
		if n := map[string]int{"": 6, StateUnreadable: 2, "open": 3}[q.State]; len(l.Imports) != n {
			t.Errorf("%+v: %d of %d imports", q, len(l.Imports), n)
		}
	}
}

// The same of what a cluster tells.
func TestAClusterTellsOfAReceiptThatCannotBeRead(t *testing.T) {
	m := newMemory()
	tear(t, m, state.ReceiptKey("ann", idOf(1)))
	js := broker(t)
	kv, err := js.KeyValue(t.Context(), BucketImports)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := putProgress(t.Context(), kv, Progress{V: 1, Owner: "ann", Import: idOf(1), State: StateReading}); err != nil {
		t.Fatal(err)
	}
	l, err := ClusterCatalog(m, js).List(t.Context(), Query{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(l.Imports, func(s Status) bool {
		return s.State == StateUnreadable && strings.Contains(s.Unusable, state.ReceiptKey("ann", idOf(1)))
	}) {
		t.Errorf("%+v", l.Imports)
	}
}
