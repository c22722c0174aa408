package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver
)

// Index is what a bundle's texts are found by. It is used by one goroutine at a time.
type Index struct {
	pool *sql.DB
	conn *sql.Conn
	path string
	// ranges are the rows of the conversations, once they are read.
	ranges *ranges
	// scratch is the memory of readers, kept from one search to the next.
	scratch []scratch
}

// MemoryAim is a limit for the Go runtime (debug.SetMemoryLimit) of a process that only searches.
// SQLite takes some 40 MB beside it.
const MemoryAim = 64 << 20

// layout is the version of the tables and of the folding of words. An index of another layout is
// made again.
const layout = 8

// schema are the tables. The FTS5 tables keep no text. That of messages keeps no positions either,
// only which row has which words: places are found by reading the few messages that a search gives.
// Memories are short, so their positions cost little and find phrases at once. The words come
// folded, with spaces between them, so that the tokenizer has nothing to do.
var schema = []string{
	`CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID`,
	// A conversation has the rows of words from base on: its title, then each message. Its file has
	// the reference ref: another content has another name. roles are those of its messages, a byte
	// each, texts digests of what it says, places where its messages stand in the file.
	`CREATE TABLE conversations (base INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, ref TEXT NOT NULL, platform TEXT NOT NULL, title TEXT NOT NULL, created TEXT NOT NULL, messages INTEGER NOT NULL, earliest INTEGER NOT NULL, latest INTEGER NOT NULL, roles BLOB NOT NULL, texts BLOB NOT NULL, places BLOB NOT NULL)`,
	// The pair filters of the messages of a conversation.
	`CREATE TABLE pairs (base INTEGER PRIMARY KEY, filters BLOB NOT NULL)`,
	// The id of a memory begins with its time: the newest has the highest.
	`CREATE TABLE memories (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, element BLOB NOT NULL, content TEXT NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL, platform TEXT NOT NULL, created TEXT NOT NULL, at INTEGER NOT NULL, conversation TEXT NOT NULL, message TEXT NOT NULL)`,
	// A vector belongs to the memory of its row.
	`CREATE TABLE vectors (id INTEGER PRIMARY KEY, element BLOB NOT NULL, model TEXT NOT NULL, numbers BLOB NOT NULL)`,
	`CREATE VIRTUAL TABLE words USING fts5 (text, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
	// All words of messages, in their order: other forms of a word stand near it.
	`CREATE VIRTUAL TABLE terms USING fts5vocab (words, 'instance')`,
	`CREATE VIRTUAL TABLE memory_words USING fts5 (text, content='', contentless_delete=1, tokenize='ascii')`,
}

// settings of every connection. What is deleted is overwritten with zeros, so that erased words are
// gone from the file. Its memory is bounded by the cache.
var settings = []string{
	"PRAGMA secure_delete=ON", "PRAGMA auto_vacuum=INCREMENTAL", "PRAGMA page_size=8192", "PRAGMA cache_size=-8192", "PRAGMA temp_store=MEMORY",
	"PRAGMA synchronous=NORMAL", "PRAGMA mmap_size=0", "PRAGMA busy_timeout=1000", "PRAGMA trusted_schema=0", "PRAGMA cell_size_check=1",
}

// errStale is returned for a file that is no index of this layout.
var errStale = errors.New("not an index of this layout")

// Open opens the index in a file, private to its user, and makes it if it is not there. A file that
// is damaged, of another layout or something else is deleted and made again. An empty path is an
// index in memory.
func Open(ctx context.Context, path string) (*Index, error) {
	if path == "" {
		return openFile(ctx, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("%w: %w", errFile, err)
	}
	x, err := openFile(ctx, path)
	if !isDamage(err) {
		return x, err
	}
	if err := Remove(path); err != nil {
		return nil, err
	}
	return openFile(ctx, path)
}

// Remove deletes an index. It need not be there.
func Remove(path string) error {
	for _, suffix := range []string{"-journal", "-wal", "-shm", ""} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove search index: %w", err)
		}
	}
	return nil
}

func openFile(ctx context.Context, path string) (x *Index, err error) {
	name := ":memory:"
	if path != "" {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errFile, err)
		}
		if err := f.Close(); err != nil {
			return nil, fmt.Errorf("open search index: %w", err)
		}
		name = (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()}).String()
	}
	pool, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("open search index: %w", err)
	}
	pool.SetMaxOpenConns(1)
	x = &Index{pool: pool, path: path}
	if x.conn, err = pool.Conn(ctx); err != nil {
		return nil, fmt.Errorf("open search index: %w", errors.Join(err, pool.Close()))
	}
	if err := x.prepare(ctx); err != nil {
		return nil, fmt.Errorf("open search index: %w", errors.Join(err, x.Close()))
	}
	return x, nil
}

// prepare makes the tables of a new file, and looks whether those of an old one are what they
// should be.
func (x *Index) prepare(ctx context.Context) error {
	for _, s := range settings {
		if err := x.exec(ctx, s); err != nil {
			return err
		}
	}
	return x.transaction(ctx, func() error {
		var tables int
		if err := x.conn.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master`).Scan(&tables); err != nil {
			return err
		}
		if tables == 0 {
			return x.create(ctx)
		}
		var version int
		err := x.conn.QueryRowContext(ctx, `SELECT value FROM meta WHERE key='layout'`).Scan(&version)
		if err == nil && version != layout {
			return errStale
		}
		return err
	})
}

func (x *Index) create(ctx context.Context) error {
	for _, s := range schema {
		if err := x.exec(ctx, s); err != nil {
			return err
		}
	}
	for _, table := range []string{"words", "memory_words"} {
		for _, s := range tableSettings {
			if err := x.exec(ctx, `INSERT INTO `+table+`(`+table+`, rank) VALUES (?, ?)`, s.name, s.value); err != nil {
				return err
			}
		}
	}
	return x.exec(ctx, `INSERT INTO meta VALUES ('layout', ?)`, layout)
}

// tableSettings are those of the FTS5 tables. Words are gathered in memory before they are sorted
// and written as a segment; larger segments, and more of them before they are merged, mean less
// work.
var tableSettings = []struct {
	name  string
	value int
}{{"hashsize", 5 << 20}, {"automerge", 8}, {"pgsz", 8000}}

// Close closes the index.
func (x *Index) Close() error {
	err := x.pool.Close
	if x.conn == nil {
		return err()
	}
	return errors.Join(x.conn.Close(), err())
}

func (x *Index) exec(ctx context.Context, query string, args ...any) error {
	_, err := x.conn.ExecContext(ctx, query, args...)
	return err
}

// patience is how often a transaction is tried while another process updates the index; each try
// waits for as long as busy_timeout says.
const patience = 300

// begin starts a transaction that may write.
func (x *Index) begin(ctx context.Context) (err error) {
	for range patience {
		if err = x.exec(ctx, "BEGIN IMMEDIATE"); !isBusy(err) || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// transaction runs what belongs together, alone in the file.
func (x *Index) transaction(ctx context.Context, run func() error) error {
	if err := x.begin(ctx); err != nil {
		return err
	}
	err := run()
	if err == nil {
		err = x.exec(ctx, "COMMIT")
	}
	if err != nil {
		// The context may have ended, and the transaction must end all the same.
		return errors.Join(err, x.exec(context.WithoutCancel(ctx), "ROLLBACK"))
	}
	return nil
}
