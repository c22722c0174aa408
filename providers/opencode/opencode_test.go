package opencode_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/opencode"
	"github.com/pamline/pamline/providers/sqlite/sqlitetest"
)

var format = importertest.Format{Importer: opencode.New()}

const (
	session = "ses_3f0000000001kite"
	root    = ".local/share/opencode/storage/"
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// exported is the fixture as the program's types have it.
type exported struct {
	Info     map[string]any `json:"info"`
	Messages []struct {
		Info  map[string]any   `json:"info"`
		Parts []map[string]any `json:"parts"`
	} `json:"messages"`
}

func parsed(t testing.TB) (e exported) {
	t.Helper()
	if err := json.Unmarshal(fixture(t, "export.json"), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

func text(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// storage is the fixture as files, with others beside them.
func storage(t testing.TB) []importertest.File {
	t.Helper()
	e := parsed(t)
	pairs := []string{
		root + "project/p1.json", `{"id":"p1","worktree":"/kites"}`,
		root + "session_diff/" + session + ".json", `[]`,
		root + "part/msg_gone/prt_1.json", `{"id":"prt_1","sessionID":"x","messageID":"msg_gone","type":"text","text":"lost"}`,
		root + "session/p1/" + session + ".json", text(t, e.Info),
	}
	for i := len(e.Messages) - 1; i >= 0; i-- {
		m := e.Messages[i]
		id := m.Info["id"].(string)
		pairs = append(pairs, root+"message/"+session+"/"+id+".json", text(t, m.Info))
		for _, p := range m.Parts {
			pairs = append(pairs, root+"part/"+id+"/"+p["id"].(string)+".json", text(t, p))
		}
	}
	return importertest.Files(pairs...)
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// without is a value's JSON without some keys.
func without(t testing.TB, v map[string]any, keys ...string) string {
	t.Helper()
	out := map[string]any{}
	for k, x := range v {
		if !slices.Contains(keys, k) {
			out[k] = x
		}
	}
	return text(t, out)
}

// database is the fixture as the rows of a database.
func database(t testing.TB) importertest.File {
	t.Helper()
	e := parsed(t)
	statements := []string{
		"CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, slug TEXT, directory TEXT, title TEXT NOT NULL, version TEXT, summary_diffs TEXT, time_created INTEGER, time_updated INTEGER)",
		"CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER, time_updated INTEGER, data TEXT NOT NULL)",
		"CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, time_created INTEGER, time_updated INTEGER, data TEXT NOT NULL)",
		"CREATE TABLE todo (session_id TEXT, content TEXT)", "INSERT INTO todo VALUES('x', 'y')",
		"INSERT INTO session VALUES(" + quoted(session) + ", 'p1', NULL, 'kite', '/kites', 'Falling kite', '1.0.0', NULL, 1767323040123, 1767323145000)",
		"INSERT INTO part VALUES('prt_lost', 'msg_gone', 'x', 1, 1, '{\"type\":\"text\",\"text\":\"lost\"}')",
	}
	for _, m := range e.Messages {
		id := m.Info["id"].(string)
		statements = append(statements, "INSERT INTO message VALUES("+quoted(id)+", "+quoted(session)+", 1767323045000, 1767323045000, "+quoted(without(t, m.Info, "id", "sessionID"))+")")
		for _, p := range m.Parts {
			statements = append(statements, "INSERT INTO part VALUES("+quoted(p["id"].(string))+", "+quoted(id)+", "+quoted(session)+", 1767323045000, 1767323045000, "+quoted(without(t, p, "id", "sessionID", "messageID"))+")")
		}
	}
	return importertest.File{Name: ".local/share/opencode/opencode.db", Data: sqlitetest.Make(t, statements...)}
}

func read(t testing.TB, files ...importertest.File) *importertest.Result {
	t.Helper()
	r := format.Read(t, files...)
	format.Check(t, r)
	return r
}

const spoken = "user system user assistant(thought) assistant(read) tool assistant assistant(bash) tool"

func TestEveryFormGivesTheSameConversation(t *testing.T) {
	export := importertest.File{Name: "kite.json", Data: fixture(t, "export.json")}
	var ids []string
	for name, files := range map[string][]importertest.File{"export": {export}, "storage": storage(t), "database": {database(t)}} {
		r := read(t, files...)
		importertest.Documents(t, "testdata/"+name+".golden", r)
		if len(r.Conversations()) != 1 || len(r.Quarantined()) != 0 {
			t.Fatalf("%s: %d conversations, quarantined %v", name, len(r.Conversations()), r.Quarantined())
		}
		s := r.Conversations()[0]
		d := s.Doc
		if got := importertest.Outline(d); got != spoken {
			t.Errorf("%s: %q, want %q", name, got, spoken)
		}
		if *d.Title != "Falling kite" || d.Temporal.CreatedAt != "2026-01-02T03:04:00.123000Z" || d.Provider.ConversationID != session {
			t.Errorf("%s: title %q, created %s, id %s", name, *d.Title, d.Temporal.CreatedAt, d.Provider.ConversationID)
		}
		if len(s.Anomalies) > 0 {
			t.Errorf("%s: %v", name, s.Anomalies)
		}
		all := []string{d.ID}
		for _, m := range d.Messages {
			all = append(all, m.ID)
		}
		if ids == nil {
			ids = all
		}
		if !slices.Equal(all, ids) || d.ID != "737517bc-83be-585c-8457-619bbd6ad5f1" {
			t.Errorf("%s: ids %q, want %q", name, all, ids)
		}
	}
}

func TestWhatIsNotKeptIsCounted(t *testing.T) {
	if got := read(t, storage(t)...).Skips(); got["storage-file"] != 2 || got["lost-part"] != 1 {
		t.Errorf("storage: skips %v", got)
	}
	if got := read(t, database(t)).Skips(); got["other_table"] != 1 || got["lost-part"] != 1 {
		t.Errorf("database: skips %v", got)
	}
}

func TestWhereEachValueGoes(t *testing.T) {
	format.Coverage(t, "testdata/coverage.golden", read(t, importertest.File{Name: "kite.json", Data: fixture(t, "export.json")}))
}

// A file that cannot be read takes nothing else along.
func TestADamagedFileOfTheStorageIsQuarantinedAlone(t *testing.T) {
	for _, kind := range []string{"session/p1/", "message/", "part/msg_02bbb/"} {
		files := storage(t)
		i := slices.IndexFunc(files, func(f importertest.File) bool { return strings.HasPrefix(f.Name, root+kind) })
		files[i].Data = append(slices.Clone(files[i].Data[:len(files[i].Data)-3]), 'x')
		r := format.Read(t, files...)
		format.Check(t, r)
		if bad := r.Quarantined(); len(bad) != 1 || bad[0].Member != files[i].Name || bad[0].Code != "syntax" || len(r.Conversations()) != 1 {
			t.Errorf("%s: quarantined %v, %d conversations", kind, bad, len(r.Conversations()))
		}
	}
}

func TestASessionOverTheLimitIsQuarantined(t *testing.T) {
	r := importertest.Read(t, opencode.New(), importer.Limits{MaxConversation: 3000}, storage(t)...)
	if bad := r.Quarantined(); len(bad) != 1 || bad[0].Code != "too_big" || len(r.Conversations()) != 0 {
		t.Errorf("quarantined %v", bad)
	}
}

func TestOlderStoragesAreRead(t *testing.T) {
	var files []importertest.File
	for _, f := range storage(t) {
		f.Name = strings.NewReplacer(root+"session/p1/", root+"session/info/", root+"message/", root+"session/message/", root+"part/", root+"session/part/"+session+"/").Replace(f.Name)
		files = append(files, f)
	}
	if r := read(t, files...); len(r.Conversations()) != 1 || importertest.Outline(r.Conversations()[0].Doc) != spoken {
		t.Errorf("%d conversations", len(r.Conversations()))
	}
}

func TestEditsComeBackOut(t *testing.T) {
	d := read(t, storage(t)...).Conversations()[0].Doc
	asked, title := "Why?", "Kites"
	d.Messages[0].Content.Text, d.Title = &asked, &title
	format.Restored(t, d, `"text":"Why?"`, `"title":"Kites"`)
}

func TestOtherFilesAreNotClaimed(t *testing.T) {
	for name, data := range map[string]string{
		"session/p1/ses_x.json": `{"title":"x"}`,
		"message/s/m.json":      `{"role":"user","content":"x"}`,
		"part/m/p.json":         `{"type":"x"}`,
		"todo/x.json":           `[]`,
		"export.json":           `{"info":{"id":"x"},"messages":[{"role":"user"}]}`,
	} {
		if r := format.Read(t, importertest.File{Name: name, Data: []byte(data)}); len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", name)
		}
	}
}

func TestOddValues(t *testing.T) {
	r := format.Read(t, importertest.File{Name: "a.json", Data: fixture(t, "export.json")}, importertest.File{Name: "b.json", Data: fixture(t, "odd.json")})
	format.Check(t, r)
	format.Mutate(t, r, 100)
}

func FuzzSession(f *testing.F) {
	f.Add(fixture(f, "export.json"))
	f.Add(fixture(f, "odd.json"))
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "export"}, raw) })
}
