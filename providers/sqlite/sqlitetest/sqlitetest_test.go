package sqlitetest_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"database/sql"

	"github.com/pamline/pamline/providers/sqlite/sqlitetest"
)

// kites counts the rows of the table kites in a database with these files.
func kites(t *testing.T, file, wal []byte) (n int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kites.db")
	for name, data := range map[string][]byte{path: file, path + "-wal": wal} {
		if data == nil {
			continue
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM kites").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestADatabaseHoldsWhatItsStatementsInsert(t *testing.T) {
	file := sqlitetest.Make(t, "CREATE TABLE kites (color TEXT)", "INSERT INTO kites VALUES ('red'), ('blue')")
	if !bytes.HasPrefix(file, []byte("SQLite format 3\x00")) {
		t.Fatalf("the file begins with %q", file[:min(len(file), 16)])
	}
	if n := kites(t, file, nil); n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
}

func TestLaterStatementsAreInTheLogAlone(t *testing.T) {
	before := []string{"CREATE TABLE kites (color TEXT)", "INSERT INTO kites VALUES ('red')"}
	file, wal := sqlitetest.MakeWAL(t, before, []string{"INSERT INTO kites VALUES ('green-and-white')"})
	if strings.Contains(string(file), "green-and-white") || !strings.Contains(string(wal), "green-and-white") {
		t.Error("the later row is not in the log alone")
	}
	if n := kites(t, file, nil); n != 1 {
		t.Errorf("%d rows in the file, want 1", n)
	}
	if n := kites(t, file, wal); n != 2 {
		t.Errorf("%d rows in file and log, want 2", n)
	}
}
