package pipeline

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// A worker is killed between a marker and the removal of its letter, or between an assembly and that: the letter of a shard that is
// done stays, until a pass takes it away. The others stay.
func TestLettersOfShardsThatAreDoneAreSwept(t *testing.T) {
	d, m := sweepDeps(t)
	r := newRigOf(t, d)
	ctx := t.Context()
	ok := &state.Marker{V: 1, State: state.MarkerOK}
	lacks := func(shard string) *state.Receipt {
		return &state.Receipt{V: 1, State: state.StateLosses, Extraction: state.Extraction{Failed: []state.FailedShard{{Shard: shard}}}}
	}
	shard := state.Digest("s")[:32]
	cases := map[string]struct {
		marker  *state.Marker
		receipt *state.Receipt
		goes    bool
	}{
		"done, the import goes on":          {marker: ok, goes: true},
		"done, the import has it":           {marker: ok, receipt: &state.Receipt{V: 1, State: state.StateLosses}, goes: true},
		"done, the import has ended whole":  {receipt: &state.Receipt{V: 1, State: state.StateDone}, goes: true},
		"done, the import ended without it": {marker: ok, receipt: lacks(shard)},
		"failed":                            {marker: &state.Marker{V: 1, State: state.MarkerFailed}},
		"failed, the import has ended":      {marker: &state.Marker{V: 1, State: state.MarkerFailed}, receipt: lacks(shard)},
		"being tried again":                 {},
		"the import was given up":           {receipt: &state.Receipt{V: 1, State: state.StateFailed}},
	}
	imports, want := map[string]string{}, 0
	for name, c := range cases {
		id := state.Digest(name)[:state.ImportIDLength]
		imports[id] = name
		if c.goes {
			want++
		}
		if c.marker != nil {
			if err := state.PutJSON(ctx, m, state.MarkerKey("me", id, shard), c.marker); err != nil {
				t.Fatal(err)
			}
		}
		if c.receipt != nil {
			if err := state.PutJSON(ctx, m, state.ReceiptKey("me", id), c.receipt); err != nil {
				t.Fatal(err)
			}
		}
		body, err := json.Marshal(state.ExtractTask{V: state.MessageVersion, Owner: "me", Drop: state.Digest("drop"), Import: id, Shard: shard, Lane: state.LaneSmall})
		if err != nil {
			t.Fatal(err)
		}
		msg := heldMessage{subject: "pam.extract.small.me." + id + "." + shard, body: body}
		if err := r.writeLetter(ctx, stage{name: telemetry.StageExtract}, msg, errCut, 3); err != nil {
			t.Fatal(err)
		}
	}
	swept := sweepAllLetters(t, r, m)
	left := map[string]bool{}
	for one, err := range NewLetters(d, r.js).List(ctx, LetterFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		left[imports[one.Import]] = true
	}
	if swept != want {
		t.Errorf("%d letters went, %d should", swept, want)
	}
	for name, c := range cases {
		if left[name] == c.goes {
			t.Errorf("%s: the letter is there %v", name, left[name])
		}
	}
}

// The store has what an assembly was given up for, be it that another one did it: its letter goes, and those of the others stay.
func TestLettersOfAssembliesThatAreDoneAreSwept(t *testing.T) {
	d, m := sweepDeps(t)
	r := newRigOf(t, d)
	ctx := t.Context()
	cases := map[string]struct {
		receipt *state.Receipt
		goes    bool
	}{
		"done":                {receipt: &state.Receipt{V: 1, State: state.StateDone}, goes: true},
		"done, with losses":   {receipt: &state.Receipt{V: 1, State: state.StateLosses}, goes: true},
		"being tried again":   {receipt: &state.Receipt{V: 1, State: state.StateLosses, Reopened: "a"}},
		"given up":            {receipt: &state.Receipt{V: 1, State: state.StateFailed}},
		"it goes on":          {},
		"nobody's, or broken": {},
	}
	imports, want := map[string]string{}, 0
	for name, c := range cases {
		id := state.Digest(name)[:state.ImportIDLength]
		imports[id] = name
		if c.goes {
			want++
		}
		if c.receipt != nil {
			if err := state.PutJSON(ctx, m, state.ReceiptKey("me", id), c.receipt); err != nil {
				t.Fatal(err)
			}
		}
		body, err := json.Marshal(AssembleTask{V: state.MessageVersion, Owner: "me", Drop: state.Digest("drop"), Import: id})
		if err != nil {
			t.Fatal(err)
		}
		if name == "nobody's, or broken" {
			body = []byte(id)
		}
		if err := r.writeLetter(ctx, stage{name: telemetry.StageAssemble}, heldMessage{subject: "pam.assemble.1.me", body: body}, errCut, 3); err != nil {
			t.Fatal(err)
		}
	}
	swept := sweepAllLetters(t, r, m)
	left := 0
	for one, err := range NewLetters(d, r.js).List(ctx, LetterFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		left++
		if cases[imports[one.Import]].goes {
			t.Errorf("%s: the letter is still there", imports[one.Import])
		}
	}
	if swept != want || left != len(cases)-want {
		t.Errorf("%d letters went and %d stay, %d and %d should", swept, left, want, len(cases)-want)
	}
}

// sweepAllLetters makes as many passes as it takes until each letter has had its turn, and tells how many letters went.
func sweepAllLetters(t *testing.T, r *rig, m *memory) (swept int) {
	t.Helper()
	for range sweepTurns {
		n, err := r.sweepLetters(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		swept += n
		m.later(time.Minute)
	}
	return swept
}
