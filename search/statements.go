package search

import (
	"context"
	"database/sql"
	"errors"
)

// statements are what an update runs once for each row: SQLite parses them once.
type statements struct {
	addWords, addTalk, addPairs           *sql.Stmt
	nextMemory, addMemory, addMemoryWords *sql.Stmt
}

func (u *update) prepareAll(ctx context.Context) (err error) {
	for _, s := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&u.addWords, `INSERT INTO words(rowid, text) VALUES (?,?)`},
		{&u.addTalk, `INSERT INTO conversations (base, name, ref, platform, title, created, messages, earliest, latest, roles, texts, places) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)`},
		{&u.addPairs, `INSERT INTO pairs (base, filters) VALUES (?,?)`},
		{&u.nextMemory, `SELECT coalesce(max(id) + 1, ?1) FROM memories WHERE id BETWEEN ?1 AND ?2`},
		{&u.addMemory, `INSERT OR IGNORE INTO memories (id, name, element, content, type, status, platform, created, at, conversation, message) VALUES (?,?,?,?,?,?,?,?,?,?,?)`},
		{&u.addMemoryWords, `INSERT INTO memory_words(rowid, text) VALUES (?,?)`},
	} {
		if *s.to, err = u.conn.PrepareContext(ctx, s.text); err != nil {
			return err
		}
	}
	return nil
}

// Close closes what was prepared.
func (s *statements) Close() (err error) {
	for _, one := range []*sql.Stmt{s.addWords, s.addTalk, s.addPairs, s.nextMemory, s.addMemory, s.addMemoryWords} {
		if one != nil {
			err = errors.Join(err, one.Close())
		}
	}
	return err
}
