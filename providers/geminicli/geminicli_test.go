package geminicli_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/geminicli"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var format = importertest.Format{Importer: geminicli.New()}

const project = ".gemini/tmp/3f3f/"

func folder(t testing.TB) []importertest.File {
	t.Helper()
	return []importertest.File{
		importertest.Fixture(t, project+"chats/session-2026-03-02T10-00-7a1c2d10.json", "session.json"),
		importertest.Fixture(t, project+"chats/session-2026-04-02T10-00-7a1c2d11.jsonl", "session.jsonl"),
		importertest.Fixture(t, project+"chats/odd.json", "odd.json"),
		importertest.Fixture(t, project+"logs.json", "logs.json"),
		{Name: ".gemini/settings.json", Data: []byte(`{"theme":"x"}`)},
	}
}

func outline(d *pamio.Conversation) string {
	var out []string
	for _, m := range d.Messages {
		role := m.Role
		if m.IsThought {
			role += "(thought)"
		}
		out = append(out, role)
	}
	return strings.Join(out, " ")
}

func TestFolder(t *testing.T) {
	r := format.Read(t, folder(t)...)
	format.Check(t, r)
	importertest.Documents(t, "testdata/folder.golden", r)
	format.Coverage(t, "testdata/coverage.golden", r)
	if len(r.Claim.Members) != 4 || r.Skips()["prompt-history"] != 1 || len(r.Quarantined()) != 0 {
		t.Errorf("%d members, skips %v, quarantined %v", len(r.Claim.Members), r.Skips(), r.Quarantined())
	}
	docs := r.Conversations()
	if got, want := outline(docs[0].Doc), "user assistant(thought) assistant tool system user system"; got != want {
		t.Errorf("roles %q, want %q", got, want)
	}
	if d := docs[0].Doc; d.Title == nil || *d.Title != "Why a kite falls" || d.Temporal.CreatedAt != "2026-03-02T10:00:00.123000Z" || d.Messages[2].Model != "gemini-2.5-pro" {
		t.Errorf("title %v, created %s, model %s", d.Title, d.Temporal.CreatedAt, d.Messages[2].Model)
	}
}

func TestIDsAreFrozen(t *testing.T) {
	r := format.Read(t, folder(t)[:2]...)
	r.HasIDs(t, "3969dea0-86c2-5aee-a636-f67058615840", "7e1d8b5b-31b0-5f47-bfcd-5fdbf3ab39ee")
}

// Of several states of a message the last counts, and what was taken back is a branch beside what
// was said instead.
func TestStatesAndBranchesOfALog(t *testing.T) {
	r := format.Read(t, importertest.Fixture(t, "any.log", "session.jsonl"))
	d := r.Conversations()[0].Doc
	parents := map[string]string{}
	for _, m := range d.Messages {
		parents[m.ID] = m.ParentID
	}
	if len(parents) != 6 || parents["a2"] != "a1" || parents["a3"] != "a2" || parents["a4"] != "a3" || parents["a5"] != "a2" || parents["a6"] != "a5" {
		t.Errorf("parents %v", parents)
	}
	if text := *d.Messages[1].Content.Text; !strings.HasPrefix(text, "The kite falls") || *d.Title != "Winds and mountains" {
		t.Errorf("text %.40q, title %q", text, *d.Title)
	}
}

func TestEditsComeBackOut(t *testing.T) {
	r := format.Read(t, folder(t)[0])
	d := r.Conversations()[0].Doc
	title, text := "Kites", "Because of the tail."
	d.Title, d.Messages[2].Content.Text = &title, &text
	format.Restored(t, d, `"summary":"Kites"`, `"content":"Because of the tail."`)
}

func TestALogThatBreaksOffIsReadUpToThere(t *testing.T) {
	whole := folder(t)[1]
	r := format.Read(t, importertest.File{Name: whole.Name, Data: whole.Data[:len(whole.Data)-20]})
	if bad := r.Quarantined(); len(bad) != 1 || bad[0].Code != "truncated" || len(r.Conversations()) != 1 {
		t.Errorf("quarantined %v, %d conversations", bad, len(r.Conversations()))
	}
}

func TestOtherFormatsAreNotClaimed(t *testing.T) {
	format.Refuse(t, "a.json", map[string]string{
		"Claude Code":    `{"sessionId":"s","parentUuid":null,"isSidechain":false,"type":"user","uuid":"u","message":{"role":"user","content":"x"}}`,
		"a list":         `[{"sessionId":"s","projectHash":"h"}]`,
		"history alone":  `[{"sessionId":"s","messageId":1,"type":"user","message":"x"}]`,
		"another object": `{"sessionId":"s","messages":[]}`,
	})
}

func TestADamagedFileOfTheProgramsOwnNameIsQuarantined(t *testing.T) {
	format.Unreadable(t, project+"chats/session-2026-03-02T10-00-7a1c2d10.json", "notes.json")
	format.Unreadable(t, project+"chats/session-2026-03-02T10-00-7a1c2d10.jsonl", "notes.jsonl")
}

func TestOddValues(t *testing.T) {
	format.Mutate(t, format.Read(t, folder(t)...), 100)
}

func FuzzSession(f *testing.F) {
	for _, name := range []string{"session.json", "odd.json"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	data, err := os.ReadFile("testdata/session.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("[" + strings.ReplaceAll(strings.TrimSpace(string(data)), "\n", ",") + "]"))
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "session"}, raw) })
}
