package pipeline

import "testing"

// What the store has of a drop is no reason to leave a replay of it alone that came later, whether it is under way or has failed.
func TestARedriveOfAReplayIsLeftAloneOnlyForAResultThatCameLater(t *testing.T) {
	t.Parallel()
	p := newPipelined(t)
	first := p.imported(t, "me", manyConversations(3))
	p.idle(t)
	ctx, d, l := t.Context(), p.d, p.Letters()
	m, ok, err := readManifest(ctx, d.Store, "me", first.Import)
	if err != nil || !ok {
		t.Fatal(err)
	}
	m.Import = importID("me", m.Drop, m.Importers, []string{"others"}, "", d.Limits) // a replay by other extractors
	if err := putJSON(ctx, d.Store, manifestKey("me", m.Import), m); err != nil {
		t.Fatal(err)
	}
	outcome := func(when, want string) {
		t.Helper()
		if _, got, err := l.importOf(ctx, "me", m.Import); err != nil || got != want {
			t.Errorf("%s: %q (%v), want %q", when, got, err, want)
		}
	}
	receipt := func(r Receipt) {
		t.Helper()
		if err := putJSON(ctx, d.Store, receiptKey("me", r.Import), r); err != nil {
			t.Fatal(err)
		}
	}
	outcome("nobody asks for it", RedriveReplaced)
	ask := Request{V: MessageVersion, Owner: "me", Drop: m.Drop, Ask: "a1", Extractors: []string{"others"}, Lane: LaneSmall}
	if err := ask.record(ctx, d.Store); err != nil {
		t.Fatal(err)
	}
	outcome("it is under way", "")
	if err := endRequest(ctx, d.Store, "me", m.Drop, ask.Ask); err != nil {
		t.Fatal(err)
	}
	receipt(Receipt{V: 1, Owner: "me", Drop: m.Drop, Import: m.Import, State: StateFailed})
	outcome("it has failed", "")
	receipt(Receipt{V: 1, Owner: "me", Drop: m.Drop, Import: m.Import, State: StateFailed, Reopened: "a2"})
	outcome("it has failed, and was reopened by one whose request another had ended", "")
	receipt(first)
	outcome("another was accepted after that", RedriveReplaced)
	receipt(Receipt{V: 1, Owner: "me", Drop: m.Drop, Import: m.Import, State: StateLosses})
	outcome("it was accepted, and another took its place", RedriveReplaced)
}
