package anythingllm_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/anythingllm"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/sqlite/sqlitetest"
)

var statements = []string{
	"CREATE TABLE workspaces (id INTEGER PRIMARY KEY, name TEXT, slug TEXT, openAiPrompt TEXT, createdAt DATETIME, lastUpdatedAt DATETIME)",
	"INSERT INTO workspaces VALUES(1, 'Teas', 'teas', 'Know your teas.', 1767323000000, 1767323000000), (2, 'Coffee', 'coffee', NULL, 1767323000000, 1767323000000)",
	"CREATE TABLE workspace_threads (id INTEGER PRIMARY KEY, name TEXT, slug TEXT, workspace_id INTEGER, user_id INTEGER)",
	"INSERT INTO workspace_threads VALUES(7, 'Morning', '0d9f4f5e-0000-4000-8000-000000000007', 1, 1)",
	"CREATE TABLE workspace_chats (id INTEGER PRIMARY KEY, workspaceId INTEGER, prompt TEXT, response TEXT, include BOOLEAN DEFAULT 1, user_id INTEGER, thread_id INTEGER, api_session_id TEXT, createdAt DATETIME, lastUpdatedAt DATETIME, feedbackScore BOOLEAN)",
	`INSERT INTO workspace_chats(id, workspaceId, prompt, response, user_id, thread_id, createdAt, feedbackScore) VALUES
		(1, 1, 'Which tea?', '{"text":"<think>\nStrong.\n</think>\n\nAssam.","sources":[{"title":"Assam","url":"file:///teas.pdf","chunkSource":"link://https://tea.example/assam","text":"strong"},{"title":"Green","url":"https://tea.example/green"}],"type":"chat","attachments":[{"name":"cup.png","mime":"image/png","contentString":"data:image/png;base64,iVBORw0KGgo="}],"metrics":{"completion_tokens":5,"model":"llama3","duration":1.50}}', 1, 7, 1767323045123, 1),
		(2, 1, 'No thread', '{"text":"Sencha."}', 1, NULL, 1767323046000, NULL),
		(3, 1, 'Another person in the thread', '{"text":"Yes."}', 2, 7, '2026-01-02 03:04:07', NULL),
		(4, 1, 'Another person without one', '{"text":"No."}', 2, NULL, 1767323048000, 0),
		(5, 2, 'Broken answer', '{"text":', 1, NULL, 1767323049000, NULL),
		(6, 1, 'The thread is gone', '{"text":"Gone."}', 1, 99, 1767323050000, NULL)`,
	"CREATE TABLE users (id INTEGER PRIMARY KEY, username TEXT, password TEXT)",
	"INSERT INTO users VALUES(1, 'ada', 'hash-secret')",
	"CREATE TABLE system_settings (label TEXT, value TEXT)",
	"INSERT INTO system_settings VALUES('key', 'sk-secret'), ('mode', 'x')",
}

func readDatabase(t testing.TB, statements ...string) *importertest.Result {
	t.Helper()
	return read(t, importertest.File{Name: "storage/anythingllm.db", Data: sqlitetest.Make(t, statements...)})
}

func TestDatabase(t *testing.T) {
	r := readDatabase(t, statements...)
	table.Check(t, r)
	importertest.Documents(t, "testdata/database.golden", r)
	table.Coverage(t, "testdata/database-coverage.golden", r)
	table.Mutate(t, r, 100)
	if n := len(r.Conversations()); n != 5 {
		t.Errorf("%d conversations, want 5", n)
	}
	if r.Skips()["credentials"] != 1 || r.Skips()["settings"] != 2 {
		t.Errorf("skips %v", r.Skips())
	}
	if got := r.Records(); len(got) != 2 || got[0].Kind != importer.RecordInstruction || got[0].Text != "Know your teas." {
		t.Errorf("records %+v", got)
	}
	for _, u := range r.Units {
		if bytes.Contains(u.Raw, []byte("secret")) {
			t.Errorf("a secret is read: %s", u.Role)
		}
	}
}

// The rules of ids are frozen: these never change.
func TestIDsAreFrozen(t *testing.T) {
	want := map[string]string{
		"db Which tea?":                 "4c303339-f6af-50a3-bc44-c1afeb5e75ed",
		"db No thread":                  "42a7850e-e7b3-50f4-846f-319c70e6b477",
		"db Another person without one": "2902b4ac-7349-5bb7-b97e-5aded1a26237",
		"db Broken answer":              "660b53f4-d929-55b6-9171-6748e9081c1a",
		"db The thread is gone":         "6a5c7f6e-1ebc-54d9-affd-bbcc2e87a1b2",
		"export.json":                   "d56f721e-a858-55e3-8607-62417325a784",
		"export.csv":                    "d56f721e-a858-55e3-8607-62417325a784",
		"export.jsonl":                  "fbafeb0e-b1d3-5440-87fe-28defc1c257c",
		"alpaca.json":                   "5da7be65-73c9-51bf-a95e-8eca98b46b94",
	}
	ids := map[string]string{}
	for _, s := range readDatabase(t, statements...).Conversations() {
		ids["db "+*s.Doc.Messages[0].Content.Text] = s.Doc.ID
	}
	for _, f := range forms {
		for _, s := range read(t, file(t, f.name)).Conversations()[:1] {
			ids[f.name] = s.Doc.ID
		}
	}
	if len(ids) != len(want) {
		t.Errorf("%d ids, want %d", len(ids), len(want))
	}
	for name, id := range ids {
		if want[name] != id {
			t.Errorf("%q is %q, was %q", name, id, want[name])
		}
	}
}

func TestVersionsOfTheDatabase(t *testing.T) {
	old := slices.Clone(statements[:2])
	old = append(old, "CREATE TABLE workspace_chats (id INTEGER PRIMARY KEY, workspaceId INTEGER, prompt TEXT, response TEXT, createdAt DATETIME)",
		`INSERT INTO workspace_chats VALUES(1, 1, 'Which tea?', '{"text":"Assam."}', 1767323045123)`)
	r := readDatabase(t, old...)
	table.Check(t, r)
	if got := r.Conversations(); len(got) != 1 || len(got[0].Doc.Messages) != 2 || *got[0].Doc.Title != "Teas" {
		t.Errorf("%d conversations", len(got))
	}
}

// TestRowsAreDividedWithoutLoss puts rows together again, although nobody does so with a database.
func TestRowsAreDividedWithoutLoss(t *testing.T) {
	for _, u := range readDatabase(t, statements...).Units {
		for _, i := range u.Items {
			if i.Conversation == nil {
				continue
			}
			back, err := anythingllm.RestoreRows(i.Conversation.Doc)
			if err != nil {
				t.Fatal(err)
			}
			a, errA := jsonscan.Parse(u.Raw, 0)
			b, errB := jsonscan.Parse(back, 0)
			if errA != nil || errB != nil || !normalize.Equal(a.Root(), b.Root()) {
				t.Errorf("was %s\nis %s", u.Raw, back)
			}
		}
	}
}

func TestADatabaseHasNoInverse(t *testing.T) {
	for _, s := range readDatabase(t, statements...).Conversations() {
		if _, err := anythingllm.New().Restore(nil, s.Doc); !errors.Is(err, importer.ErrNoInverse) {
			t.Errorf("%v", err)
		}
	}
}

func TestADamagedDatabaseIsReported(t *testing.T) {
	data := sqlitetest.Make(t, statements...)
	r := read(t, importertest.File{Name: "anythingllm.db", Data: data[:len(data)/2/4096*4096]})
	table.Check(t, r)
	if len(r.Claim.Members) != 1 || len(r.Quarantined()) == 0 {
		t.Errorf("%d claimed, %d quarantined", len(r.Claim.Members), len(r.Quarantined()))
	}
}
