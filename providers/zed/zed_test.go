package zed_test

import (
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/sqlite/sqlitetest"
	"github.com/pamline/pamline/providers/zed"
)

var format = importertest.Format{Importer: zed.New()}

func fixture(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// packed is a text as a blob of SQL, compressed as the editor does.
func packed(t testing.TB, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	return "x'" + hex.EncodeToString(w.EncodeAll([]byte(text), nil)) + "'"
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

const (
	oldTable = "CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, data_type TEXT NOT NULL, data BLOB NOT NULL)"
	newTable = "CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, data_type TEXT NOT NULL, data BLOB NOT NULL, parent_id TEXT, folder_paths TEXT, created_at TEXT)"
)

func read(t testing.TB, limits importer.Limits, statements ...string) *importertest.Result {
	t.Helper()
	return importertest.Read(t, zed.New(), limits, importertest.File{Name: "Zed/threads/threads.db", Data: sqlitetest.Make(t, statements...)})
}

func newest(t testing.TB) []string {
	return []string{
		newTable, "CREATE TABLE migrations (n INTEGER)", "INSERT INTO migrations VALUES(1), (2)",
		"INSERT INTO threads VALUES('2b1c2d10-0000-4000-8000-000000000001', 'Falling kite', '2025-11-02T10:00:00.123456Z', 'zstd', " + packed(t, fixture(t, "thread.json")) + ", NULL, '/kites', '2025-11-02T09:00:00Z')",
		"INSERT INTO threads VALUES('2b1c2d10-0000-4000-8000-000000000002', 'An old thread', '2025-05-02T10:00:00Z', 'json', CAST(" + quoted(fixture(t, "legacy.json")) + " AS BLOB), NULL, NULL, NULL)",
		"INSERT INTO threads VALUES('2b1c2d10-0000-4000-8000-000000000003', 'Odd', 'yesterday', 'json', " + quoted(fixture(t, "odd.json")) + ", 'x', NULL, NULL)",
	}
}

func TestThreads(t *testing.T) {
	r := read(t, importer.Limits{}, newest(t)...)
	format.Check(t, r)
	importertest.Documents(t, "testdata/threads.golden", r)
	tables := slices.DeleteFunc(newest(t), func(s string) bool { return strings.Contains(s, "migrations") })
	format.Coverage(t, "testdata/coverage.golden", read(t, importer.Limits{}, tables...))
	var got []string
	for _, s := range r.Conversations() {
		got = append(got, importertest.Outline(s.Doc))
	}
	want := []string{
		"user assistant(thought) assistant(read_file) tool assistant user",
		"user assistant(thought) assistant(terminal) tool",
		"assistant user assistant(thought)",
	}
	if !slices.Equal(got, want) || r.Skips()["other_table"] != 2 {
		t.Errorf("got %q, want %q; skips %v", got, want, r.Skips())
	}
	d := r.Conversations()[0].Doc
	if *d.Title != "Falling kite" || d.Model != "claude-sonnet-4" || d.Temporal.CreatedAt != "2025-11-02T09:00:00Z" || d.Temporal.UpdatedAt != "2025-11-02T10:00:00.123456Z" {
		t.Errorf("title %q, model %s, %+v", *d.Title, d.Model, d.Temporal)
	}
	for _, s := range r.Conversations()[:2] {
		if len(s.Anomalies) > 0 {
			t.Errorf("%s: %v", s.Doc.ID, s.Anomalies)
		}
	}
}

func TestTheFirstFormOfTheTableIsRead(t *testing.T) {
	r := read(t, importer.Limits{}, oldTable, "INSERT INTO threads VALUES('a', 'Kite', '2025-11-02T10:00:00Z', 'zstd', "+packed(t, fixture(t, "thread.json"))+")")
	format.Check(t, r)
	if len(r.Conversations()) != 1 {
		t.Errorf("%d conversations", len(r.Conversations()))
	}
}

func TestIDsAreFrozen(t *testing.T) {
	var got []string
	for _, s := range read(t, importer.Limits{}, newest(t)...).Conversations()[:2] {
		got = append(got, s.Doc.ID)
	}
	if want := []string{"e4d25157-bc20-5bc5-9142-878cb74677b5", "9bdb6915-1dde-5431-a0f8-54ee8fac699c"}; !slices.Equal(got, want) {
		t.Errorf("ids %q, want %q", got, want)
	}
}

// A row whose data cannot be read is quarantined alone.
func TestDamagedThreadsAreQuarantinedAlone(t *testing.T) {
	good := "INSERT INTO threads VALUES('good', 'Kite', '2025-11-02T10:00:00Z', 'zstd', " + packed(t, fixture(t, "thread.json")) + ")"
	for name, c := range map[string]struct{ row, code string }{
		"cut":              {"'zstd', " + packed(t, fixture(t, "thread.json"))[:200] + "'", "syntax"},
		"not JSON":         {"'zstd', " + packed(t, "nonsense"), "syntax"},
		"another form":     {"'protobuf', x'00'", "not_a_conversation"},
		"without messages": {"'json', '{}'", "not_a_conversation"},
		"a bomb":           {"'zstd', " + packed(t, `{"messages":["`+strings.Repeat("x", 1<<20)+`"]}`), "too_big"},
	} {
		t.Run(name, func(t *testing.T) {
			r := read(t, importer.Limits{MaxConversation: 1 << 17}, oldTable, "INSERT INTO threads VALUES('bad', 'x', 'y', "+c.row+")", good)
			if bad := r.Quarantined(); len(bad) != 1 || bad[0].Code != c.code || len(r.Conversations()) != 1 {
				t.Errorf("quarantined %v, %d conversations", bad, len(r.Conversations()))
			}
		})
	}
}

func TestEditsComeBackOut(t *testing.T) {
	d := read(t, importer.Limits{}, newest(t)...).Conversations()[0].Doc
	text := "Why?"
	d.Messages[0].Content.Text = &text
	back, err := zed.New().Restore(nil, d)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(back), `{"Text":"Why?"}`) {
		t.Errorf("the edit is not in %s", back)
	}
}

func TestOtherDatabasesAreNotClaimed(t *testing.T) {
	r := read(t, importer.Limits{}, "CREATE TABLE threads (id TEXT, title TEXT)", "INSERT INTO threads VALUES('a', 'b')")
	if len(r.Claim.Members) != 0 {
		t.Error("a table of threads of another program is claimed")
	}
}

func TestOddValues(t *testing.T) {
	format.Mutate(t, read(t, importer.Limits{}, newest(t)...), 100)
}

func FuzzThread(f *testing.F) {
	for _, name := range []string{"thread.json", "legacy.json", "odd.json"} {
		f.Add([]byte(`{"id":"a","summary":"Kite","updated_at":"2025-11-02T10:00:00Z","thread":` + fixture(f, name) + `}`))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "thread"}, raw) })
}
