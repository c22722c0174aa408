package pipeline

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

func TestAListTellsWhatTheStoreHasInThePlaceOfAnImport(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	drop := state.Digest("drop")
	for n, phase := range []string{state.StateRefused, state.StateLosses, state.StateDone} {
		r := state.Receipt{V: 1, Owner: "ann", Import: idOf(n), Drop: drop, State: phase}
		if err := state.PutJSON(t.Context(), d.Store, state.ReceiptKey("ann", r.Import), r); err != nil {
			t.Fatal(err)
		}
	}
	received(t, d.Store, "bob", 3, state.StateDone) // whose head is damaged
	received(t, d.Store, "cy", 4, state.StateRefused)
	if err := state.PutJSON(t.Context(), d.Store, state.InputsKey("ann", "in"), state.Inputs{V: 1, Drops: map[string]string{drop: idOf(1)}}); err != nil {
		t.Fatal(err)
	}
	if err := state.PutJSON(t.Context(), d.Store, state.HeadKey("ann"), state.Head{V: 1, Inputs: "in"}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Store.Put(t.Context(), state.HeadKey("bob"), strings.NewReader("{"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	l, err := StorageCatalog(d.Store).List(t.Context(), Query{})
	if err != nil || len(l.Imports) != 5 {
		t.Fatalf("%+v, %v", l, err)
	}
	want := map[string]string{idOf(2): idOf(1)} // what was refused was never there
	for _, s := range l.Imports {
		if s.ReplacedBy != want[s.Import] {
			t.Errorf("%s: replaced by %q, want %q", s.State, s.ReplacedBy, want[s.Import])
		}
	}
}
