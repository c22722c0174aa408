package pipeline

import (
	"testing"

	"github.com/pamline/pamline/pipeline/state"
)

// What the store has of a drop is no reason to leave a replay of it alone that came later, whether it is under way or has failed.
func TestARedriveOfAReplayIsLeftAloneOnlyForAResultThatCameLater(t *testing.T) {
	t.Parallel()
	p := newPipelined(t)
	first := p.imported(t, "me", manyConversations(3))
	p.idle(t)
	ctx, d, l := t.Context(), p.d, p.Letters()
	m, ok, err := state.ReadManifest(ctx, d.Store, "me", first.Import)
	if err != nil || !ok {
		t.Fatal(err)
	}
	m.Import = state.ImportID("me", m.Drop, m.Importers, []string{"others"}, "", d.Limits) // a replay by other extractors
	if err := state.PutJSON(ctx, d.Store, state.ManifestKey("me", m.Import), m); err != nil {
		t.Fatal(err)
	}
	outcome := func(when, want string) {
		t.Helper()
		if _, got, err := l.importOf(ctx, "me", m.Import); err != nil || got != want {
			t.Errorf("%s: %q (%v), want %q", when, got, err, want)
		}
	}
	receipt := func(r state.Receipt) {
		t.Helper()
		if err := state.PutJSON(ctx, d.Store, state.ReceiptKey("me", r.Import), r); err != nil {
			t.Fatal(err)
		}
	}
	outcome("nobody asks for it", RedriveReplaced)
	ask := state.Request{V: state.MessageVersion, Owner: "me", Drop: m.Drop, Ask: "a1", Extractors: []string{"others"}, Lane: state.LaneSmall}
	if err := ask.Record(ctx, d.Store); err != nil {
		t.Fatal(err)
	}
	outcome("it is under way", "")
	if err := endRequest(ctx, d.Store, "me", m.Drop, ask.Ask); err != nil {
		t.Fatal(err)
	}
	receipt(state.Receipt{V: 1, Owner: "me", Drop: m.Drop, Import: m.Import, State: state.StateFailed})
	outcome("it has failed", "")
	receipt(state.Receipt{V: 1, Owner: "me", Drop: m.Drop, Import: m.Import, State: state.StateFailed, Reopened: "a2"})
	outcome("it has failed, and was reopened by one whose request another had ended", "")
	receipt(first)
	outcome("another was accepted after that", RedriveReplaced)
	receipt(state.Receipt{V: 1, Owner: "me", Drop: m.Drop, Import: m.Import, State: state.StateLosses})
	outcome("it was accepted, and another took its place", RedriveReplaced)
}
