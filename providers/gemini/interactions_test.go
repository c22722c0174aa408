package gemini_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/gemini"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// dialogue is a document in one line.
func dialogue(doc *pamio.Conversation) string {
	var out []string
	for _, m := range doc.Messages {
		text := ""
		if m.Content != nil && m.Content.Text != nil {
			text = *m.Content.Text
		}
		out = append(out, m.Role+": "+text)
	}
	return strings.Join(out, " | ")
}

func TestRowsWithUserInteractionsAreConversations(t *testing.T) {
	r := read(t, file(t, logPath, "interactions.json"))
	rows.Check(t, r)
	importertest.Documents(t, "testdata/interactions.golden", r)
	rows.Coverage(t, "testdata/interactions-coverage.golden", r)
	got := map[string]bool{}
	for _, s := range r.Conversations() {
		got[dialogue(s.Doc)] = true
	}
	for _, want := range []string{
		"user: Which wood is best for a kite? | assistant: Spruce or bamboo. | user: Is birch too heavy? | user: And how long should its tail be? | assistant: About six times its length.\nLonger in strong wind.",
		"user: Name three winds. | assistant: Bora, föhn, mistral.",
		"user: Where does the föhn blow? | assistant: In the Alps.",
		"user:  | assistant: Good morning!",
	} {
		if !got[want] {
			t.Errorf("no conversation %q in %v", want, got)
		}
	}
	if n := len(r.Records()); n != 2 {
		t.Errorf("%d records, want the two rows in which nobody says anything", n)
	}
}

// What a version made of a log, it makes of it for ever: rows with userInteractions are records in
// 2026.11.
func TestVersion202611KeepsInteractionsAsRecords(t *testing.T) {
	r := importertest.Read(t, gemini.New202611(), importer.Limits{}, file(t, logPath, "interactions.json"))
	if c, n := len(r.Conversations()), len(r.Records()); c != 1 || n != 6 {
		t.Errorf("%d conversations and %d records, want 1 and 6", c, n)
	}
	importertest.Documents(t, "testdata/rows.golden", importertest.Read(t, gemini.New202611(), importer.Limits{}, logFiles(t)...))
}

func TestEditedRequestsComeBackOut(t *testing.T) {
	r := read(t, file(t, logPath, "interactions.json"))
	for _, s := range r.Conversations() {
		if !strings.Contains(dialogue(s.Doc), "Spruce") {
			continue
		}
		text := "Which wood is lightest?"
		s.Doc.Messages[0].Content.Text = &text
		back, err := gemini.New().Restore(nil, s.Doc)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(back), `"request":"Which wood is lightest?"`) || strings.Contains(string(back), "best for a kite") {
			t.Errorf("the edit is not in %s", back)
		}
		return
	}
	t.Error("the conversation is not there")
}

// The text of a request is found in whatever JSON holds it; what holds none is the text itself.
func TestTextsOfInteractionsAreFoundInTheirJSON(t *testing.T) {
	for request, want := range map[string]string{
		`"plain"`:              "plain",
		`"[1,2]"`:              "[1,2]",
		`"[x] done"`:           "[x] done",
		`"{\"prompt\":\"a\"}"`: "a",
		`"[{\"role\":\"user\",\"parts\":[{\"text\":\"a\"},{\"text\":\"b\"}]}]"`: "a\nb",
		`[{"content":"a"},"b"]`:          "a\nb",
		`{"text":"a","html":"<b>a</b>"}`: "a",
		`[["first",0],["second"]]`:       "first",
	} {
		row := fmt.Sprintf(`[{"header":"Gemini","title":"Used Gemini Apps","time":"2024-01-26T12:50:12Z","userInteractions":[{"userInteraction":{"request":%s}}]}]`, request)
		r := read(t, importertest.Files(logPath, row)...)
		rows.Check(t, r)
		if docs := r.Conversations(); len(docs) != 1 || dialogue(docs[0].Doc) != "user: "+want {
			t.Errorf("%s: %d conversations", request, len(docs))
			for _, d := range docs {
				t.Error(dialogue(d.Doc))
			}
		}
	}
}

// Rows may have drifted: no value in the place of userInteractions spoils the row.
func TestOddInteractionsSpoilNothing(t *testing.T) {
	for _, value := range []string{`null`, `"text"`, `7`, `{}`, `[null,[],"x",{"userInteraction":null}]`, `{"userInteraction":{"request":"alone"}}`} {
		row := `[{"header":"Gemini","title":"Used Gemini Apps","time":"2024-01-26T12:50:12Z","userInteractions":` + value + `}]`
		r := read(t, importertest.Files(logPath, row)...)
		rows.Check(t, r)
		if n := len(r.Conversations()) + len(r.Records()); n != 1 || len(r.Quarantined()) != 0 {
			t.Errorf("%s: %d items", value, n)
		}
		if _, err := jsonscan.Parse([]byte(row), 0); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryVersionGivesTheSameIDs(t *testing.T) {
	var first []string
	for _, imp := range gemini.Versions() {
		var ids []string
		for _, s := range importertest.Read(t, imp, importer.Limits{}, append(logFiles(t), file(t, "x/"+pagePath, "page.html"))...).Conversations() {
			ids = append(ids, s.Doc.ID)
			for i := range s.Doc.Messages {
				ids = append(ids, s.Doc.Messages[i].ID)
			}
		}
		if first == nil {
			first = ids
		}
		if len(ids) == 0 || !slices.Equal(ids, first) {
			t.Errorf("%s gives other ids", imp.Version())
		}
	}
}
