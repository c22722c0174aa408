package pipeline

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
)

func TestAListTellsWhatTheStoreHasInThePlaceOfAnImport(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	drop := digest("drop")
	for n, state := range []string{StateRefused, StateLosses, StateDone} {
		r := Receipt{V: 1, Owner: "ann", Import: idOf(n), Drop: drop, State: state}
		if err := putJSON(t.Context(), d.Store, receiptKey("ann", r.Import), r); err != nil {
			t.Fatal(err)
		}
	}
	received(t, d.Store, "bob", 3, StateDone) // whose head is damaged
	received(t, d.Store, "cy", 4, StateRefused)
	if err := putJSON(t.Context(), d.Store, inputsKey("ann", "in"), Inputs{V: 1, Drops: map[string]string{drop: idOf(1)}}); err != nil {
		t.Fatal(err)
	}
	if err := putJSON(t.Context(), d.Store, headKey("ann"), Head{V: 1, Inputs: "in"}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Store.Put(t.Context(), headKey("bob"), strings.NewReader("{"), blob.PutOptions{}); err != nil {
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
