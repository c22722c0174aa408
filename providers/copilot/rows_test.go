package copilot_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/providers/copilot"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// Case 47 of the reference SDK's failures: a short row, a row with more cells, a cell of more than
// 128 KiB, and texts that are not UTF-8 ended the import.
func TestRowsOfOddForm(t *testing.T) {
	long := strings.Repeat("long ", 60_000)
	r := read(t, crlf("Conversation,Time,Author,Message",
		"Tea,2026-02-17T14:36:13,AI,answer,and,more",
		"Tea,2026-02-17T14:36:12",
		"Tea",
		`Tea,2026-02-17T14:36:11,Human,"`+long+`"`,
		"",
		"Mood,2026-02-17T14:36:11,robot,beep",
		`Bare,2026-02-17T14:36:11,Human,5" and 6" of it`)+"End,2026-02-17T14:36:11,Human,no end of line")
	if len(r.Conversations()) != 4 || len(r.Quarantined()) != 0 {
		t.Fatalf("%d conversations, quarantined %v", len(r.Conversations()), r.Quarantined())
	}
	tea := r.Conversations()[0]
	want(t, tea, "Tea", "user 2026-02-17T14:36:11Z "+long, "assistant 2026-02-17T14:36:11Z (none)", "assistant 2026-02-17T14:36:12Z (none)", "assistant 2026-02-17T14:36:13Z answer")
	if tea.Anomalies["short_row"] != 2 || tea.Anomalies["long_row"] != 1 || !strings.Contains(string(tea.Doc.Messages[3].RawMetadata), `"Tea,2026-02-17T14:36:13,AI,answer,and,more"`) {
		t.Errorf("anomalies %v, row %s", tea.Anomalies, tea.Doc.Messages[3].RawMetadata)
	}
	if mood := r.Conversations()[1]; mood.Doc.Messages[0].Role != normalize.RoleAssistant || mood.Anomalies["unknown_author"] != 1 || mood.Anomalies[importer.AnomalyUnknownVariant] != 1 {
		t.Errorf("an unknown author: %s, %v", mood.Doc.Messages[0].Role, mood.Anomalies)
	}
	want(t, r.Conversations()[2], "Bare", `user 2026-02-17T14:36:11Z 5" and 6" of it`)
	want(t, r.Conversations()[3], "End", "user 2026-02-17T14:36:11Z no end of line")
}

func TestNeighboursOfBrokenRowsAreRead(t *testing.T) {
	rows := func(bad ...string) string {
		return crlf(slices.Concat([]string{"Conversation,Time,Author,Message", `A,2026-02-17T14:00:02,AI,"first"`, `A,2026-02-17T14:00:01,Human,"one "`}, bad,
			[]string{`B,2026-02-16T14:00:02,AI,"second, ""quoted""\vline"`, `B,2026-02-16T14:00:01,Human,two`, `C,2026-02-15T14:00:01,Human,"three"`})...)
	}
	whole := read(t, rows())
	for name, c := range map[string]struct {
		bad         []string
		quarantined string
		lost        int
	}{
		"text behind a quote":      {[]string{`X,2026-02-16T15:00:00,AI,"broken" text`}, "quote", 0},
		"a quote that is not shut": {[]string{`X,2026-02-16T15:00:00,AI,"broken`}, "quote", 0},
		"over several lines":       {[]string{`X,2026-02-16T15:00:00,AI,"broken`, `and, more`, `2026 "x`}, "quote", 0},
		"a lone quote as a cell":   {[]string{`",2026-02-16T15:00:00,AI,text`}, "quote", 0},
	} {
		t.Run(name, func(t *testing.T) {
			table := rows(c.bad...)
			r := read(t, table)
			bad := r.Quarantined()
			if len(bad) != 1 || bad[0].Code != c.quarantined {
				t.Fatalf("quarantined %+v", bad)
			}
			if got, at := bad[0].Offset, int64(strings.Index(table, c.bad[0])); got != at || bad[0].Size != int64(len(crlf(c.bad...))) {
				t.Errorf("at %d with %d bytes, want at %d", got, bad[0].Size, at)
			}
			if len(r.Conversations()) != len(whole.Conversations()) {
				t.Fatalf("%d conversations, want %d", len(r.Conversations()), len(whole.Conversations()))
			}
			for i, s := range whole.Conversations() {
				want(t, r.Conversations()[i], talk(s)...)
			}
		})
	}
}

func TestAFileThatEndsInTheMiddle(t *testing.T) {
	r := read(t, history[:strings.Index(history, "two pages")])
	if bad := r.Quarantined(); len(bad) != 1 || bad[0].Code != "truncated" || len(r.Conversations()) != 2 {
		t.Fatalf("quarantined %v, %d conversations", bad, len(r.Conversations()))
	}
	want(t, r.Conversations()[1], "Café, naïve", "assistant 2026-02-16T08:59:59Z Page 1", "assistant 2026-02-16T09:00:00Z Page 2")
	// The first rows are there and the archive is not.
	whole := importertest.Pack(t, importertest.File{Name: "copilot-activity-history.csv", Data: []byte(manyRows(4000))})
	a, err := archive.Open(t.Context(), []archive.Part{{Name: "x.zip", Source: bytes.NewReader(whole[:len(whole)/2])}}, archive.Limits{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close() //nolint:errcheck // only read
	imp := copilot.New()
	c, err := imp.Claim(t.Context(), a.Members, importertest.Peek, importer.Limits{})
	if err != nil || len(c.Members) != 1 {
		t.Fatalf("claim %v: %v", c.Members, err)
	}
	good, bad := 0, 0
	for u, err := range imp.Split(t.Context(), c, importer.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		if u.Err != nil {
			bad++
			continue
		}
		good++
	}
	if good == 0 || bad != 1 {
		t.Errorf("%d units, %d quarantined", good, bad)
	}
}

func TestLimitsHoldForRowsAndRuns(t *testing.T) {
	limits := importer.Limits{MaxConversation: 2000}
	table := crlf("Conversation,Time,Author,Message",
		"A,2026-02-17T14:00:00,Human,small", `B,2026-02-17T14:00:00,Human,"`+strings.Repeat(`big\v`, 1000)+`"`, "C,2026-02-17T14:00:00,Human,small",
		strings.TrimSuffix(strings.Repeat("D,2026-02-17T14:00:00,Human,one of many\r\n", 100), "\r\n"), "E,2026-02-17T14:00:00,Human,small")
	r := importertest.Read(t, copilot.New(), limits, importertest.File{Name: "x.csv", Data: []byte(table)})
	bad := r.Quarantined()
	if len(r.Conversations()) != 3 || len(bad) != 2 || bad[0].Code != "too_big" || bad[1].Code != "too_big" || bad[1].Size != 3900 {
		t.Fatalf("%d conversations, quarantined %v", len(r.Conversations()), bad)
	}
	// Rows that are all broken are counted, not listed.
	r = read(t, crlf("Conversation,Time,Author,Message")+strings.Repeat("X,2026-02-17T14:00:00,Human,\"broken\" x\r\n", 5000)+crlf("A,2026-02-17T14:00:00,Human,small"))
	if bad := r.Quarantined(); len(r.Conversations()) != 1 || len(bad) != 101 || !strings.Contains(bad[100].Reason, "4900 more rows") {
		t.Errorf("%d conversations, %d quarantined", len(r.Conversations()), len(bad))
	}
}

func TestReadingEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err := range copilot.New().Split(ctx, claim(member([]byte(manyRows(100)))), importer.Limits{}) {
		if n++; n == 3 {
			cancel()
		}
		if (err != nil) != (n > 3) {
			t.Fatalf("unit %d: %v", n, err)
		}
	}
	if n != 4 {
		t.Errorf("%d units, want 3 and an error", n)
	}
}
