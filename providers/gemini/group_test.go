package gemini_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/assemble/fold"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/gemini"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// documents are the documents of a result by id.
func documents(t *testing.T, r *importertest.Result) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, s := range r.Conversations() {
		if _, twice := out[s.Doc.ID]; twice {
			t.Errorf("conversation %s comes twice", s.Doc.ID)
		}
		out[s.Doc.ID] = string(s.Doc.AppendJSON(nil))
	}
	return out
}

// elements are the rows of testdata/rows.json as text.
func elements(t *testing.T) []string {
	t.Helper()
	doc, err := jsonscan.Parse(file(t, logPath, "rows.json").Data, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for v := range doc.Root().Items() {
		out = append(out, string(v.Raw()))
	}
	return out
}

// The same rows in another order, in several logs, or more than once give the same conversations.
func TestOrderAndSplitChangeNothing(t *testing.T) {
	all := elements(t)
	want := documents(t, read(t, jsonLog(all...)))
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		mixed := slices.Clone(all)
		rng.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		n := rng.IntN(len(mixed))
		a, b := jsonLog(mixed[:n]...), jsonLog(append(mixed[n:], mixed[rng.IntN(len(mixed))])...)
		b.Name = "Takeout/My Activity/Gemini Apps/MyActivity (1).json"
		if n == 0 {
			a.Name = "other.txt"
		}
		r := read(t, a, b)
		rows.Check(t, r)
		if got := documents(t, r); !maps.Equal(got, want) {
			t.Fatal("other documents")
		}
	}
}

// The parts of a split export may hold logs of the same name.
func TestPartsAreOneSetOfRows(t *testing.T) {
	all := elements(t)
	want := documents(t, read(t, jsonLog(all...)))
	r := importertest.ReadParts(t, gemini.New(), importer.Limits{}, importertest.Pack(t, jsonLog(all[3:]...)), importertest.Pack(t, jsonLog(all[:6]...)))
	if got := documents(t, r); !maps.Equal(got, want) {
		t.Error("other documents")
	}
	if n := r.Skips()["duplicate-row"]; n != 2 { // one of the three is of another product
		t.Errorf("%d rows are in both parts", n)
	}
}

// A log has the newest row first: that decides between rows of one time.
func TestRowsOfOneTimeAreInTheOrderOfTheLog(t *testing.T) {
	row := func(prompt string) string {
		return `{"header":"Gemini Apps","title":"Prompted ` + prompt + `","time":"2026-01-02T03:04:05Z","details":[{"url":"https://gemini.google.com/app/one"}]}`
	}
	all := []string{row("e"), row("b"), row("d"), row("a"), row("c")}
	if got := said(only(t, read(t, jsonLog(all...))).Doc); got != "user: c | user: a | user: d | user: b | user: e" {
		t.Error(got)
	}
	older := `{"header":"Gemini Apps","title":"Prompted old","time":"2026-01-01T03:04:05Z"}`
	a, b := jsonLog(all[:2]...), jsonLog(append(all[2:], older)...)
	a.Name = "a.json"
	for _, files := range [][]importertest.File{{a, b}, {b, a}} {
		for _, s := range read(t, files...).Conversations() {
			if s.Doc.Provider.ConversationID == "one" && said(s.Doc) != "user: c | user: a | user: d | user: b | user: e" {
				t.Error(said(s.Doc))
			}
		}
	}
}

// A page and a list of one account have the same conversations and messages. They are snapshots of
// their own, and folding them finds no two values of one thing, except the name of the form.
func TestPageAndListAreOneAccount(t *testing.T) {
	list, pages := logFiles(t)[0], pageFiles(t)[0]
	byID := map[string][]*importer.Snapshot{}
	for _, s := range read(t, list, pages).Conversations() {
		byID[s.Doc.ID] = append(byID[s.Doc.ID], s)
	}
	both := 0
	for id, of := range byID {
		if len(of) == 1 {
			continue
		}
		both++
		var ids [2][]string
		for i, s := range of {
			for _, m := range s.Doc.Messages {
				ids[i] = append(ids[i], m.ID)
			}
		}
		if !slices.Equal(ids[0], ids[1]) {
			t.Errorf("%s: messages %v and %v", id, ids[0], ids[1])
		}
		slices.SortFunc(of, func(a, b *importer.Snapshot) int { return strings.Compare(a.Order, b.Order) })
		folded, conflicts, err := fold.Fold([]string{of[0].Order, of[1].Order}, []*pamio.Conversation{of[0].Doc, of[1].Doc})
		if err != nil {
			t.Fatal(err)
		}
		if conflicts != 1 {
			t.Errorf("%s: %d conflicts: %s", id, conflicts, folded.RawMetadata)
		}
		if _, err := gemini.New().Restore(nil, folded); err != nil {
			t.Errorf("%s: the rows are not restored from both: %v", id, err)
		}
	}
	if both != 4 {
		t.Errorf("only %d conversations are in both", both)
	}
}

// Of a list that breaks off, the rest comes from the page of the same account.
func TestConversationsBehindABreakOfTheListComeFromThePage(t *testing.T) {
	ids := func(r *importertest.Result) map[string]bool {
		out := map[string]bool{}
		for _, s := range r.Conversations() {
			out[s.Doc.ID] = true
		}
		return out
	}
	list, page := logFiles(t)[0], pageFiles(t)[0]
	whole := ids(read(t, list, page))
	for ninth := range 9 {
		size := ninth * (len(list.Data) - 2) / 8
		cut := importertest.File{Name: list.Name, Data: list.Data[:size]}
		got := ids(read(t, cut, page))
		for id := range ids(read(t, page)) {
			if !got[id] {
				t.Errorf("cut at %d: conversation %s of the page is missing", size, id)
			}
		}
		for id := range got {
			if !whole[id] {
				t.Errorf("cut at %d: conversation %s is not one of the whole list and the page", size, id)
			}
		}
	}
}
