package pipeline

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// passes sweeps until each folder had its turn, and gives how many objects went.
func sweepPasses(t *testing.T, d Deps, m *memory) (removed int) {
	t.Helper()
	for range sweepTurns {
		n, err := Sweep(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		removed += n
		m.later(DefaultScan)
	}
	return removed
}

// later lets the store's clock go on.
func (m *memory) later(by time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at = m.at.Add(by)
}

// aged writes objects of these ages, the oldest first.
func (m *memory) aged(t *testing.T, ages map[string]time.Duration) {
	t.Helper()
	now := m.at
	for _, key := range slices.Sorted(maps.Keys(ages)) {
		m.at = now.Add(-ages[key])
		if err := state.PutJSON(t.Context(), m, key, map[string]int{}); err != nil {
			t.Fatal(err)
		}
	}
	m.at = now
}

func sweepDeps(t *testing.T) (Deps, *memory) {
	t.Helper()
	d, m := testDeps(t), newMemory()
	d.Store, d.AckWait = m, time.Hour // the passes of a test take an hour of the store's clock
	return d, m
}

func TestWhatEndedImportsLeftBehindIsSweptAndNothingElse(t *testing.T) {
	d, m := sweepDeps(t)
	const old, older, fresh = 30 * time.Hour, 40 * time.Hour, time.Minute
	import1 := idOf(1)
	ages := map[string]time.Duration{
		"work/_attempts/extract/0011.json":                 older, // before the oldest open request
		"work/_attempts/ingest/0022.begun.json":            fresh, // somebody may have it in hand
		"work/_attempts/ingest/0033.json":                  old / 2,
		"work/ann/" + import1 + "/change.json":             old,
		"work/ann/" + import1 + "/markers/0044.json":       older,
		"work/ann/" + import1 + "/mine.txt":                older, // nothing of ours
		"work/ann/edits/publish-0055.json":                 older,
		"work/ben/" + import1 + "/change.json":             older, // his request is open, and it may be the one for it
		"work/ben/" + import1 + "/markers/0044.json":       older,
		"work/ben/requests/" + state.Digest("x") + ".json": old,
		"work/ben/requests/" + state.Digest("y") + ".json": fresh,
		"work/cy/" + import1 + "/markers/0044.json":        older, // somebody is at it
		"work/cy/" + import1 + "/markers/0055.json":        fresh,
		"owners/ann/imports/" + import1 + "/x.json":        older,
	}
	m.aged(t, ages)
	goes := []string{
		"work/_attempts/extract/0011.json", "work/ann/" + import1 + "/change.json", "work/ann/" + import1 + "/markers/0044.json", "work/ann/edits/publish-0055.json",
	}
	if n := sweepPasses(t, d, m); n != len(goes) {
		t.Errorf("%d objects went, %d should", n, len(goes))
	}
	for key := range ages {
		if _, err := m.Head(t.Context(), key); state.IsMissing(err) != slices.Contains(goes, key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// What stays of an import under work/ is what somebody could still make use of.
func TestTheWorkOfAnImportStaysAsLongAsItIsOfUse(t *testing.T) {
	d, m := sweepDeps(t)
	this, other, drop := idOf(1), idOf(2), state.Digest("drop")
	failed := state.Extraction{Failed: []state.FailedShard{{Shard: state.Digest("s")[:32]}}}
	cases := map[string]struct {
		unread         bool // it was given up before it had been read to its end
		receipt        *state.Receipt
		accepted       string // the result that the store has of the drop
		request        string // the drop that a request is open for
		notes, markers bool   // stay
	}{
		"superseded":                            {},
		"superseded, another result":            {accepted: other},
		"superseded, the drop is asked for":     {request: drop, notes: true, markers: true},
		"superseded, another drop asked for":    {request: state.Digest("other")},
		"not read, nothing is asked for":        {unread: true},
		"not read, something is asked for":      {unread: true, request: state.Digest("other"), notes: true, markers: true},
		"in the store, without a receipt":       {accepted: this, notes: true, markers: true},
		"done":                                  {receipt: &state.Receipt{State: state.StateDone}, accepted: this},
		"units lost":                            {receipt: &state.Receipt{State: state.StateLosses}, accepted: this},
		"shards lost":                           {receipt: &state.Receipt{State: state.StateLosses, Extraction: failed}, accepted: this, markers: true},
		"shards lost, being tried":              {receipt: &state.Receipt{State: state.StateLosses, Extraction: failed}, accepted: this, request: drop, notes: true, markers: true},
		"shards lost, another result":           {receipt: &state.Receipt{State: state.StateLosses, Extraction: failed}, accepted: other},
		"failed":                                {receipt: &state.Receipt{State: state.StateFailed}, markers: true},
		"failed, of a drop with another result": {receipt: &state.Receipt{State: state.StateFailed}, accepted: other},
	}
	owners := map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		c, owner := cases[name], string(rune('a'+i))
		owners[name] = owner
		put := func(key string, v any) {
			if err := state.PutJSON(t.Context(), m, key, v); err != nil {
				t.Fatal(err)
			}
		}
		put(state.MarkerKey(owner, this, state.Digest("s")[:32]), state.Marker{V: 1})
		put(state.PackListKey(owner, this, 0), "a pack")
		if !c.unread {
			put(state.WorkKey(owner, this, noteName), importNote{V: 1, Drop: drop})
			put(state.ManifestKey(owner, this), state.Manifest{V: 1, Owner: owner, Import: this, Drop: drop})
		}
		if c.receipt != nil {
			c.receipt.Drop = drop
			put(state.ReceiptKey(owner, this), c.receipt)
		}
		if c.accepted != "" {
			put(state.InputsKey(owner, "in"), state.Inputs{V: 1, Drops: map[string]string{drop: c.accepted}})
			put(state.HeadKey(owner), state.Head{V: 1, Inputs: "in"})
		}
		if c.request != "" {
			put(state.RequestKey(owner, c.request), state.Request{V: 1, Owner: owner, Drop: c.request, Lane: state.LaneSmall})
		}
	}
	m.later(20 * time.Hour)
	before := keysUnder(t, m, "owners/")
	sweepPasses(t, d, m)
	for name, c := range cases {
		left := strings.Join(keysUnder(t, m, state.WorkKey(owners[name], this, "")), " ")
		if strings.Contains(left, "markers/") != c.markers || !c.unread && strings.Contains(left, noteName) != c.notes {
			t.Errorf("%s: left are %q", name, left)
		}
	}
	if after := keysUnder(t, m, "owners/"); !slices.Equal(before, after) {
		t.Errorf("of what imports were made from, %v is left of %v", after, before)
	}
}

func keysUnder(t *testing.T, m *memory, prefix string) (keys []string) {
	t.Helper()
	for o, err := range m.List(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, o.Key)
	}
	return keys
}

// Somebody with very many imports that ended with losses costs each pass a small part of them.
func TestAPassLooksAtAPartOfTheImportsWithLosses(t *testing.T) {
	d, m := sweepDeps(t)
	const imports = 600
	for n := range imports {
		r := state.Receipt{V: 1, Owner: "ann", Import: idOf(n), Drop: state.Digest("drop"), State: state.StateFailed, Extraction: state.Extraction{Failed: []state.FailedShard{{Shard: "s"}}}}
		for key, v := range map[string]any{state.ReceiptKey("ann", idOf(n)): r, state.MarkerKey("ann", idOf(n), state.Digest("s")[:32]): state.Marker{V: 1}} {
			if err := state.PutJSON(t.Context(), m, key, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	m.later(20 * time.Hour)
	counted := newRequests(m)
	d.Store = counted
	all := 0
	for range sweepTurns {
		if _, err := Sweep(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		looks := counted.kinds["get receipt.json"]
		if all += looks; looks > imports/10 {
			t.Errorf("one pass made %d requests", looks)
		}
		counted.reset()
		m.later(DefaultScan)
	}
	if all != imports {
		t.Errorf("%d of %d were looked at in %d passes", all, imports, sweepTurns)
	}
}

// A worker that is late writes behind the sweep, which takes that away, too. Whoever asks for the same once more gets what it would
// have got.
func TestAnImportThatWasSupersededAndSweptIsMadeAgain(t *testing.T) {
	d, m := sweepDeps(t)
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(2)})
	superseded, again := ingested(t, d, "me", file, "rules")
	_, newer := ingested(t, d, "me", file, "harvest")
	if _, err := Assemble(t.Context(), d, "me", []AssembleTask{newer}); err != nil {
		t.Fatal(err)
	}
	swept := func() {
		t.Helper()
		m.later(20 * time.Hour)
		sweepPasses(t, d, m)
		if left := keysUnder(t, m, "work/"); len(left) > 0 {
			t.Fatalf("left behind: %v", left)
		}
	}
	swept()
	s := superseded.Shards[0]
	late := state.ExtractTask{V: state.MessageVersion, Owner: "me", Drop: superseded.Drop, Import: superseded.Import, Pack: s.Pack, Shard: s.ID, Extractors: superseded.Extractors}
	if _, err := extraction.Extract(t.Context(), d.extraction(), late); err != nil {
		t.Fatal(err)
	}
	if len(keysUnder(t, m, "work/")) == 0 {
		t.Fatal("nobody was late")
	}
	swept()
	if now, _ := ingested(t, d, "me", file, "rules"); now.Import != superseded.Import {
		t.Fatalf("it is import %s now", now.Import)
	}
	receipts, err := Assemble(t.Context(), d, "me", []AssembleTask{again})
	if err != nil || len(receipts) != 1 || receipts[0].State != state.StateDone {
		t.Fatalf("%+v, %v", receipts, err)
	}
	if id, err := acceptedImport(t.Context(), m, "me", superseded.Drop); err != nil || id != superseded.Import {
		t.Errorf("the store has %s, %v", id, err)
	}
}

// What cannot be read stays as it is, and is told of.
func TestASweepGoesOnBehindWhatItCannotRead(t *testing.T) {
	d, m := sweepDeps(t)
	for _, owner := range []string{"ann", "bob"} {
		m.aged(t, map[string]time.Duration{state.WorkKey(owner, idOf(1), noteName): 20 * time.Hour, state.MarkerKey(owner, idOf(1), state.Digest("s")[:32]): 20 * time.Hour})
	}
	if _, err := m.Put(t.Context(), state.ReceiptKey("ann", idOf(1)), strings.NewReader("{torn"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	n, err := Sweep(t.Context(), d)
	if n != 2 || fault.Of(err) != fault.Permanent || !strings.Contains(err.Error(), state.ReceiptKey("ann", idOf(1))) {
		t.Errorf("%d went, %v", n, err)
	}
	if left := keysUnder(t, m, "work/"); len(left) != 2 || !strings.HasPrefix(left[0], "work/ann/") {
		t.Errorf("left are %v", left)
	}
}
