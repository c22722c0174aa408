package copilot_test

import (
	"testing"

	"github.com/pamline/pamline/providers/importertest"
)

func TestEveryTable(t *testing.T) {
	r := format.Read(t, files()...)
	format.Check(t, r)
	if got := len(r.Conversations()); got != 7 {
		t.Errorf("%d conversations, want 7", got)
	}
	if len(r.Quarantined()) != 0 || r.Skips()["no_rows"] != 1 {
		t.Errorf("quarantined %v, skips %v", r.Quarantined(), r.Skips())
	}
	importertest.Documents(t, "testdata/copilot.golden", r)
	format.Coverage(t, "testdata/copilot-coverage.golden", r)
}

func TestOddValuesInUnits(t *testing.T) {
	format.Mutate(t, format.Read(t, files()...), 150)
}

// Cases 44 and 45 of the reference SDK's failures: chats of one title were merged, and questions of
// one minute were put before all answers of it.
func TestTalksOfOneTitleAreNotMergedAndRowsOfOneMinuteStayInOrder(t *testing.T) {
	r := read(t, crlf("Conversation,Time,Author,Message",
		"Tea,2026-02-17T14:36:00,AI,A2", "Tea,2026-02-17T14:36:00,Human,U2", "Tea,2026-02-17T14:36:00,AI,A1", "Tea,2026-02-17T14:36:00,Human,U1",
		"Milk,2026-02-16T14:36:00,AI,M", "Tea,2026-02-15T14:36:00,AI,older"))
	if len(r.Conversations()) != 3 {
		t.Fatalf("%d conversations, want 3", len(r.Conversations()))
	}
	want(t, r.Conversations()[0], "Tea", "user 2026-02-17T14:36:00Z U1", "assistant 2026-02-17T14:36:00Z A1", "user 2026-02-17T14:36:00Z U2", "assistant 2026-02-17T14:36:00Z A2")
	if r.Conversations()[0].Doc.ID == r.Conversations()[2].Doc.ID {
		t.Error("two talks of one title have one id")
	}
	// A table that somebody has sorted the other way round gives the same documents.
	sorted := read(t, crlf("Conversation,Time,Author,Message",
		"Tea,2026-02-17T14:36:00,Human,U1", "Tea,2026-02-17T14:36:00,AI,A1", "Tea,2026-02-17T14:36:00,Human,U2", "Tea,2026-02-17T14:36:00,AI,A2"))
	if got, same := string(sorted.Conversations()[0].Doc.AppendJSON(nil)), string(r.Conversations()[0].Doc.AppendJSON(nil)); got != same {
		t.Errorf("sorted: %s\nas exported: %s", got, same)
	}
}
