package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	driver "modernc.org/sqlite"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// magic starts every SQLite database.
const magic = "SQLite format 3\x00"

// Is tells whether the first bytes of a member are those of a SQLite database.
func Is(prefix []byte) bool { return bytes.HasPrefix(prefix, []byte(magic)) }

// DB is an opened copy of a database. It is used by one goroutine at a time.
type DB struct {
	dir    string
	limits importer.Limits
	pool   *sql.DB
	conn   *sql.Conn
	tables map[string][]column
	stmts  map[string]*sql.Stmt
}

// column of a table, with its name as the application spells it. In one that is declared as JSON,
// all text is JSON.
type column struct {
	name string
	json bool
}

// Error says that a member is no readable database. Its text quotes nothing of the content.
type Error struct{ err error }

func (e *Error) Error() string { return "the database cannot be read: " + e.err.Error() }
func (e *Error) Unwrap() error { return e.err }

// Numbers of sqlite3_limit.
const (
	limitLength    = 0
	limitSQLLength = 1
	limitAttached  = 7
)

// safety of the connection: nothing is written, no function or virtual table that a schema names is
// trusted, damaged cells are noticed before they are followed, and sorting needs no files.
var safety = []string{
	"PRAGMA query_only=1", "PRAGMA trusted_schema=0", "PRAGMA cell_size_check=1", "PRAGMA mmap_size=0",
	"PRAGMA temp_store=2", "PRAGMA cache_size=-4096",
}

// Open copies a database, and the file with its newest changes if there is one, and opens the copy.
// What is wrong with the database is an *Error; any other error is the storage's or the context's.
// The caller closes it.
func Open(ctx context.Context, m archive.Member, wal *archive.Member, limits importer.Limits) (db *DB, err error) {
	limits = limits.WithDefaults()
	dir, err := os.MkdirTemp(limits.Scratch, "sqlite-")
	if err != nil {
		return nil, fmt.Errorf("make scratch folder for a database: %w", err)
	}
	db = &DB{dir: dir, limits: limits, tables: map[string][]column{}, stmts: map[string]*sql.Stmt{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
			db = nil
		}
	}()
	path := filepath.Join(dir, "copy.db")
	if err := spool(ctx, m, path); err != nil {
		return db, err
	}
	// Without a log nothing else can belong to the file, and it is read as it lies. With one,
	// SQLite has to lock and may write it back into the copy.
	query := "mode=ro&immutable=1"
	first := []string{}
	if wal != nil {
		if err := spool(ctx, *wal, path+"-wal"); err != nil {
			return db, err
		}
		query, first = "mode=rw", []string{"PRAGMA locking_mode=EXCLUSIVE"} // then no shared memory is needed
	}
	db.pool, err = sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, OmitHost: true}).String()+"?"+query)
	if err != nil {
		return db, &Error{err}
	}
	if db.conn, err = db.pool.Conn(ctx); err != nil {
		return db, db.fault(ctx, err)
	}
	longest := min(limits.MaxConversation+1<<20, 1_000_000_000)
	for id, n := range map[int]int64{limitLength: longest, limitSQLLength: 1 << 20, limitAttached: 0} {
		if _, err := driver.Limit(db.conn, id, int(n)); err != nil {
			return db, fmt.Errorf("limit database: %w", err)
		}
	}
	for _, pragma := range slices.Concat(first, safety) {
		if _, err := db.conn.ExecContext(ctx, pragma); err != nil {
			return db, db.fault(ctx, err)
		}
	}
	if err := db.schema(ctx); err != nil {
		return db, err
	}
	return db, nil
}

// Close removes the copy. It may be called more than once.
func (d *DB) Close() error {
	var errs []error
	for _, s := range d.stmts {
		errs = append(errs, s.Close())
	}
	d.stmts = nil
	if d.conn != nil {
		errs = append(errs, d.conn.Close())
		d.conn = nil
	}
	if d.pool != nil {
		errs = append(errs, d.pool.Close())
		d.pool = nil
	}
	errs = append(errs, os.RemoveAll(d.dir))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close database copy: %w", err)
	}
	return nil
}

// fault tells an error of the database from one of the context.
func (d *DB) fault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	return &Error{err}
}

// maxStmts is how many prepared statements are kept: one of hundreds of columns is some hundred KB,
// and a schema may have thousands of tables.
const maxStmts = 32

// query runs a prepared statement of ours. Of none that is kept are there rows to be read when
// another one is asked for.
func (d *DB) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	stmt := d.stmts[text]
	if stmt == nil {
		if len(d.stmts) >= maxStmts {
			for _, s := range d.stmts {
				_ = s.Close() // it has ended
			}
			clear(d.stmts)
		}
		var err error
		if stmt, err = d.conn.PrepareContext(ctx, text); err != nil {
			return nil, d.fault(ctx, err)
		}
		d.stmts[text] = stmt
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return nil, d.fault(ctx, err)
	}
	return rows, nil
}
