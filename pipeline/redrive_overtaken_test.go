package pipeline

import (
	"testing"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers"
)

// What was refused must not come in the place of what was accepted for the drop since. What was refused after that may.
func TestRefusedRequestIsNotRedrivenWhenItsDropWasAcceptedSince(t *testing.T) {
	t.Parallel()
	p := newPipelined(t, func(d *Deps) {
		d.Registry = providers.NewRegistry(notes{name: "notes"}, notes{name: "others", at: "elsewhere/"})
	})
	rec, err := TakeIn(t.Context(), p.d.Store, "me", []string{notesZip(t)}, p.d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(importer, phase string) {
		t.Helper()
		r := state.Request{V: state.MessageVersion, Owner: "me", Drop: rec.Drop, Importer: importer, Lane: state.LaneSmall}
		events, stop := p.Watch("me", rec.Drop)
		defer stop()
		if err := p.Submit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if got, err := p.Wait(t.Context(), events, r, 5); err != nil || got.State != phase {
			t.Fatalf("%s, want %s: %v", got.State, phase, err)
		}
		p.idle(t)
	}
	redrive := func(outcome string) {
		t.Helper()
		l := p.letters(t, LetterFilter{Stage: telemetry.StageIngest})
		if len(l) != 1 {
			t.Fatalf("%d letters", len(l))
		}
		if out, err := p.Letters().Redrive(t.Context(), l[0]); err != nil || out.Outcome != outcome {
			t.Errorf("%+v, %v, want %s", out, err, outcome)
		}
		p.idle(t)
	}
	ask("others", state.StateRefused)
	ask("", state.StateDone)
	redrive(RedriveReplaced)
	ask("others", state.StateRefused)
	redrive(RedriveQueued)
}
