package copilotchat_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/copilotchat"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var format = importertest.Format{Importer: copilotchat.New()}

const workspace = "User/workspaceStorage/3f3f/"

func folder(t testing.TB) []importertest.File {
	t.Helper()
	return []importertest.File{
		importertest.Fixture(t, workspace+"chatSessions/9d1c2d10-0000-4000-8000-000000000001.json", "session.json"),
		importertest.Fixture(t, workspace+"chatSessions/9d1c2d10-0000-4000-8000-000000000002.jsonl", "session.jsonl"),
		importertest.Fixture(t, "chat.json", "export.json"),
		importertest.Fixture(t, "User/globalStorage/emptyWindowChatSessions/odd.json", "odd.json"),
		{Name: workspace + "workspace.json", Data: []byte(`{"folder":"file:///kites"}`)},
	}
}

func TestFolder(t *testing.T) {
	r := format.Read(t, folder(t)...)
	format.Check(t, r)
	importertest.Documents(t, "testdata/folder.golden", r)
	format.Coverage(t, "testdata/coverage.golden", r)
	var got []string
	for _, s := range r.Conversations() {
		got = append(got, importertest.Outline(s.Doc))
	}
	want := []string{
		"user assistant(thought) assistant(copilot_readFile)(run_in_terminal) user assistant system",
		"user assistant assistant(thought)",
		"user assistant",
		"user user assistant user",
	}
	if !slices.Equal(got, want) || len(r.Quarantined()) != 0 {
		t.Errorf("got %q, want %q; quarantined %v", got, want, r.Quarantined())
	}
	d := r.Conversations()[0].Doc
	if d.Title == nil || *d.Title != "Falling kite" || d.Temporal.CreatedAt != "2026-01-02T03:04:00.123000Z" || d.Messages[2].Model != "copilot/claude-sonnet-4" {
		t.Errorf("title %v, created %s, model %s", d.Title, d.Temporal.CreatedAt, d.Messages[2].Model)
	}
	for _, s := range r.Conversations()[:3] {
		if len(s.Anomalies) > 0 {
			t.Errorf("%s: %v", s.Doc.ID, s.Anomalies)
		}
	}
}

func TestIDsAreFrozen(t *testing.T) {
	format.Read(t, folder(t)[:3]...).HasIDs(t, "5956fba8-09b1-5aca-8f44-0785c071df0c", "25113aa1-2899-59b9-b927-2cc74cd5f902", "c9c6b0bb-c952-593a-bb0e-719d484b8bb1")
}

// The changes of a log lead to the state that the program shows.
func TestALogOfChangesIsReplayed(t *testing.T) {
	r := format.Read(t, folder(t)[1])
	raw := string(r.Units[0].Raw)
	for _, want := range []string{`"inputState":{}`, `"customTitle":"A wind"`, `"response":[{"value":"The föhn,`, `,{"kind":"thinking","value":["Another?","No."]}]`} {
		if !strings.Contains(raw, want) {
			t.Errorf("no %s in %s", want, raw)
		}
	}
	if strings.Contains(raw, "The fö\"") || strings.Contains(raw, "nowhere") {
		t.Errorf("what was replaced, or leads nowhere, is in %s", raw)
	}
}

func TestALogThatIsDamagedIsReadAsFarAsItGoes(t *testing.T) {
	whole := folder(t)[1]
	lines := strings.SplitAfter(string(whole.Data), "\n")
	for name, c := range map[string]struct {
		data        string
		quarantined string
		read        int
	}{
		"half a last line":    {strings.Join(lines[:5], "") + lines[5][:30], "truncated", 1},
		"a line that is none": {lines[0] + "nonsense\n" + strings.Join(lines[1:], ""), "syntax", 1},
		"no initial state":    {strings.Join(lines[1:3], "") + `{"kind":1,"k":["a"],"v":{"requests":[],"responderUsername":"x"}}`, "not_a_conversation", 0},
	} {
		r := format.Read(t, importertest.File{Name: whole.Name, Data: []byte(c.data)})
		if bad := r.Quarantined(); len(bad) != 1 || bad[0].Code != c.quarantined || len(r.Conversations()) != c.read {
			t.Errorf("%s: quarantined %v, %d conversations", name, bad, len(r.Conversations()))
		}
	}
}

func TestEditsComeBackOut(t *testing.T) {
	d := format.Read(t, folder(t)[0]).Conversations()[0].Doc
	title, text := "Kites", "Why?"
	d.Title, d.Messages[0].Content.Text = &title, &text
	format.Restored(t, d, `"customTitle":"Kites"`, `"text":"Why?"`)
}

func TestOtherFormatsAreNotClaimed(t *testing.T) {
	format.Refuse(t, "a.json", map[string]string{
		"a list of requests": `[{"requests":[],"responderUsername":"x"}]`,
		"another object":     `{"requests":[],"sessionId":"x"}`,
		"LM Studio":          `{"messages":[{"versions":[],"currentlySelected":0}],"createdAt":1}`,
		"changes of another": `{"kind":0,"v":{"messages":[]}}`,
	})
}

func TestADamagedFileOfTheProgramsOwnNameIsQuarantined(t *testing.T) {
	format.Unreadable(t, workspace+"chatSessions/9d1c2d10-0000-4000-8000-000000000001.json", "notes.json")
}

func TestOddValues(t *testing.T) {
	format.Mutate(t, format.Read(t, folder(t)...), 100)
}

func FuzzSession(f *testing.F) {
	for _, name := range []string{"session.json", "export.json", "odd.json"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "session"}, raw) })
}
