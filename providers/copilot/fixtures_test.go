package copilot_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/copilot"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var format = importertest.Format{Importer: copilot.New(), NoInverse: true}

// crlf makes the rows of a table, as the export ends them; line breaks inside cells stand as \v
// here.
func crlf(rows ...string) string {
	return strings.ReplaceAll(strings.Join(rows, "\r\n")+"\r\n", `\v`, "\n")
}

// history is the main file: newest conversation first, newest row first, the answer before its
// question.
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
	r := format.Read(t, in...)
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

func member(data []byte) archive.Member {
	return archive.NewMember("x.csv", int64(len(data)), 0, func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
}

func claim(m archive.Member) importer.Claim {
	return importer.Claim{Members: []importer.ClaimedMember{{Member: m, Role: "conversations"}}}
}
