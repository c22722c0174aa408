// Package sqlitetest makes databases for tests, from SQL.
package sqlitetest

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"testing"

	_ "modernc.org/sqlite" // the driver
)

// Make runs statements in a new database and gives the bytes of its file.
func Make(t testing.TB, statements ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.db")
	db := run(t, path, statements...)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return read(t, path)
}

// MakeWAL gives a database as it lies while its application runs: before is in the file, after only
// in the log beside it.
func MakeWAL(t testing.TB, before, after []string) (file, wal []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.db")
	db := run(t, path, slices.Concat([]string{"PRAGMA journal_mode=WAL"}, before, []string{"PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA wal_autocheckpoint=0"})...)
	for _, s := range after {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%v in %.200s", err, s)
		}
	}
	file, wal = read(t, path), read(t, path+"-wal")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return file, wal
}

func run(t testing.TB, path string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%v in %.200s", err, s)
		}
	}
	return db
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
