package ollama_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/ollama"
	"github.com/pamline/pamline/providers/sqlite/sqlitetest"
)

var format = importertest.Format{Importer: ollama.New(), NoInverse: true}

// first are the tables of the first version of the app, newest those of a late one.
var (
	first = []string{
		"CREATE TABLE settings (id INTEGER PRIMARY KEY, device_id TEXT, schema_version INTEGER)",
		"INSERT INTO settings VALUES(1, 'device-secret', 2)",
		"CREATE TABLE chats (id TEXT PRIMARY KEY, title TEXT, created_at TIMESTAMP)",
		"CREATE TABLE messages (id INTEGER PRIMARY KEY, chat_id TEXT, role TEXT, content TEXT, thinking TEXT, stream BOOLEAN, model_name TEXT, model_cloud BOOLEAN, created_at TIMESTAMP, updated_at TIMESTAMP, thinking_time_start TIMESTAMP, thinking_time_end TIMESTAMP)",
		"CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, message_id INTEGER, type TEXT, function_name TEXT, function_arguments TEXT, function_result TEXT)",
	}
	newest = append(slices.Clone(first),
		"ALTER TABLE chats ADD COLUMN browser_state TEXT",
		"ALTER TABLE messages ADD COLUMN tool_result TEXT",
		"CREATE TABLE attachments (id INTEGER PRIMARY KEY, message_id INTEGER, filename TEXT, data BLOB)",
		"CREATE TABLE users (name TEXT, email TEXT)",
		"INSERT INTO users VALUES('Ada', 'ada@example.org')")
	rows = []string{
		"INSERT INTO chats(id, title, created_at) VALUES('c-2', 'Tea', '2026-01-02 03:04:05'), ('c-1', '', '2026-01-02 05:04:05.123456789+02:00')",
		"INSERT INTO messages(id, chat_id, role, content, thinking, stream, model_name, created_at, updated_at, thinking_time_start) VALUES" +
			"(1, 'c-2', 'user', 'Which tea?', '', 0, NULL, '2026-01-02 03:04:06', '2026-01-02 03:04:06', NULL)," +
			"(2, 'c-2', 'assistant', '', 'I should look.', 1, 'gpt-oss:20b', '2026-01-02 03:04:07', '2026-01-02 03:04:08', '2026-01-02 03:04:07')," +
			"(3, 'c-2', 'tool', 'Assam is strong.', '', 0, NULL, '2026-01-02 03:04:08', '2026-01-02 03:04:08', NULL)," +
			"(4, 'c-2', 'assistant', 'Assam.', '', 1, 'gpt-oss:20b', '2026-01-02 03:04:09', '2026-01-02 03:04:09', NULL)," +
			"(5, 'c-1', 'user', 'Hello', '', 0, NULL, '2026-01-02 03:04:05', '2026-01-02 03:04:05', NULL)," +
			"(6, 'c-9', 'user', 'My chat is gone', '', 0, NULL, '2026-01-02 03:04:05', '2026-01-02 03:04:05', NULL)",
		`INSERT INTO tool_calls VALUES(1, 2, 'function', 'web_search', '{"query":"tea"}', NULL), (2, 2, 'function', 'clock', '{"zone": "UTC"}', 'noon'), (3, 99, 'function', 'lost', '{}', NULL)`,
	}
	files = []string{
		"UPDATE chats SET browser_state='{\"page\":1}' WHERE id='c-2'",
		"UPDATE messages SET tool_result='{\"pages\":[1.50]}' WHERE id=3",
		"INSERT INTO attachments VALUES(1, 1, 'cup.png', x'89504e470d0a1a0a0000000d49484452'), (2, 1, 'note.txt', CAST('tea' AS BLOB)), (3, 1, 'empty', NULL)",
	}
)

func read(t testing.TB, statements ...[]string) *importertest.Result {
	t.Helper()
	return format.Read(t, importertest.File{Name: "Ollama/db.sqlite", Data: sqlitetest.Make(t, slices.Concat(statements...)...)})
}

func TestVersionsOfTheDatabase(t *testing.T) {
	for name, statements := range map[string][][]string{"first": {first, rows}, "newest": {newest, rows, files}} {
		t.Run(name, func(t *testing.T) {
			r := read(t, statements...)
			format.Check(t, r)
			if got := len(r.Conversations()); got != 3 {
				t.Errorf("%d conversations, want 3", got)
			}
			importertest.Documents(t, "testdata/"+name+".golden", r)
			for _, u := range r.Units {
				if bytes.Contains(u.Raw, []byte("secret")) {
					t.Errorf("settings are read: %s", u.Role)
				}
			}
		})
	}
}

func TestEveryLeafIsKept(t *testing.T) {
	// The name of a table that is only counted, and the rows without a message, show as their
	// number alone.
	kept := [][]string{first, rows[:2], rows[3:], {newest[5], newest[6], newest[7]}, files[:2], {"DROP TABLE settings", "INSERT INTO attachments VALUES(2, 1, 'note.txt', CAST('tea' AS BLOB))"}}
	format.Coverage(t, "testdata/coverage.golden", read(t, kept...))
}

func TestOddValues(t *testing.T) {
	format.Mutate(t, read(t, newest, rows, files), 150)
}

func TestThoughtsCallsAndFilesStandWhereTheyBelong(t *testing.T) {
	var doc *importer.Snapshot
	for _, s := range read(t, newest, rows, files).Conversations() {
		if s.Doc.Provider.ConversationID == "c-2" {
			doc = s
		}
	}
	var got []string
	for _, m := range doc.Doc.Messages {
		got = append(got, m.ID+" "+m.Role)
	}
	if want := "1 user,2#0 assistant,2 assistant,3 tool,4 assistant"; strings.Join(got, ",") != want {
		t.Errorf("%s, want %s", strings.Join(got, ","), want)
	}
	m := doc.Doc.Messages
	if !m[1].IsThought || len(m[2].ToolCalls) != 2 || string(m[2].ToolCalls[0].Input) != `{"query":"tea"}` || *m[2].ToolCalls[1].Output != "noon" {
		t.Errorf("calls %+v", m[2].ToolCalls)
	}
	if len(m[0].Attachments) != 3 || m[0].Attachments[0].Type != "image" || len(doc.Assets) != 2 || doc.Assets[0].Ref != m[0].Attachments[0].Ref {
		t.Errorf("attachments %+v, %d assets", m[0].Attachments, len(doc.Assets))
	}
	if string(doc.Assets[1].Data) != "tea" || doc.Anomalies[importer.AnomalyAssetMissing] != 1 || doc.Loss.Asset != 2 {
		t.Errorf("assets %q, anomalies %v, loss %+v", doc.Assets[1].Data, doc.Anomalies, doc.Loss)
	}
}

// TestRowsAreDividedWithoutLoss puts rows together again, although nobody does so with a database.
func TestRowsAreDividedWithoutLoss(t *testing.T) {
	for _, u := range read(t, first, rows).Units {
		for _, i := range u.Items {
			if i.Conversation == nil {
				continue
			}
			back, err := ollama.Schema.Restore(nil, i.Conversation.Doc)
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

// The rules of ids are frozen: these never change.
func TestIDsAreFrozen(t *testing.T) {
	want := map[string]string{"c-1": "9b11846b-a92f-5720-afa9-2baaec7a2719", "c-2": "0c87dffd-18ee-5a00-af98-00f779c719ec", "c-9": "899faa79-d589-5209-9ada-7580299cd5bb"}
	for _, s := range read(t, first, rows).Conversations() {
		if id := s.Doc.Provider.ConversationID; s.Doc.ID != want[id] {
			t.Errorf("%s is %s, was %s", id, s.Doc.ID, want[id])
		}
	}
}

func TestTheSharedSchemaIsRead(t *testing.T) {
	schema, err := os.ReadFile(importertest.Shared(t, "fixtures", "local", "ollama", "schema.sql"))
	if err != nil {
		t.Fatal(err)
	}
	r := read(t, []string{string(schema)}, rows)
	format.Check(t, r)
	if got := len(r.Conversations()); got != 3 {
		t.Errorf("%d conversations, want 3", got)
	}
	if r.Skips()["settings"] != 1 || r.Skips()["lost_row"] != 1 {
		t.Errorf("skips %v", r.Skips())
	}
}

func TestDamagedDatabases(t *testing.T) {
	whole := sqlitetest.Make(t, slices.Concat([]string{"PRAGMA page_size=512"}, first, rows, []string{
		"WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i+1 FROM n WHERE i<200) INSERT INTO messages(id, chat_id, role, content) SELECT i, 'n-' || i, 'user', printf('%0100d', i) FROM n",
	})...)
	for name, c := range map[string]struct {
		change func([]byte) []byte
		least  int
	}{
		"a page of noise in the middle": {func(b []byte) []byte {
			copy(b[len(b)/2/512*512:], bytes.Repeat([]byte{0xA5}, 512))
			return b
		}, 150},
		"the end is missing": {func(b []byte) []byte { return b[:len(b)/4*3] }, 0},
		"text behind the mark": {func(b []byte) []byte {
			return append(b[:16:16], bytes.Repeat([]byte("text "), 999)...)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := format.Read(t, importertest.File{Name: "Ollama/db.sqlite", Data: c.change(slices.Clone(whole))})
			format.Check(t, r)
			if len(r.Quarantined()) == 0 || len(r.Conversations()) < c.least {
				t.Errorf("%d conversations, %d quarantined", len(r.Conversations()), len(r.Quarantined()))
			}
			for _, b := range r.Quarantined() {
				if b.Member != "Ollama/db.sqlite" || b.Code == "" || b.Reason == "" {
					t.Errorf("not located: %+v", b)
				}
			}
		})
	}
}

func TestOtherDatabasesAreLeftAlone(t *testing.T) {
	for _, s := range [][]string{
		{"CREATE TABLE chats(id, title, created_at)", "CREATE TABLE messages(id, chat_id, body)"},
		{"CREATE TABLE chat(id, title, chat)"},
		{"CREATE VIEW chats AS SELECT 1 AS id, 2 AS title, 3 AS created_at", first[3]},
	} {
		r := format.Read(t, importertest.File{Name: "other/db.sqlite", Data: sqlitetest.Make(t, s...)})
		if len(r.Claim.Members) != 0 {
			t.Errorf("%v is claimed", s)
		}
	}
}

func TestADatabaseHasNoInverse(t *testing.T) {
	for _, s := range read(t, first, rows).Conversations() {
		if _, err := ollama.New().Restore(nil, s.Doc); !errors.Is(err, importer.ErrNoInverse) {
			t.Errorf("%v", err)
		}
	}
}

func FuzzChat(f *testing.F) {
	f.Add([]byte(`{"id":"c","title":"x","messages":[{"id":1,"role":"user","content":"x","thinking":"y","attachments":[{"data":{"$blob":"eA=="}}],"tool_calls":[{"function_name":"f","function_arguments":"{}"}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "chat"}, raw) })
}
