package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

func idOf(n int) string { return state.Digest(fmt.Sprint("import", n))[:state.ImportIDLength] }

func received(t *testing.T, s blob.Store, owner string, n int, phase string) {
	t.Helper()
	r := state.Receipt{V: 1, Owner: owner, Import: idOf(n), Drop: state.Digest(fmt.Sprint("drop", n)), State: phase}
	if err := state.PutJSON(t.Context(), s, state.ReceiptKey(owner, r.Import), r); err != nil {
		t.Fatal(err)
	}
}

func requested(t *testing.T, s blob.Store, owner string, n int) {
	t.Helper()
	drop := state.Digest(fmt.Sprint("drop", n))
	if err := state.PutJSON(t.Context(), s, state.RequestKey(owner, drop), state.Request{V: 1, Owner: owner, Drop: drop, Lane: state.LaneSmall}); err != nil {
		t.Fatal(err)
	}
}

func listed(t *testing.T, c *Catalog, q Query) []string {
	t.Helper()
	l, err := c.List(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range l.Imports {
		out = append(out, s.Owner+" "+s.State)
	}
	return out
}

func TestPagesOfAListAreTheListWhateverTheirSize(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	for n := range 23 {
		received(t, d.Store, []string{"ann", "bob", "cy"}[n%3], n, state.StateDone)
	}
	requested(t, d.Store, "ann", 100)
	c := StorageCatalog(d.Store)
	whole, err := c.List(t.Context(), Query{})
	if err != nil || len(whole.Imports) != 24 || whole.Imports[0].State != StateWaiting || whole.Next != "" {
		t.Fatalf("%+v, %v", whole, err)
	}
	for _, size := range []int{1, 5, 23, 24, 100} {
		var got []Status
		q := Query{Limit: size}
		for {
			page, err := c.List(t.Context(), q)
			if err != nil || len(page.Imports) > size {
				t.Fatalf("%d: %v", len(page.Imports), err)
			}
			got = append(got, page.Imports...)
			if q.After = page.Next; q.After == "" {
				break
			}
		}
		if !slices.EqualFunc(got, whole.Imports, func(a, b Status) bool { return a.Import == b.Import && a.Drop == b.Drop }) {
			t.Errorf("pages of %d: %d imports in another order", size, len(got))
		}
	}
}

func TestAnOwnersListHasNobodyElses(t *testing.T) {
	d := testDeps(t)
	received(t, d.Store, "ann", 1, state.StateDone)
	received(t, d.Store, "ann-b", 2, state.StateDone) // a name that begins like another
	requested(t, d.Store, "ann-b", 3)
	c := StorageCatalog(d.Store)
	if got := listed(t, c, Query{Owner: "ann"}); !slices.Equal(got, []string{"ann done"}) {
		t.Errorf("%v", got)
	}
	if _, err := c.Find(t.Context(), "ann", idOf(2)); !errors.Is(err, ErrNoImport) {
		t.Errorf("found another's: %v", err)
	}
	for _, bad := range []Query{{Owner: "../ann"}, {Owner: "Ann"}, {State: "x"}, {Import: "*"}, {Limit: -1}, {After: "x"}} {
		if _, err := c.List(t.Context(), bad); !errors.Is(err, ErrQuery) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestAClusterIsListedFromItsProgressAndEndsFromReceipts(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	js := broker(t)
	kv, err := js.KeyValue(t.Context(), BucketImports)
	if err != nil {
		t.Fatal(err)
	}
	tell := func(owner string, n int, phase string) {
		t.Helper()
		at := stamp(time.Date(2026, 3, 1, 12, 0, n, 0, time.UTC))
		p := Progress{V: 1, Owner: owner, Import: idOf(n), Drop: state.Digest(fmt.Sprint("drop", n)), State: phase, BytesRead: 250, BytesTotal: 1000,
			StartedAt: stamp(time.Date(2026, 3, 1, 11, 59, n, 0, time.UTC)), UpdatedAt: at}
		if _, err := putProgress(t.Context(), kv, p); err != nil {
			t.Fatal(err)
		}
	}
	requested(t, d.Store, "ann", 1)
	tell("ann", 1, StateReading)
	tell("bob", 2, StateReading) // it ended, and its last worker did not say so
	received(t, d.Store, "bob", 2, state.StateLosses)
	tell("cy", 3, StateReading) // it was given up under another id
	tell("dee", 4, state.StateDone)
	requested(t, d.Store, "eve", 5)                       // nobody has begun
	received(t, d.Store, "fay", 6, state.StateDone)       // long ago: its progress has expired
	if err := kv.Delete(t.Context(), "x.y"); err != nil { // a key that went
		t.Fatal(err)
	}
	if _, err := kv.PutString(t.Context(), "ann."+idOf(9), "no JSON"); err != nil {
		t.Fatal(err)
	}
	c := ClusterCatalog(d.Store, js)
	got := listed(t, c, Query{})
	slices.Sort(got)
	if want := []string{"ann reading", "bob done with losses", "dee done", "eve waiting"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := listed(t, c, Query{Owner: "fay"}); !slices.Equal(got, []string{"fay done"}) {
		t.Errorf("of one owner all are listed: %v", got)
	}
	st, err := c.Find(t.Context(), "", idOf(1))
	if err != nil || st.SecondsLeft == nil || *st.SecondsLeft != 180 || st.BytesPerSecond != 4 {
		t.Errorf("%+v, %v", st, err)
	}
	if _, err := c.Find(t.Context(), "bob", idOf(1)); !errors.Is(err, ErrNoImport) {
		t.Errorf("found another's: %v", err)
	}
}

func TestWhatIsNotKnownIsNotGuessed(t *testing.T) {
	start := "2026-03-01T12:00:00.000Z"
	for name, s := range map[string]Status{
		"nothing read":           {State: StateReading, StartedAt: start, UpdatedAt: "2026-03-01T12:01:00.000Z", BytesTotal: 10},
		"no total":               {State: StateReading, StartedAt: start, UpdatedAt: "2026-03-01T12:01:00.000Z", BytesRead: 10},
		"just begun":             {State: StateReading, StartedAt: start, UpdatedAt: start, BytesRead: 5, BytesTotal: 10},
		"a clock that went back": {State: StateReading, StartedAt: start, UpdatedAt: "2026-03-01T11:00:00.000Z", BytesRead: 5, BytesTotal: 10},
		"nothing extracted":      {State: StateExtracting, StartedAt: start, UpdatedAt: "2026-03-01T12:01:00.000Z", Shards: 10},
		"assembling":             {State: StateAssembling, StartedAt: start, UpdatedAt: "2026-03-01T12:01:00.000Z", Shards: 10, Extracted: 10},
		"no times":               {State: StateReading, BytesRead: 5, BytesTotal: 10},
	} {
		if s.reckon(); s.SecondsLeft != nil {
			t.Errorf("%s: %v s left", name, *s.SecondsLeft)
		}
	}
	s := Status{State: StateExtracting, StartedAt: start, UpdatedAt: "2026-03-01T12:01:00.000Z", Shards: 30, Extracted: 10, Conversations: 90}
	if s.reckon(); s.SecondsLeft == nil || *s.SecondsLeft != 120 || s.ConversationsPerSecond != 1.5 {
		t.Errorf("%+v", s)
	}
}
