package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/sqlite"
	"github.com/pamline/pamline/providers/sqlite/sqlitetest"
)

func member(name string, data []byte) archive.Member {
	return archive.NewMember(name, int64(len(data)), 0, func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	})
}

func open(t testing.TB, data []byte, limits importer.Limits) *sqlite.DB {
	t.Helper()
	limits.Scratch = t.TempDir()
	db, err := sqlite.Open(t.Context(), member("a.db", data), nil, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(limits.Scratch); err != nil || len(left) > 0 {
			t.Errorf("scratch files are left: %v, %v", left, err)
		}
	})
	return db
}

// texts reads the rows of a table that can be read, and the errors.
func texts(t testing.TB, db *sqlite.DB, table string, how sqlite.Columns) (out []string, bad []error) {
	t.Helper()
	for row, err := range db.Rows(t.Context(), table) {
		if err != nil {
			bad = append(bad, err)
			continue
		}
		text, err := db.Object(t.Context(), nil, row, how)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		out = append(out, string(text))
	}
	return out, bad
}

func TestValuesAreReadAsTheyLie(t *testing.T) {
	for _, c := range []struct{ name, column, value, want string }{
		{"null", "TEXT", "NULL", "null"},
		{"integer", "INTEGER", "9223372036854775807", "9223372036854775807"},
		{"real", "REAL", "0.1", "0.1"},
		{"whole real", "REAL", "2", "2.0"},
		{"large real", "REAL", "1e300", "1e+300"},
		{"infinity", "REAL", "9e999", `{"$real":"Infinity"}`},
		{"text", "TEXT", `'a"b\c' || char(10) || char(1) || 'é'`, `"a\"b\\c\n\u0001é"`},
		{"text that is not UTF-8", "TEXT", "CAST(x'61ff62' AS TEXT)", "\"a\xffb\""},
		{"text with a NUL", "TEXT", "CAST(x'610062' AS TEXT)", `"a\u0000b"`},
		{"blob", "BLOB", "x'00ff'", `{"$blob":"AP8="}`},
		{"a boolean stays a number", "BOOLEAN", "1", "1"},
		{"a time stays text", "TIMESTAMP", "'2026-01-02 03:04:05.123456+02:00'", `"2026-01-02 03:04:05.123456+02:00"`},
		{"a number as a time stays a number", "DATETIME", "1767323045", "1767323045"},
		{"text in a column of numbers", "INTEGER", "'many'", `"many"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := open(t, sqlitetest.Make(t, "CREATE TABLE t(v "+c.column+")", "INSERT INTO t VALUES("+c.value+")"), importer.Limits{})
			got, bad := texts(t, db, "t", sqlite.Columns{})
			if len(bad) > 0 || len(got) != 1 || got[0] != `{"v":`+c.want+`}` {
				t.Errorf("%q, %v; want %s", got, bad, c.want)
			}
		})
	}
}

func TestTextOfUTF16DatabasesIsReadAsUTF8(t *testing.T) {
	db := open(t, sqlitetest.Make(t, "PRAGMA encoding='UTF-16le'", "CREATE TABLE t(v TEXT)", "INSERT INTO t VALUES('é🧠')"), importer.Limits{})
	if got, bad := texts(t, db, "t", sqlite.Columns{}); len(bad) > 0 || got[0] != `{"v":"é🧠"}` {
		t.Errorf("%q, %v", got, bad)
	}
}

func TestJSONStandsAsTheValueItIs(t *testing.T) {
	db := open(t, sqlitetest.Make(t, "CREATE TABLE t(a, b, secret)",
		`INSERT INTO t VALUES('{"x": 1.50, "x": 2}', '{"x":1}', 's'), ('"text"', '', 's'), ('{"x":', '', 's'), ('`+strings.Repeat("[", 30)+strings.Repeat("]", 30)+`', '', 's')`), importer.Limits{MaxDepth: 20})
	got, bad := texts(t, db, "t", sqlite.Columns{JSON: []string{"a"}, Without: []string{"secret"}})
	want := []string{`{"a":{"x": 1.50, "x": 2},"b":"{\"x\":1}"}`, `{"a":"\"text\"","b":""}`, `{"a":"{\"x\":","b":""}`, `{"a":"` + strings.Repeat("[", 30) + strings.Repeat("]", 30) + `","b":""}`}
	if len(bad) > 0 || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, bad)
	}
}

func TestColumnsDeclaredAsJSONHoldAnyJSON(t *testing.T) {
	db := open(t, sqlitetest.Make(t, "CREATE TABLE t(a JSON)", `INSERT INTO t VALUES('"text"'), ('null'), ('1.50'), ('plain'), ('{"x":1}'), (7)`), importer.Limits{})
	got, bad := texts(t, db, "t", sqlite.Columns{})
	if want := []string{`{"a":"text"}`, `{"a":null}`, `{"a":1.5}`, `{"a":"plain"}`, `{"a":{"x":1}}`, `{"a":7}`}; len(bad) > 0 || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, bad)
	}
}

func TestOnlyStoredColumnsOfRealTablesAreSeen(t *testing.T) {
	db := open(t, sqlitetest.Make(t,
		"CREATE TABLE t(v TEXT, made TEXT GENERATED ALWAYS AS (hex(zeroblob(1000000))) VIRTUAL, \"odd \"\"name\"\" %s\" TEXT)",
		"INSERT INTO t(v) VALUES('x')",
		"CREATE VIEW chat AS SELECT * FROM t",
		"CREATE VIRTUAL TABLE words USING fts5(a)",
		"CREATE TRIGGER tr AFTER INSERT ON t BEGIN DELETE FROM t; END"), importer.Limits{})
	if db.Has("chat") || db.Has("words") || !db.Has("t") {
		t.Errorf("tables %v", db.Tables())
	}
	if got, bad := texts(t, db, "t", sqlite.Columns{}); len(bad) > 0 || !slices.Equal(got, []string{`{"v":"x","odd \"name\" %s":null}`}) {
		t.Errorf("%q, %v", got, bad)
	}
	if got, bad := texts(t, db, "chat", sqlite.Columns{}); len(got) > 0 || len(bad) != 1 {
		t.Errorf("a view gives %q, %v", got, bad)
	}
}

func TestTheNewestChangesAreReadFromTheLog(t *testing.T) {
	file, wal := sqlitetest.MakeWAL(t, []string{"CREATE TABLE t(v)", "INSERT INTO t VALUES('old')"}, []string{"INSERT INTO t VALUES('new')"})
	scratch := t.TempDir()
	log := member("a.db-wal", wal)
	db, err := sqlite.Open(t.Context(), member("a.db", file), &log, importer.Limits{Scratch: scratch})
	if err != nil {
		t.Fatal(err)
	}
	got, bad := texts(t, db, "t", sqlite.Columns{})
	if len(bad) > 0 || !slices.Equal(got, []string{`{"v":"old"}`, `{"v":"new"}`}) {
		t.Errorf("%q, %v", got, bad)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("scratch files are left: %v, %v", left, err)
	}
	alone := open(t, file, importer.Limits{})
	if got, bad := texts(t, alone, "t", sqlite.Columns{}); len(bad) > 0 || !slices.Equal(got, []string{`{"v":"old"}`}) {
		t.Errorf("without its log: %q, %v", got, bad)
	}
}

func TestARowOverTheLimitIsMeasuredAndNotRead(t *testing.T) {
	db := open(t, sqlitetest.Make(t, "CREATE TABLE t(k, v)", "INSERT INTO t VALUES('a', 'x'), ('b', hex(zeroblob(2000000))), ('c', 'y')"), importer.Limits{MaxConversation: 1000})
	var sizes []int64
	for row, err := range db.Rows(t.Context(), "t") {
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, row.Size)
	}
	if !slices.Equal(sizes, []int64{2, 4000001, 2}) {
		t.Errorf("sizes %v", sizes)
	}
}

func groups(t testing.TB, db *sqlite.DB, sources ...sqlite.Source) string {
	t.Helper()
	var out strings.Builder
	for g, err := range db.Groups(t.Context(), sources...) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%q", g.Key)
		for _, rows := range g.Rows {
			out.WriteString(" [")
			for _, r := range rows {
				fmt.Fprintf(&out, " %d", r.ID)
			}
			out.WriteString(" ]")
		}
		fmt.Fprintf(&out, " big %v lost %v\n", g.TooBig, g.Lost)
	}
	return out.String()
}

var family = []sqlite.Source{
	{Table: "chats", Key: []string{"id"}, Of: -1},
	{Table: "messages", Key: []string{"chat_id"}, Of: -1, ID: "id"},
	{Table: "calls", Key: []string{"message_id"}, Of: 1},
}

func TestRowsAreGroupedWhateverTheirOrder(t *testing.T) {
	schema := []string{"CREATE TABLE chats(id TEXT)", "CREATE TABLE messages(id INTEGER PRIMARY KEY, chat_id TEXT)", "CREATE TABLE calls(id INTEGER PRIMARY KEY, message_id INTEGER)"}
	fill := []string{
		"INSERT INTO chats(rowid, id) VALUES(1, 'b'), (2, 'a'), (3, '-'), (4, NULL), (5, 'a'||char(0)||'b')",
		"INSERT INTO messages VALUES(1, 'a'), (2, 'b'), (3, 'a'), (4, 'gone'), (5, NULL)",
		"INSERT INTO calls VALUES(1, 3), (2, 1), (3, 77), (4, NULL), (5, 4)",
	}
	want := `["-"] [ 4 ] [ 5 ] [ ] big false lost false
["=-"] [ 3 ] [ ] [ ] big false lost false
["=a"] [ 2 ] [ 1 3 ] [ 1 2 ] big false lost false
["=a\x00b"] [ 5 ] [ ] [ ] big false lost false
["=b"] [ 1 ] [ 2 ] [ ] big false lost false
["=gone"] [ ] [ 4 ] [ 5 ] big false lost false
["\xff"] [ ] [ ] [ 3 4 ] big false lost true
`
	for range 2 {
		db := open(t, sqlitetest.Make(t, slices.Concat(schema, fill)...), importer.Limits{})
		if got := groups(t, db, family...); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		slices.Reverse(fill)
	}
}

func TestAColumnThatIsNotThereIsNoKey(t *testing.T) {
	db := open(t, sqlitetest.Make(t, "CREATE TABLE chats(id TEXT)", "INSERT INTO chats VALUES('a')"), importer.Limits{})
	if got := groups(t, db, sqlite.Source{Table: "chats", Key: []string{"id", "newer"}, Of: -1}); got != `["=a" "-"] [ 1 ] big false lost false`+"\n" {
		t.Error(got)
	}
}

func TestAGroupOverTheLimitSaysSo(t *testing.T) {
	db := open(t, sqlitetest.Make(t, "CREATE TABLE chats(id TEXT)", "CREATE TABLE messages(id INTEGER PRIMARY KEY, chat_id TEXT)", "CREATE TABLE calls(id, message_id)",
		"INSERT INTO chats VALUES('a'), ('b')",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<50) INSERT INTO messages SELECT i, 'a' FROM n"), importer.Limits{MaxConversation: 500})
	got := groups(t, db, family...)
	if !strings.Contains(got, `["=a"] [ 1 ] [ 1 2 3 4 5 6 ] [ ] big true`) || !strings.Contains(got, `["=b"] [ 2 ] [ ] [ ] big false`) {
		t.Error(got)
	}
}

func TestDamagedPagesCostTheirRowsOnly(t *testing.T) {
	data := sqlitetest.Make(t, "PRAGMA page_size=1024", "CREATE TABLE t(v TEXT)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<400) INSERT INTO t SELECT printf('%0100d', i) FROM n")
	pages := len(data) / 1024
	copy(data[pages/2*1024:], bytes.Repeat([]byte{0xAB}, 1024))
	db := open(t, data, importer.Limits{})
	got, bad := texts(t, db, "t", sqlite.Columns{})
	if len(bad) == 0 || len(got) < 350 || len(got) == 400 {
		t.Errorf("%d rows of 400, %d errors", len(got), len(bad))
	}
	for _, err := range bad {
		var known *sqlite.Error
		if !errors.As(err, &known) {
			t.Errorf("not an error of the database: %v", err)
		}
	}
	if !slices.IsSorted(got) {
		t.Error("the rows are out of order")
	}
}

func TestWhatIsNoDatabaseIsSaidSo(t *testing.T) {
	good := sqlitetest.Make(t, "CREATE TABLE t(v TEXT)", "INSERT INTO t VALUES('x')")
	for name, data := range map[string][]byte{
		"text behind the mark": append([]byte("SQLite format 3\x00"), bytes.Repeat([]byte("text "), 1000)...),
		"the mark alone":       []byte("SQLite format 3\x00"),
		"half a page":          good[:600],
	} {
		t.Run(name, func(t *testing.T) {
			scratch := t.TempDir()
			db, err := sqlite.Open(t.Context(), member("a.db", data), nil, importer.Limits{Scratch: scratch})
			if err == nil {
				_, bad := texts(t, db, "t", sqlite.Columns{})
				if len(bad) == 0 {
					t.Error("it is read")
				}
				err = errors.Join(bad...)
				if e := db.Close(); e != nil {
					t.Error(e)
				}
			}
			var known *sqlite.Error
			if !errors.As(err, &known) {
				t.Errorf("not an error of the database: %v", err)
			}
			if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
				t.Errorf("scratch files are left: %v, %v", left, err)
			}
		})
	}
}

func TestACancelledContextEndsTheReading(t *testing.T) {
	db := open(t, sqlitetest.Make(t, "CREATE TABLE t(v TEXT)", "INSERT INTO t VALUES('x')"), importer.Limits{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range db.Rows(ctx, "t") {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
}

func TestFilesBesideADatabase(t *testing.T) {
	part := func(name string, part, index int) archive.Member {
		m := member(name, nil)
		m.Part, m.Index = part, index
		return m
	}
	b := sqlite.NewBeside([]archive.Member{part("a.db-wal", 0, 1), part("a.db-wal", 1, 2), part("a.db-shm", 1, 3), part("b.db-journal", 0, 4), part("-wal", 0, 5)})
	if w := b.WAL(part("a.db", 1, 0)); w == nil || w.Index != 2 {
		t.Errorf("log of the second part: %v", w)
	}
	if w := b.WAL(part("c.db", 1, 0)); w != nil {
		t.Errorf("log of a database without one: %v", w)
	}
	if o := b.Others(part("b.db", 1, 0)); len(o) != 1 || o[0].Index != 4 {
		t.Errorf("others %v", o)
	}
}

// FuzzDatabase holds that any bytes are read to an end without a crash.
func FuzzDatabase(f *testing.F) {
	f.Add(sqlitetest.Make(f, "PRAGMA page_size=512", "CREATE TABLE chats(id TEXT)", "CREATE TABLE messages(id INTEGER PRIMARY KEY, chat_id TEXT)", "CREATE TABLE calls(id, message_id)",
		"INSERT INTO chats VALUES('a'), ('b')", "INSERT INTO messages VALUES(1, 'a'), (2, x'00'), (3, printf('%0900d', 1))", "INSERT INTO calls VALUES(1, 1)"))
	f.Fuzz(func(t *testing.T, data []byte) {
		db, err := sqlite.Open(t.Context(), member("a.db", data), nil, importer.Limits{Scratch: t.TempDir(), MaxConversation: 1 << 20})
		if err != nil {
			return
		}
		defer func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}()
		for _, table := range db.Tables() {
			texts(t, db, table, sqlite.Columns{})
		}
		for range db.Groups(t.Context(), family...) {
			continue
		}
	})
}
