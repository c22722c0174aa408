package openwebui_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/openwebui"
	"github.com/pamline/pamline/providers/sqlite/sqlitetest"
)

var database = importertest.Format{Importer: openwebui.New(), NoInverse: true}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

const chatTable = "CREATE TABLE chat (id VARCHAR(255) PRIMARY KEY, user_id VARCHAR(255), title TEXT, chat JSON, created_at BIGINT, updated_at BIGINT, share_id TEXT, archived BOOLEAN, pinned BOOLEAN, meta JSON, folder_id TEXT)"

// chatRows are statements that put the elements of an export into the table of chats.
func chatRows(t testing.TB, export []byte) []string {
	t.Helper()
	doc, err := jsonscan.Parse(export, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{chatTable}
	for row := range doc.Root().Items() {
		text := func(key string) string {
			n := row.Get(key)
			switch n.Kind() {
			case jsonscan.String:
				return quoted(n.Str())
			case jsonscan.Object:
				return quoted(string(n.Raw()))
			case jsonscan.Bool:
				return map[bool]string{true: "1", false: "0"}[n.True()]
			case jsonscan.Invalid:
				return "NULL"
			}
			return string(n.Raw())
		}
		var values []string
		for _, key := range []string{"id", "user_id", "title", "chat", "created_at", "updated_at", "share_id", "archived", "pinned", "meta", "folder_id"} {
			values = append(values, text(key))
		}
		out = append(out, "INSERT INTO chat VALUES("+strings.Join(values, ",")+")")
	}
	return out
}

// besides are the other tables of a server.
var besides = []string{
	"CREATE TABLE user (id TEXT, name TEXT, email TEXT, role TEXT, api_key TEXT, oauth_sub TEXT, settings JSON, info JSON, created_at BIGINT)",
	`INSERT INTO user VALUES('u-1', 'Ada', 'ada@example.org', 'user', 'sk-secret', 'sub-secret', '{"ui":{"system":"Answer in French."}}', 'null', 1700000000)`,
	"CREATE TABLE memory (id TEXT, user_id TEXT, content TEXT, created_at BIGINT, updated_at BIGINT)",
	"INSERT INTO memory VALUES('me-1', 'u-1', 'Likes tea.', 1700000000, 1700000001)",
	"CREATE TABLE model (id TEXT, user_id TEXT, base_model_id TEXT, name TEXT, params TEXT, meta TEXT)",
	`INSERT INTO model VALUES('tea-bot', 'u-1', 'llama3', 'Tea bot', '{"system":"You know teas."}', '{}')`,
	"CREATE TABLE prompt (command TEXT, user_id TEXT, title TEXT, content TEXT, timestamp BIGINT)",
	"INSERT INTO prompt VALUES('/tea', 'u-1', 'Tea', 'Which tea for {{time}}?', 1700000000)",
	"CREATE TABLE folder (id TEXT, user_id TEXT, name TEXT, data JSON)",
	`INSERT INTO folder VALUES('fo-1', 'u-1', 'Teas', '{"system_prompt":"Think of tea."}')`,
	"CREATE TABLE feedback (id TEXT, user_id TEXT, data JSON)",
	`INSERT INTO feedback VALUES('f-1', 'u-1', '{"rating":1,"comment":"Good."}')`,
	"CREATE TABLE auth (id TEXT, email TEXT, password TEXT)",
	"INSERT INTO auth VALUES('u-1', 'ada@example.org', 'hash-secret')",
	"CREATE TABLE message (id TEXT, channel_id TEXT, content TEXT)",
	"INSERT INTO message VALUES('c1', 'ch', 'hello all'), ('c2', 'ch', 'hi')",
}

// internal is a table that nobody but the server knows.
var internal = []string{"CREATE TABLE migratehistory (id INTEGER, name TEXT)", "INSERT INTO migratehistory VALUES(1, '001')"}

func readDatabase(t testing.TB, limits importer.Limits, statements ...string) *importertest.Result {
	t.Helper()
	return importertest.Read(t, openwebui.New(), limits, importertest.File{Name: "data/webui.db", Data: sqlitetest.Make(t, statements...)})
}

func TestDatabase(t *testing.T) {
	rows := slices.Concat(chatRows(t, file(t, "chat-export.json").Data), besides)
	r := readDatabase(t, importer.Limits{}, slices.Concat(rows, internal)...)
	database.Check(t, r)
	importertest.Documents(t, "testdata/database.golden", r)
	database.Coverage(t, "testdata/database-coverage.golden", readDatabase(t, importer.Limits{}, rows...))
	for _, u := range r.Units {
		if bytes.Contains(u.Raw, []byte("secret")) {
			t.Errorf("a secret is read: %s", u.Role)
		}
	}
	want := map[string]int{"credentials": 1, "channel_message": 2, "other_table": 1}
	for code, n := range want {
		if got := r.Skips()[code]; got != n {
			t.Errorf("%d skipped as %s, want %d", got, code, n)
		}
	}
	if len(r.Records()) != 7 {
		t.Errorf("%d records, want 7", len(r.Records()))
	}
}

func TestOddValuesOfRows(t *testing.T) {
	database.Mutate(t, readDatabase(t, importer.Limits{}, slices.Concat(chatRows(t, file(t, "chat-export.json").Data), besides)...), 100)
}

// TestRowsAreDividedWithoutLoss puts rows together again, although nobody does so with a database.
func TestRowsAreDividedWithoutLoss(t *testing.T) {
	for _, r := range []*importertest.Result{
		readDatabase(t, importer.Limits{}, chatRows(t, file(t, "chat-export.json").Data)...),
		readDatabase(t, importer.Limits{}, messageRows...),
	} {
		for _, u := range r.Units {
			for _, i := range u.Items {
				doc := i.Conversation.Doc
				if form := &doc.Provider.ExportFormatVersion; *form != "webui-db-messages" {
					*form = "chat-export" + strings.TrimPrefix(*form, "webui-db")
				}
				back, err := openwebui.Dialect.Restore(nil, doc)
				if err != nil {
					t.Fatal(err)
				}
				same(t, u.Raw, back)
			}
		}
	}
}

func same(t *testing.T, want, got []byte) {
	t.Helper()
	a, err := jsonscan.Parse(want, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := jsonscan.Parse(got, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !normalize.Equal(a.Root(), b.Root()) {
		t.Errorf("was %s\nis %s", want, got)
	}
}

func TestRowAndExportOfAChatAgree(t *testing.T) {
	export := read(t, "chat-export.json").Conversations()
	rows := readDatabase(t, importer.Limits{}, chatRows(t, file(t, "chat-export.json").Data)...).Conversations()
	if len(export) != len(rows) {
		t.Fatalf("%d chats in the export, %d in the database", len(export), len(rows))
	}
	byID := map[string]*pamio.Conversation{}
	for _, s := range rows {
		byID[s.Doc.ID] = s.Doc
	}
	for _, s := range export {
		row := byID[s.Doc.ID]
		if row == nil {
			t.Errorf("%s has another id in the database", s.Doc.ID)
			continue
		}
		if *row.Title != *s.Doc.Title || row.Temporal != s.Doc.Temporal || row.IsArchived != s.Doc.IsArchived || !slices.Equal(row.Tags, s.Doc.Tags) || len(row.Messages) != len(s.Doc.Messages) {
			t.Errorf("%s: the documents differ", s.Doc.ID)
			continue
		}
		for i := range row.Messages {
			a, b := &row.Messages[i], &s.Doc.Messages[i]
			if a.ID != b.ID || a.ParentID != b.ParentID || a.Role != b.Role || a.CreatedAt != b.CreatedAt || a.IsThought != b.IsThought || a.Content != nil && a.Content.Text != nil && *a.Content.Text != *b.Content.Text {
				t.Errorf("%s: message %d differs", s.Doc.ID, i)
			}
		}
	}
}

// messageRows are the tables of a newer server: one chat whose messages have rows, one of whose
// messages has none, and messages whose chat is gone.
var messageRows = []string{
	chatTable,
	`INSERT INTO chat VALUES('c-1', 'u-1', 'Tea', '{"models":["llama3"],"history":{"currentId":"m2","messages":{
		"m1":{"id":"m1","parentId":null,"childrenIds":["m2"],"role":"user","content":"Which tea?","timestamp":1767323001},
		"m2":{"id":"m2","parentId":"m1","childrenIds":["m3"],"role":"assistant","content":"Assam.","timestamp":1767323005},
		"m3":{"id":"m3","parentId":"m2","childrenIds":[],"role":"user","content":"Only in the tree","timestamp":1767323009}}}}', 1767323000, 1767323100, NULL, 0, 0, '{}', NULL)`,
	"CREATE TABLE chat_message (id TEXT PRIMARY KEY, chat_id TEXT, user_id TEXT, role TEXT, parent_id TEXT, content JSON, output JSON, model_id TEXT, files JSON, sources JSON, embeds JSON, done BOOLEAN, status_history JSON, error JSON, usage JSON, created_at BIGINT, updated_at BIGINT)",
	`INSERT INTO chat_message VALUES('c-1-m1', 'c-1', 'u-1', 'user', NULL, '"Which tea?"', NULL, NULL, '[]', NULL, NULL, 1, NULL, NULL, NULL, 1767323001, 1767323001)`,
	`INSERT INTO chat_message VALUES('c-1-m2', 'c-1', 'u-1', 'assistant', 'm1', '"<details type=\"reasoning\" done=\"true\">\n<summary>Thought</summary>\n> Strong or not\n</details>\nAssam."', NULL, 'llama3', NULL, NULL, NULL, 1, NULL, NULL, '{"completion_tokens":3}', 1767323005123, 1767323006)`,
	`INSERT INTO chat_message VALUES('c-9-m1', 'c-9', 'u-1', 'user', NULL, '[{"type":"text","text":"Anybody there?"}]', NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, NULL, 1767323001, 1767323001)`,
}

func TestMessagesWithRowsOfTheirOwn(t *testing.T) {
	r := readDatabase(t, importer.Limits{}, messageRows...)
	database.Check(t, r)
	importertest.Documents(t, "testdata/database-messages.golden", r)
	got := r.Conversations()
	if len(got) != 2 {
		t.Fatalf("%d conversations, want 2", len(got))
	}
	var ids []string
	for _, m := range got[0].Doc.Messages {
		ids = append(ids, m.ID)
	}
	if !slices.Equal(ids, []string{"m1", "m2#0", "m2", "m3"}) {
		t.Errorf("messages %v", ids)
	}
	database.Mutate(t, r, 100)
}

func TestTheLogOfARunningServerIsRead(t *testing.T) {
	rows := chatRows(t, file(t, "chat-export.json").Data)
	db, wal := sqlitetest.MakeWAL(t, rows[:2], rows[2:])
	files := []importertest.File{{Name: "webui.db", Data: db}, {Name: "webui.db-shm", Data: []byte("index")}, {Name: "webui.db-wal", Data: wal}}
	r := database.Read(t, files...)
	database.Check(t, r)
	if n := len(r.Conversations()); n != len(rows)-1 {
		t.Errorf("%d conversations, want %d; quarantined %v", n, len(rows)-1, r.Quarantined())
	}
	if r.Skips()["database_file"] != 1 {
		t.Errorf("skips %v", r.Skips())
	}
	apart := importertest.ReadParts(t, openwebui.New(), importer.Limits{}, importertest.Pack(t, files[0]), importertest.Pack(t, files[2]), importertest.Pack(t, files[0]))
	if n := len(apart.Conversations()); n != len(rows)-1+1 || len(apart.Claim.Members) != 3 {
		t.Errorf("%d conversations of two copies with one log, %d members", n, len(apart.Claim.Members))
	}
	files[0].Data = db[:4096*2]
	if r := database.Read(t, files[:1]...); len(r.Claim.Members) != 1 || len(r.Quarantined()) == 0 {
		t.Errorf("a database that is cut short: %d members, %d quarantined", len(r.Claim.Members), len(r.Quarantined()))
	}
}

func TestBadRowsLeaveTheirNeighbours(t *testing.T) {
	big := `'{"history":{"messages":{}},"x":"` + strings.Repeat("x", 9000) + `"}'`
	r := readDatabase(t, importer.Limits{MaxConversation: 8000}, chatTable,
		`INSERT INTO chat(id, title, chat) VALUES('a', 'Tea', '{"messages":[{"role":"user","content":"x"}]}'), ('b', 'No JSON', '{"messages":'), ('c', 'Big', `+big+`), ('d', 'Null', NULL), ('e', 'Blob', x'00ff'), ('f', 'Tea', '{"messages":[{"role":"user","content":"x"}]}')`,
		`INSERT INTO chat(id, title, chat) VALUES(NULL, 'No id', '{"messages":[{"role":"user","content":"x"}]}')`)
	database.Check(t, r)
	if n := len(r.Conversations()); n != 3 {
		t.Errorf("%d conversations, want 3", n)
	}
	var codes []string
	for _, b := range r.Quarantined() {
		codes = append(codes, b.Code)
		if b.Member != "data/webui.db" {
			t.Errorf("not located: %+v", b)
		}
	}
	if !slices.Equal(codes, []string{"not_a_conversation", "too_big", "not_a_conversation", "not_a_conversation"}) {
		t.Errorf("codes %v", codes)
	}
}

func TestADatabaseHasNoInverse(t *testing.T) {
	for _, s := range readDatabase(t, importer.Limits{}, messageRows...).Conversations() {
		if _, err := openwebui.New().Restore(nil, s.Doc); !errors.Is(err, importer.ErrNoInverse) {
			t.Errorf("%v", err)
		}
	}
}

func TestWhatIsNotRead(t *testing.T) {
	noise := bytes.Repeat([]byte{0x9f, 0x13, 0x00, 0xfe}, 4096)
	r := importertest.Read(t, openwebui.New(), importer.Limits{},
		importertest.File{Name: "webui.db", Data: noise},
		importertest.File{Name: "dump.sql", Data: []byte("--\n-- PostgreSQL database dump\n--\nCREATE TABLE public.chat (\n")},
		importertest.File{Name: "other.db", Data: sqlitetest.Make(t, "CREATE TABLE chats(id)")},
		importertest.File{Name: "qwen.json", Data: []byte(`[{"id":"x","chat":{"history":{"messages":{"a":{"content_list":[]}}}}}]`)},
		importertest.File{Name: "chatgpt.json", Data: []byte(`[{"id":"x","mapping":{"a":{"message":null}}}]`)})
	if len(r.Claim.Members) != 0 {
		t.Errorf("claimed %v", r.Claim.Members)
	}
	if len(r.Claim.Refused) != 2 {
		t.Errorf("refused %v", r.Claim.Refused)
	}
}

func TestSharedFixtures(t *testing.T) {
	for _, c := range []struct {
		name   string
		format importertest.Format
	}{{"webui-json.json", format}, {"webui.db", database}} {
		r := database.Read(t, importertest.Load(t, importertest.Shared(t, "fixtures", "local", "openwebui", c.name))...)
		c.format.Check(t, r)
		if n := r.Conversations(); len(n) != 1 || len(n[0].Doc.Messages) != 2 {
			t.Errorf("%s: not one conversation of two messages", c.name)
		}
	}
}
