package sqlite_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/sqlite"
	"github.com/pamline/pamline/providers/sqlite/sqlitetest"
)

// held notes how much was asked for, and that a unit was yielded.
type held []int64

func (h *held) Hold(_ context.Context, n int64) error {
	*h = append(*h, n)
	return nil
}

// How large rows are is known before they are read: what a unit is put together from counts from
// its first row on.
func TestRowsAreWaitedForBeforeTheyAreRead(t *testing.T) {
	data := sqlitetest.Make(t, "CREATE TABLE t(k, v)", "INSERT INTO t VALUES('a', zeroblob(1000000)), ('b', 'x'), ('c', zeroblob(2000000))")
	var told held
	u := importer.Unit{Member: member("a.db", data), Limits: importer.Limits{Scratch: t.TempDir(), Memory: &told}}
	more := sqlite.ReadUnits(t.Context(), u, nil, func(u importer.Unit, err error) bool {
		if err != nil || u.Err != nil {
			t.Fatal(err, u.Err)
		}
		told = append(told, -1)
		return true
	}, func(r *sqlite.Units) bool {
		if !r.Table("row", "t", sqlite.Columns{}) {
			return false
		}
		var rows []sqlite.Row
		for row, err := range r.DB.Rows(t.Context(), "t") {
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row)
		}
		raw, more := r.Object(rows[0], sqlite.Columns{})
		if more {
			raw, more = r.With(raw, "rows", rows[1:], sqlite.Columns{})
		}
		return more && r.Give("all", raw)
	})
	if want := []int64{1_000_001, -1, 2, -1, 2_000_001, -1, 1_000_001, 3_000_004 + 2*64, -1}; !more || !slices.Equal(told, want) {
		t.Errorf("told of %d, want %d", told, want)
	}
}

// More tables than statements are kept, read in turns: what was prepared before is prepared again.
func TestDatabasesOfManyTablesAreRead(t *testing.T) {
	var schema []string
	for i := range 100 {
		schema = append(schema, fmt.Sprintf("CREATE TABLE t%d(v)", i), fmt.Sprintf("INSERT INTO t%d VALUES(%d)", i, i))
	}
	db := open(t, sqlitetest.Make(t, schema...), importer.Limits{})
	for range 2 {
		for i := range 100 {
			if got, bad := texts(t, db, fmt.Sprint("t", i), sqlite.Columns{}); len(bad) > 0 || !slices.Equal(got, []string{fmt.Sprintf(`{"v":%d}`, i)}) {
				t.Fatalf("table %d: %q, %v", i, got, bad)
			}
		}
	}
	if n := db.Prepared(); n > 40 {
		t.Errorf("%d statements are kept", n)
	}
}
