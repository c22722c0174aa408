package copilot_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/providers/copilot"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var format = importertest.Format{Importer: copilot.New(), NoInverse: true}

// crlf makes the rows of a table, as the export ends them; line breaks inside cells stand as \v here.
func crlf(rows ...string) string {
	return strings.ReplaceAll(strings.Join(rows, "\r\n")+"\r\n", `\v`, "\n")
}

// history is the main file: newest conversation first, newest row first, the answer before its question.
var history = "\ufeff" + crlf(
	`Conversation,Time,Author,Message`,
	`Tea,2026-02-17T14:36:11,AI,"Assam is strong [8f1c](https://tea.example/assam?a=1&citationMarker=8f1c ""1"").\v\v- one\v- two ""quoted"""`,
	`Tea,2026-02-17T14:36:11,Human,Which tea?`,
	`Tea,2026-02-17T14:30:00,AI,"[again](https://tea.example/?citationMarker=1 ""2"") and [action](ca://s?q=tea)"`,
	`Tea,2026-02-17T14:30:00,Human,`,
	`"Café, naïve",2026-02-16T09:00:00,AI,Page 2`,
	`"Café, naïve",2026-02-16T08:59:59,AI,Page 1`,
	`"Café, naïve",2026-02-16T08:59:58,Human,"two pages, please 😀"`,
	`Tea,2026-02-15T10:00:00,AI,`+strings.Repeat("x", 100)+`...`,
	`Tea,2026-02-15T10:00:00,Human,An older talk of the same name`,
)

var chat = crlf(
	`CreatedAt,MessageContent,Author,ChatName`,
	`2/17/2026 3:08:20 PM +00:00,"Oolong, then",Copilot,Tea`,
	`2/17/2026 3:08:20 PM +00:00,And green?,user,Tea`,
	`2/3/2026 11:00:00 AM +00:00,Hello,Somebody,Greeting`,
)

var windows = crlf(
	`Timestamp,ClientApp,Prompt`,
	`2026-01-05T08:00:00,Notepad,"Make this shorter:\v\vall of it"`,
	`2026-01-04T08:00:00,Paint,a red door`,
)

const headerOnly = "CreatedAt,MessageContent,Author,ChatName\r\n"

func files() []importertest.File {
	return []importertest.File{
		{Name: "copilot-activity-history.csv", Data: []byte(history)},
		{Name: "copilot-chat-activity (1).csv", Data: []byte(chat)},
		{Name: "renamed.txt", Data: []byte(windows)},
		{Name: "copilot-in-Microsoft-365-apps-activity.csv", Data: []byte(headerOnly)},
	}
}

func read(t testing.TB, tables ...string) *importertest.Result {
	t.Helper()
	var in []importertest.File
	for i, table := range tables {
		in = append(in, importertest.File{Name: fmt.Sprintf("copilot-activity-history (%d).csv", i), Data: []byte(table)})
	}
	r := importertest.Read(t, copilot.New(), importer.Limits{}, in...)
	format.Check(t, r)
	return r
}

// talk is a conversation as a person sees it: its title and who said what when.
func talk(s *importer.Snapshot) []string {
	out := []string{"(no title)"}
	if s.Doc.Title != nil {
		out[0] = *s.Doc.Title
	}
	for _, m := range s.Doc.Messages {
		text := "(none)"
		if m.Content != nil {
			text = *m.Content.Text
		}
		out = append(out, m.Role+" "+m.CreatedAt+" "+text)
	}
	return out
}

func want(t *testing.T, s *importer.Snapshot, lines ...string) {
	t.Helper()
	if got := talk(s); !slices.Equal(got, lines) {
		t.Errorf("got %q\nwant %q", got, lines)
	}
}

func TestEveryTable(t *testing.T) {
	r := importertest.Read(t, copilot.New(), importer.Limits{}, files()...)
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
	format.Mutate(t, importertest.Read(t, copilot.New(), importer.Limits{}, files()...), 150)
}

// Cases 44 and 45 of the reference SDK's failures: chats of one title were merged, and questions of one minute were put
// before all answers of it.
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

// Case 46 of the reference SDK's failures: times that were not ISO became the time of the import, and 02/03 was always
// February.
func TestTimesOfEveryForm(t *testing.T) {
	table := func(times ...string) string {
		rows := []string{"Conversation,Time,Author,Message"}
		for i, at := range times {
			rows = append(rows, fmt.Sprintf(`T%d,"%s",Human,hello`, i, at))
		}
		return crlf(rows...)
	}
	for _, c := range []struct {
		name  string
		times []string
		want  []string
		odd   int // ambiguous dates that were guessed
	}{
		{"of the United States", []string{"2/17/2026 3:08:20 PM", "02/03/2026 12:00:00 AM", "02/03/2026"}, []string{"2026-02-17T15:08:20Z", "2026-02-03T00:00:00Z", "2026-02-03T00:00:00Z"}, 0},
		{"of Europe", []string{"17/02/2026 10:00", "02/03/2026 10:00", "02/03/2026"}, []string{"2026-02-17T10:00:00Z", "2026-03-02T10:00:00Z", "2026-03-02T00:00:00Z"}, 0},
		{"of nobody knows where", []string{"02/03/2026 10:00"}, []string{"2026-02-03T10:00:00Z"}, 1},
		{"of both", []string{"17/02/2026 10:00", "2/17/2026 10:00", "02/03/2026 10:00"}, []string{"2026-02-17T10:00:00Z", "2026-02-17T10:00:00Z", "2026-02-03T10:00:00Z"}, 1},
		{"with points", []string{"02.03.2026 10:00:01", "2.3.26"}, []string{"2026-03-02T10:00:01Z", "2026-03-02T00:00:00Z"}, 0},
		{"with a year first", []string{"2026/03/02 10:00", "2026-03-02 10:00:01.5"}, []string{"2026-03-02T10:00:00Z", "2026-03-02T10:00:01.500000Z"}, 0},
		{"with zones", []string{"2026-03-02T10:00:00+02:00", "2/17/2026 3:08:20 PM -01:30", "2026-02-17T14:36:11Z", "2/17/2026 3:08 PM UTC"}, []string{"2026-03-02T08:00:00Z", "2026-02-17T16:38:20Z", "2026-02-17T14:36:11Z", "2026-02-17T15:08:00Z"}, 0},
		{"with narrow spaces", []string{"2/17/2026, 3:08:20\u202fp.m."}, []string{"2026-02-17T15:08:20Z"}, 0},
		{"that are none", []string{"yesterday", "31/02/2026 10:00", "13/13/2026", "1/13/2026 25:00", "2/17/2026 13:00 PM", ""}, slices.Repeat([]string{"1970-01-01T00:00:00Z"}, 6), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := read(t, table(c.times...))
			guessed := 0
			for i, s := range r.Conversations() {
				if got := s.Doc.Messages[0].CreatedAt; got != c.want[i] {
					t.Errorf("%q is %s, want %s", c.times[i], got, c.want[i])
				}
				guessed += s.Anomalies["ambiguous_date"]
				if zoned := strings.Contains(string(s.Doc.RawMetadata), `"time_zone_assumed":"UTC"`); zoned == (c.name == "with zones" || c.name == "that are none") {
					t.Errorf("%q: the zone is said to be assumed: %v", c.times[i], zoned)
				}
			}
			if len(r.Conversations()) != len(c.want) || guessed != c.odd {
				t.Errorf("%d conversations, %d guesses", len(r.Conversations()), guessed)
			}
		})
	}
}

// Case 47 of the reference SDK's failures: a short row, a row with more cells, a cell of more than 128 KiB, and texts that
// are not UTF-8 ended the import.
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

func wide(text string, little, mark bool) string {
	var out []byte
	if mark {
		text = "\ufeff" + text
	}
	for _, u := range utf16.Encode([]rune(text)) {
		if little {
			out = append(out, byte(u), byte(u>>8))
		} else {
			out = append(out, byte(u>>8), byte(u))
		}
	}
	return string(out)
}

func TestOtherEncodings(t *testing.T) {
	plain := strings.TrimPrefix(history, "\ufeff")
	documents := func(r *importertest.Result) string {
		var out []byte
		for _, s := range r.Conversations() {
			out = append(s.Doc.AppendJSON(out), '\n')
		}
		return string(out)
	}
	whole := documents(read(t, history))
	for name, table := range map[string]string{
		"no mark": plain, "UTF-16 little": wide(plain, true, true), "UTF-16 big": wide(plain, false, true), "UTF-16 little, no mark": wide(plain, true, false), "UTF-16 big, no mark": wide(plain, false, false),
	} {
		if got := documents(read(t, table)); got != whole {
			t.Errorf("%s: other documents\n%s\n%s", name, got, whole)
		}
	}
	r := read(t, crlf("Conversation,Time,Author,Message", "Caf\xe9,2026-02-17T14:36:12,AI,\x93na\xefve\x94 \x80 5", "Caf\xe9,2026-02-17T14:36:11,Human,plain", "Mixed é,2026-02-17T14:36:11,Human,a \xff b"))
	want(t, r.Conversations()[0], "Café", "user 2026-02-17T14:36:11Z plain", "assistant 2026-02-17T14:36:12Z “naïve” € 5")
	want(t, r.Conversations()[1], "Mixed é", "user 2026-02-17T14:36:11Z a \ufffd b")
	raw := string(r.Conversations()[0].Doc.Messages[1].RawMetadata)
	if !strings.Contains(raw, `"encoding":"windows-1252","bytes":"Q2Fm6SwyMDI2LTAyLTE3VDE0OjM2OjEyLEFJLJNuYe92ZZQggCA1"`) {
		t.Errorf("the bytes are not kept: %s", raw)
	}
	if len(r.Quarantined()) != 0 {
		t.Errorf("quarantined: %v", r.Quarantined()[0])
	}
}

func TestColumnsInAnyOrderAndCase(t *testing.T) {
	for _, table := range []string{
		crlf(` MESSAGE ,author,"Time",conversation`, `"hello, you",human,2026-02-17T14:36:11,Tea`),
		crlf(`Conversation;Extra;Time;Author;Message`, `Tea;x;2026-02-17T14:36:11;Human;hello, you`),
		crlf("Conversation\tTime\tAuthor\tMessage", "Tea\t2026-02-17T14:36:11\tuser\thello, you"),
	} {
		want(t, read(t, table).Conversations()[0], "Tea", "user 2026-02-17T14:36:11Z hello, you")
	}
	r := importertest.Read(t, copilot.New(), importer.Limits{}, importertest.File{Name: "copilot-in-Microsoft-365-apps-activity.csv", Data: []byte(crlf("Date,App,Sender,Prompt", "2026-02-17T14:36:11,Word,user,hello"))})
	if s := r.Conversations()[0]; s.Anomalies[importer.AnomalyUnknownVariant] != 1 || s.Doc.Provider.ExportFormatVersion != "unknown" {
		t.Errorf("columns that nobody has seen: %v", s.Anomalies)
	}
}

// Case 21 of the reference SDK's failures: any folder with a CSV file became a bundle of Copilot's without conversations.
func TestOtherTablesAreNotClaimed(t *testing.T) {
	for name, data := range map[string]string{
		"bank.csv":          crlf("Date,Amount,Message", "2026-01-01,5,tea"),
		"chat.csv":          crlf("Time,Author,Message", "2026-01-01T00:00:00,Human,hello"),
		"prompts.csv":       crlf("Timestamp,Prompt", "2026-01-01T00:00:00,hello"),
		"empty.csv":         "",
		"blank.csv":         "\r\n\r\n",
		"list.json":         `["Conversation,Time,Author,Message"]`,
		"no-table.csv":      "just a text",
		"quote.csv":         `"Conversation,Time,Author,Message`,
		"copilot-other.csv": crlf("a,b,c", "1,2,3"),
	} {
		r := importertest.Read(t, copilot.New(), importer.Limits{}, importertest.File{Name: name, Data: []byte(data)})
		if len(r.Claim.Members)+len(r.Claim.Refused) != 0 {
			t.Errorf("%s: %+v", name, r.Claim)
		}
	}
	r := importertest.Read(t, copilot.New(), importer.Limits{},
		importertest.File{Name: "audit.csv", Data: []byte(crlf("RecordId,CreationDate,RecordType,Operation,UserId,AuditData", "1,2,3,4,5,6"))},
		importertest.File{Name: "copilot-activity-history.csv", Data: []byte(crlf("Unterhaltung,Zeit,Wer,Nachricht", "1,2,3,4"))})
	if len(r.Claim.Members) != 0 || len(r.Claim.Refused) != 2 || !strings.Contains(r.Claim.Refused[0].Reason, "audit log") {
		t.Errorf("%+v", r.Claim)
	}
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

// manyRows is a table of n conversations with a pair of rows each.
func manyRows(n int) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	rng := rand.New(rand.NewPCG(1, 2))
	_ = w.Write([]string{"Conversation", "Time", "Author", "Message"})
	for i := range n {
		for _, author := range []string{"AI", "Human"} {
			_ = w.Write([]string{fmt.Sprint("talk ", i), fmt.Sprintf("2026-02-%02dT14:%02d:00", 28-i%28, i%60), author, fmt.Sprintf("%x, \"%d\"\n", rng.Uint64(), i)})
		}
	}
	w.Flush()
	return b.String()
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

// A file that grew has the same conversations under the same ids.
func TestAnExportThatGrewKeepsItsIDs(t *testing.T) {
	before := read(t, history)
	after := read(t, strings.Replace(history, "Tea,2026-02-17T14:36:11,AI", "Milk,2026-02-18T10:00:00,Human,new\r\nTea,2026-02-17T14:40:00,AI,more\r\nTea,2026-02-17T14:36:11,AI", 1))
	if len(after.Conversations()) != len(before.Conversations())+1 {
		t.Fatalf("%d conversations", len(after.Conversations()))
	}
	for i, s := range before.Conversations() {
		grown := after.Conversations()[i+1]
		if grown.Doc.ID != s.Doc.ID {
			t.Errorf("conversation %d was %s, is %s", i, s.Doc.ID, grown.Doc.ID)
		}
		for k, m := range s.Doc.Messages {
			if grown.Doc.Messages[k].ID != m.ID {
				t.Errorf("message %d of conversation %d has another id", k, i)
			}
		}
	}
	// An older export, whose answers are cut, has the same ids, too.
	full := read(t, strings.Replace(history, strings.Repeat("x", 100)+"...", strings.Repeat("x", 300), 1))
	was, is := before.Conversations()[2].Doc, full.Conversations()[2].Doc
	if was.ID != is.ID || was.Messages[1].ID != is.Messages[1].ID || !strings.Contains(string(was.Messages[1].RawMetadata), `"truncated":true`) || strings.Contains(string(is.Messages[1].RawMetadata), "truncated") {
		t.Errorf("a cut answer: %s, whole: %s", was.Messages[1].RawMetadata, is.Messages[1].RawMetadata)
	}
}

func TestIDsAreFrozen(t *testing.T) {
	r := importertest.Read(t, copilot.New(), importer.Limits{}, files()...)
	got := []string{}
	for _, s := range r.Conversations() {
		got = append(got, s.Doc.ID+" "+s.Doc.Messages[0].ID)
	}
	frozen := []string{
		"7819342c-16a2-5149-acbb-e268da31b4c0 77ce33c62290281f3d993e00db2d7583",
		"4a028282-0c92-52ab-8fde-7972400e673c 28f11e41f56a4f6c63ee79e5a695956a",
		"680000bc-bca7-5e51-b7b7-ab5d741cce0a c00f4f74472e95a95f57515866d3f205",
		"073ec443-5718-58ea-993e-97e4e9c26be4 868d00a9affb22c4c923ce3f08bcc059",
		"7e8d700b-3af5-59a6-a205-f67ccde24b12 80e9e0843f205da913663f13f2bb010c",
		"d4ec9ece-09bf-5dc9-bca9-91beefd0d65e 22f82d7464accd553f0d36488fc7b523",
		"52d7ed1a-44ca-53f1-99eb-028570ccf555 c117ca55a43561f79c3ebdd6a6b93ff8",
	}
	if !slices.Equal(got, frozen) {
		t.Errorf("the ids are\n%s", strings.Join(got, "\n"))
	}
}

func member(data []byte) archive.Member {
	return archive.NewMember("x.csv", int64(len(data)), 0, func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
}

func claim(m archive.Member) importer.Claim {
	return importer.Claim{Members: []importer.ClaimedMember{{Member: m, Role: "conversations"}}}
}

func TestADamagedFileOfCopilotsOwnNameIsReported(t *testing.T) {
	damaged := func(name string) archive.Member {
		return archive.NewMember(name, 10, 0, func(context.Context) (io.ReadCloser, error) { return nil, errors.New("the checksum differs") })
	}
	imp := copilot.New()
	c, err := imp.Claim(t.Context(), []archive.Member{damaged("copilot-activity-history (1).csv"), damaged("other.csv")}, importertest.Peek, importer.Limits{})
	if err != nil || len(c.Members) != 1 {
		t.Fatalf("%d members: %v", len(c.Members), err)
	}
	n := 0
	for u, err := range imp.Split(t.Context(), c, importer.Limits{}) {
		if n++; err != nil || u.Err == nil || u.Err.Code != "unreadable_member" || !strings.Contains(u.Err.Reason, "checksum") {
			t.Errorf("%v, %+v", err, u.Err)
		}
	}
	if n != 1 {
		t.Errorf("%d units", n)
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

func FuzzCopilotUnits(f *testing.F) {
	f.Add([]byte(`{"header":"Conversation,Time,Author,Message","rows":[{"row":"Tea,2026-02-17T14:36:11,AI,x"}]}`))
	f.Add([]byte(`{"header":"Timestamp,ClientApp,Prompt","dates":"day-first","rows":[{"row":"\"1/2/2026 3:04 PM\",x,\"y"},null]}`))
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "conversations"}, raw) })
}

// Whatever the bytes are, every row is in a message or in a located error, and the file is read to its end.
func FuzzCopilotTables(f *testing.F) {
	for _, s := range []string{history, chat, windows, headerOnly, "Conversation,Time,Author,Message\n\"a,2026-01-01T00:00:00,AI,\"b\nc,2026-01-01T00:00:00,AI,\"d\"\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		end := int64(-1)
		for u, err := range copilot.New().Split(t.Context(), claim(member(data)), importer.Limits{MaxConversation: 4096}) {
			switch {
			case err != nil:
				t.Fatal(err)
			case u.Err != nil:
				if u.Err.Offset < 0 || u.Err.Code == "" || u.Err.Reason == "" {
					t.Errorf("not located: %+v", *u.Err)
				}
			case u.Offset <= end && end > 0:
				t.Errorf("a unit at %d behind one at %d", u.Offset, end)
			default:
				end = u.Offset
				format.Fuzz(t, u, u.Raw)
			}
		}
	})
}
