package search

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
)

// candidate is a conversation with rows that have the words.
type candidate struct {
	*rowRange
	// hasTitle: its title has them. messages are the places of the messages that have them, from
	// the last one to the first.
	hasTitle bool
	messages []int
	weight   float64
	// name and the like are what the index knows of the conversation, once it is to be read; hits
	// are what was found. isCut tells that not all messages were looked into.
	name, ref, provider, title, created string
	places                              []byte
	hits                                []Hit
	isCut                               bool
}

// enoughRows is how many rows that fit the options are enough: the newest ones.
const enoughRows = 2000

// candidates asks FTS5 for rows with the words, and orders their conversations: the newest first,
// or those first that say the words in the title, often, and in much of what they say. older is the
// newest row with the words of the conversations that were not asked for, 0 if there is none. No
// row is asked for that is newer than newest.
func (f *finding) candidates(ctx context.Context, loose looseness, enough int, newest int64) (all []candidate, older int64, err error) {
	ranges, err := f.readRanges(ctx)
	if err != nil {
		return nil, 0, err
	}
	rows, err := f.rows(ctx, loose, newest)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	f.matched = 0
	for rows.Next() {
		var row int64
		if err := rows.Scan(&row); err != nil {
			return nil, 0, err
		}
		if !f.hasRole(ranges, row) {
			continue
		}
		n := len(all)
		if n == 0 || row < all[n-1].base {
			if f.matched >= enough && f.o.Limit > 0 {
				older = row
				break
			}
			r := ranges.of(row)
			if r == nil || !f.isWanted(ranges, r) {
				continue
			}
			all = append(all, candidate{rowRange: r})
			n++
		}
		f.matched++
		if c := &all[n-1]; row == c.base {
			c.hasTitle = true
		} else if row <= c.base+c.rowRange.messages {
			c.messages = append(c.messages, int(row-c.base)-1)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, 0, err
	}
	for i := range all {
		all[i].weigh()
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		if f.o.ByTime {
			return cmp.Compare(b.latest, a.latest)
		}
		return cmp.Compare(b.weight, a.weight)
	})
	return all, older, nil
}

// weigh estimates how much of a conversation is about the words.
func (c *candidate) weigh() {
	n, all := float64(len(c.messages)), float64(c.rowRange.messages+1)
	c.weight = n/(n+2) + math.Sqrt(n/all)
	if c.hasTitle {
		c.weight++
	}
}

// isWanted tells whether a conversation may have what the options ask for.
func (f *finding) isWanted(all *ranges, r *rowRange) bool {
	switch {
	case f.o.Provider != "" && all.platforms[r.platform] != f.o.Provider:
		return false
	case f.o.Since != 0 && r.latest < f.o.Since, f.o.Until != 0 && r.earliest >= f.o.Until:
		return false
	}
	return true
}

// hasRole tells whether a row may be a message of the role that is asked for.
func (f *finding) hasRole(all *ranges, row int64) bool {
	code := roleCode(f.o.Role)
	if code == 0 {
		return true // the marker of a rare role is part of the query
	}
	r := all.of(row)
	if r == nil || row == r.base {
		return false
	}
	at := row - r.base - 1
	return at < int64(len(r.roles)) && r.roles[at] == code
}

// rows are the rows with the words from the newest one on, the newest first.
func (f *finding) rows(ctx context.Context, loose looseness, newest int64) (*sql.Rows, error) {
	expression, err := f.expression(ctx, loose)
	if err != nil {
		return nil, err
	}
	if f.o.Role != "" && roleCode(f.o.Role) == 0 {
		expression = "(" + expression + `) AND "` + markRole + f.o.Role + `"`
	}
	return f.conn.QueryContext(ctx, `SELECT rowid FROM words WHERE words MATCH ? AND rowid <= ? ORDER BY rowid DESC`, expression, newest)
}
