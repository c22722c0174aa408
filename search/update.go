package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// Changes are what an update did.
type Changes struct {
	// Read counts the conversations whose files were read, Memories the new and changed memories,
	// Removed what the bundle has no longer.
	Read     int
	Memories int
	Removed  int
	// Unreadable counts the conversations whose files are missing or damaged: only their titles can
	// be found.
	Unreadable int
	// TextBytes is how long the texts are that were read.
	TextBytes int64
}

// Update brings the index up to date with a bundle. digest is that of the bundle's store, when it
// is known: an index that has it already is left as it is. Only the conversations are read whose
// references are new. An update that was interrupted goes on from where it was. progress, which may
// be nil, is called with the number of conversations seen.
func (x *Index) Update(ctx context.Context, b *pamio.Bundle, digest string, progress func(conversations int)) (c Changes, err error) {
	current, err := x.meta(ctx, "digest")
	if err != nil {
		return c, fmt.Errorf("update search index: %w", err)
	}
	if digest != "" && current == digest {
		return c, nil
	}
	u := &update{Index: x, bundle: b, progress: progress}
	if err := u.run(ctx); err != nil {
		return u.Changes, fmt.Errorf("update search index: %w", errors.Join(ctx.Err(), err))
	}
	return u.Changes, nil
}

// update is one update of an index.
type update struct {
	*Index
	Changes
	bundle   *pamio.Bundle
	progress func(int)
	// memories and talks are what the index has, by their names.
	memories, talks known
	// pending are bytes of text since the last commit; hasGone tells that words have gone from the
	// bundle.
	pending int64
	hasGone bool
	seen    int
	// next is the row of the next conversation; changed are the entries to read.
	next    int64
	changed *extsort.Sorter
	statements
}

// sortBudget is the memory for sorting what is to be read.
const sortBudget = 4 << 20

// commitBytes is how much text is committed at once: so much is read again after an interruption.
const commitBytes = 64 << 20

func (u *update) run(ctx context.Context) (err error) {
	f, err := u.bundle.OpenStore()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	folder := ""
	if u.path != "" {
		folder = filepath.Dir(u.path)
	}
	u.changed = extsort.New(folder, sortBudget)
	defer func() { err = errors.Join(err, u.changed.Close()) }()
	u.ranges = nil
	sum := sha256.New()
	store := io.TeeReader(f, sum)
	if err := u.start(ctx); err != nil {
		return err
	}
	if err := u.prepareAll(ctx); err != nil {
		return errors.Join(err, u.statements.Close(), u.exec(context.WithoutCancel(ctx), "ROLLBACK"), u.release(ctx))
	}
	defer func() { err = errors.Join(err, u.statements.Close()) }()
	err = pamio.ReadStore(store, pamio.Visitor{
		Memory:     func(e pamio.Element) error { return u.memory(ctx, e) },
		IndexEntry: func(e pamio.Element) error { return u.conversation(ctx, e) },
	})
	if err == nil {
		_, err = io.Copy(io.Discard, store)
	}
	if err == nil {
		err = u.readChanged(ctx)
	}
	if err == nil {
		err = u.finish(ctx, hex.EncodeToString(sum.Sum(nil)))
	}
	if err != nil {
		return errors.Join(err, u.exec(context.WithoutCancel(ctx), "ROLLBACK"), u.release(ctx))
	}
	return u.release(ctx)
}

// start starts the first transaction. Until the index is closed or the update is done, no other
// process has the file, not even between two transactions. While the index changes it has no
// digest; that words have gone is remembered if the update is interrupted.
func (u *update) start(ctx context.Context) error {
	if err := u.exec(ctx, "PRAGMA locking_mode=EXCLUSIVE"); err != nil {
		return err
	}
	if err := u.begin(ctx); err != nil {
		return errors.Join(err, u.release(ctx))
	}
	err := u.conn.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM meta WHERE key='gone'), coalesce((SELECT max(base + messages) FROM conversations), 0) + 1`).Scan(&u.hasGone, &u.next)
	if err == nil {
		u.memories, u.talks, err = u.readKnown(ctx)
	}
	if err == nil {
		err = u.exec(ctx, `DELETE FROM meta WHERE key='digest'`)
	}
	if err != nil {
		return errors.Join(err, u.exec(context.WithoutCancel(ctx), "ROLLBACK"), u.release(ctx))
	}
	return nil
}

// release lets other processes have the file. SQLite does so when the file is read next.
func (u *update) release(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if err := u.exec(ctx, "PRAGMA locking_mode=NORMAL"); err != nil {
		return err
	}
	_, err := u.meta(ctx, "digest")
	return err
}

// commit makes what was done so far last, when it is enough.
func (u *update) commit(ctx context.Context, bytes int64) error {
	u.TextBytes += bytes
	if u.pending += bytes; u.pending < commitBytes {
		return ctx.Err()
	}
	u.pending = 0
	if err := u.exec(ctx, "COMMIT"); err != nil {
		return err
	}
	return u.exec(ctx, "BEGIN IMMEDIATE")
}

// finish removes what was not seen, and the last trace of words that are gone.
func (u *update) finish(ctx context.Context, digest string) error {
	if err := u.removeUnseen(ctx); err != nil {
		return err
	}
	if err := u.updateVectors(ctx); err != nil {
		return err
	}
	if u.hasGone {
		if err := u.purge(ctx); err != nil {
			return err
		}
	}
	if err := u.writeRanges(ctx); err != nil {
		return err
	}
	if err := u.exec(ctx, `INSERT OR REPLACE INTO meta VALUES ('digest', ?)`, digest); err != nil {
		return err
	}
	if err := u.exec(ctx, "COMMIT"); err != nil {
		return err
	}
	if u.hasGone {
		return u.exec(ctx, "PRAGMA incremental_vacuum")
	}
	return nil
}

// removeUnseen removes what the bundle has no longer.
func (u *update) removeUnseen(ctx context.Context) error {
	for _, k := range u.memories {
		if k.seen {
			continue
		}
		u.Removed++
		if err := errors.Join(u.markGone(ctx), u.removeMemory(ctx, k.id)); err != nil {
			return err
		}
	}
	for _, k := range u.talks {
		if k.seen {
			continue
		}
		u.Removed++
		var messages int64
		err := u.conn.QueryRowContext(ctx, `SELECT messages FROM conversations WHERE base=?`, k.id).Scan(&messages)
		if err := errors.Join(err, u.markGone(ctx), u.removeConversation(ctx, k.id, messages)); err != nil {
			return err
		}
	}
	return nil
}

// purge merges the words into one segment: until then, FTS5 only marks rows as deleted and keeps
// their words.
func (u *update) purge(ctx context.Context) error {
	for _, s := range []string{
		`INSERT INTO words(words) VALUES ('optimize')`, `INSERT INTO memory_words(memory_words) VALUES ('optimize')`,
		`DELETE FROM meta WHERE key='gone'`,
	} {
		if err := u.exec(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// markGone remembers that words are gone from the bundle, also for the update after an
// interruption.
func (u *update) markGone(ctx context.Context) error {
	if u.hasGone {
		return nil
	}
	u.hasGone = true
	return u.exec(ctx, `INSERT OR REPLACE INTO meta VALUES ('gone', 1)`)
}

// meta reads a value of the index itself; "" when there is none.
func (x *Index) meta(ctx context.Context, key string) (value string, err error) {
	row := x.conn.QueryRowContext(ctx, `SELECT coalesce((SELECT value FROM meta WHERE key=?), '')`, key)
	return value, row.Scan(&value)
}
