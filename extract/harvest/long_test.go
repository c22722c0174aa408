package harvest

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
)

// A text of megabytes is no memory, whatever kind of record it stands in, and nobody searches it
// for secrets.
func TestADocumentIsNoMemory(t *testing.T) {
	for _, c := range []struct {
		text  string
		found int
	}{
		{strings.Repeat("tea ", maxContent/4), 1},
		{strings.Repeat("tea ", maxContent), 0},
	} {
		got, report := Extractor{}.ExtractRecord(&extract.Record{Kind: extract.RecordMemory, Provider: "claude", Text: c.text, Raw: []byte("{}")})
		got = statedOnly(got)
		if len(got) != c.found || (c.found == 0) != (report.Skipped[SkipLong] == 1) {
			t.Errorf("%d bytes: %d candidates, %+v", len(c.text), len(got), report)
		}
	}
}

// A record says so many things, or it makes no memories at all: it would take memory by its length.
func TestARecordOfTooManyStatementsMakesNone(t *testing.T) {
	for n, want := range map[int]int{maxStatements: 0, maxStatements + 1: 1} {
		r := extract.Record{Kind: extract.RecordMemory, Text: strings.Repeat("- The user likes tea.\n", n)}
		got, report := New().ExtractRecord(&r)
		if report.Skipped[SkipMany] != want || (len(got) == 0) != (want == 1) {
			t.Errorf("%d statements: %d candidates, skipped %v", n, len(got), report.Skipped)
		}
	}
}
