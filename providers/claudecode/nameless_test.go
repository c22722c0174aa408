package claudecode_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/claudecode"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

func nameless(t testing.TB) []importertest.File {
	t.Helper()
	return []importertest.File{
		importertest.Fixture(t, "old/log.jsonl", "without-ids.jsonl"),
		importertest.Fixture(t, "old/5c1d2f10-0000-4000-8000-0000000000bb.jsonl", "without-ids.jsonl"),
		importertest.Fixture(t, "print.jsonl", "stream.jsonl"),
		importertest.Fixture(t, "session_web.json", "loglines.json"),
	}
}

func TestLogsWithoutASessionIDAreRead(t *testing.T) {
	r := format.Read(t, nameless(t)...)
	format.Check(t, r)
	importertest.Documents(t, "testdata/nameless.golden", r)
	format.Coverage(t, "testdata/nameless-coverage.golden", r)
	var got []string
	for _, s := range r.Conversations() {
		got = append(got, s.Doc.Provider.ConversationID+": "+outline(s.Doc))
		for code := range s.Anomalies {
			t.Errorf("%s: %s", s.Doc.ID, code)
		}
	}
	want := []string{
		": user assistant(thought) assistant tool assistant",
		"5c1d2f10-0000-4000-8000-0000000000bb: user assistant(thought) assistant tool assistant",
		"5c1d2f10-0000-4000-8000-0000000000aa: user assistant",
		": user assistant tool system assistant",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if title := r.Conversations()[3].Doc.Title; title == nil || *title != "Paper kite" {
		t.Errorf("title %v", title)
	}
}

// The name that is derived of a log stays when the session goes on.
func TestALogWithoutIDsKeepsItsNameWhenItGrows(t *testing.T) {
	data, err := os.ReadFile("testdata/without-ids.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	ids := map[string]bool{}
	for n := 2; n <= len(lines); n++ {
		ids[read(t, strings.Join(lines[:n], "")).Conversations()[0].Doc.ID] = true
	}
	if len(ids) != 1 || !ids["0a764f34-8a63-5477-a52d-31410ab27c20"] {
		t.Errorf("ids %v", ids)
	}
}

func TestEditsOfASessionInAnObjectComeBackOut(t *testing.T) {
	r := format.Read(t, importertest.Fixture(t, "a.json", "loglines.json"))
	d := r.Conversations()[0].Doc
	text, title := "Fold a bird.", "Bird"
	d.Messages[0].Content.Text, d.Title = &text, &title
	back, err := claudecode.New().Restore(nil, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"loglines":[`, `"content":"Fold a bird."`, `"title":"Bird"`, `"session_status":"idle"`} {
		if !strings.Contains(string(back), want) {
			t.Errorf("no %s in %s", want, back)
		}
	}
}

// What a version made of a log, it makes of it for ever; and all versions name what they read
// alike.
func TestVersion202611ReadsOnlyLogsWithASessionID(t *testing.T) {
	old := claudecode.New202611()
	if r := importertest.Read(t, old, importer.Limits{}, nameless(t)...); len(r.Claim.Members) != 0 {
		t.Errorf("%s claims %d members", old.Version(), len(r.Claim.Members))
	}
	importertest.Documents(t, "testdata/folder.golden", importertest.Read(t, old, importer.Limits{}, folder(t)...))
	if all := claudecode.Versions(); all[0].Version() != "claudecode-importer/2026.12" || all[1].Version() != "claudecode-importer/2026.11" {
		t.Errorf("versions %s, %s", all[0].Version(), all[1].Version())
	}
}

func TestLogsOfOtherProgramsWithMessagesAreNotClaimed(t *testing.T) {
	format.Refuse(t, "log.jsonl", map[string]string{
		"another agent":           `{"type":"message","id":"a","message":{"role":"user","content":"x"}}` + "\n" + `{"type":"message","id":"b","message":{"role":"assistant","content":"y"}}`,
		"a transcript of Cursor":  `{"role":"user","message":{"content":[{"type":"text","text":"x"}]}}`,
		"types of another kind":   `{"type":"user","message":"x"}` + "\n" + `{"type":"assistant","message":"y"}`,
		"an object of loglines":   `{"loglines":["a","b"]}`,
		"loglines of something":   `{"loglines":[{"level":"info","message":"x"}]}`,
		"a session of Gemini CLI": `{"sessionId":"s","projectHash":"h","messages":[{"id":"1","type":"user","content":"x"}]}`,
	})
}

func TestOddValuesInLogsWithoutIDs(t *testing.T) {
	format.Mutate(t, format.Read(t, nameless(t)...), 100)
}

func FuzzWrappedSession(f *testing.F) {
	data, err := os.ReadFile("testdata/loglines.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"loglines":[{"type":"user","message":{}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "wrapped"}, raw) })
}
