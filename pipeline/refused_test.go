package pipeline

import (
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

// What was refused is not read again by who would come to the same, and is by everybody else.
func TestRefusedDropIsReadAgainOnlyWhenThatMayHelp(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		same bool
		more func(d *Deps, r *state.Request)
	}{
		"nothing has changed":             {`{"no":"export"}`, true, func(*Deps, *state.Request) {}},
		"an empty export":                 {"[]", true, func(*Deps, *state.Request) {}},
		"another limit on conversations":  {"[]", false, func(d *Deps, _ *state.Request) { d.Limits.MaxConversation++ }},
		"another limit on archives":       {`{"no":"export"}`, false, func(d *Deps, _ *state.Request) { d.Limits.Archive.MaxNesting = 5 }},
		"other importers":                 {`{"no":"export"}`, false, func(d *Deps, _ *state.Request) { d.Registry = providers.NewRegistry(notes{name: "notes"}) }},
		"one importer that is asked for":  {`{"no":"export"}`, false, func(_ *Deps, r *state.Request) { r.Importer = "claude" }},
		"one extractor that is asked for": {`{"no":"export"}`, false, func(_ *Deps, r *state.Request) { r.Extractors = []string{"rules"} }},
		"it was no refusal":               {twoConversations, false, func(*Deps, *state.Request) {}},
	} {
		t.Run(name, func(t *testing.T) {
			d := testDeps(t)
			rec, err := TakeIn(t.Context(), d.Store, "me", []string{zipOf(t, map[string]string{"conversations.json": c.text})}, d.Scratch)
			if err != nil {
				t.Fatal(err)
			}
			r := state.Request{V: state.MessageVersion, Owner: "me", Drop: rec.Drop, Lane: state.LaneSmall}
			if _, err := ingest.Ingest(t.Context(), d.ingest(), r, func(state.Manifest, state.Shard) error { return nil }); err != nil {
				receipt := refusal(d, r, rec, err)
				if err := state.PutJSON(t.Context(), d.Store, state.ReceiptKey("me", receipt.Import), receipt); err != nil {
					t.Fatal(err)
				}
			}
			c.more(&d, &r)
			before, same, err := RefusedBefore(t.Context(), d, r)
			if err != nil || same != c.same || same && before.Reason == "" {
				t.Errorf("it would come to the same: %t, want %t (%+v, %v)", same, c.same, before, err)
			}
		})
	}
}

// An archive that had gone when it was to be read says nothing about what is in it.
func TestDropThatHadGoneIsNotCalledRefusedForWhatIsInIt(t *testing.T) {
	d := testDeps(t)
	r := state.Request{V: state.MessageVersion, Owner: "me", Drop: state.Digest("d"), Lane: state.LaneSmall}
	receipt := refusal(d, r, state.DropRecord{}, &fault.Fault{Class: fault.Permanent, Err: &state.MovedError{Key: "inbox/me/a.zip", Gone: true}})
	if err := state.PutJSON(t.Context(), d.Store, state.ReceiptKey("me", receipt.Import), receipt); err != nil {
		t.Fatal(err)
	}
	if _, same, err := RefusedBefore(t.Context(), d, r); err != nil || same {
		t.Errorf("%t, %v", same, err)
	}
}
