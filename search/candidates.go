package search

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
)

// candidate is a conversation with rows that have the words.
type candidate struct {
	*rowRange
	// hasTitle: its title has them. messages are the places of the messages that have them, from the
	// last one to the first.
	hasTitle bool
	messages []int
	weight   float64
	// name and the like are what the index knows of the conversation, once it is to be read; hits are
	// what was found. isCut tells that not all messages were looked into.
	name, ref, provider, title, created string
	hits                                []Hit
	isCut                               bool
}

// Rows are asked for in pages, the newest first, until enough of them fit the options.
const (
	rowPage    = 2000
	enoughRows = 1000
)

// candidates asks FTS5 for rows with the words, and orders their conversations: the newest first, or
// those first that say the words in the title, often, and in much of what they say. Older rows than
// row are there for a later call, unless it is 0.
func (f *finding) candidates(ctx context.Context, loose looseness, enough int) (all []candidate, row int64, err error) {
	ranges, err := f.readRanges(ctx)
	if err != nil {
		return nil, 0, err
	}
	row = math.MaxInt64
	for fit := 0; row > 0 && (fit < enough || f.o.Limit == 0); {
		rows, err := f.rows(ctx, loose, row)
		if err != nil {
			return nil, 0, err
		}
		if row = 0; len(rows) == rowPage {
			row = rows[len(rows)-1]
		}
		for _, row := range rows {
			n := len(all)
			if n == 0 || row < all[n-1].base {
				r := ranges.of(row)
				if r == nil || !f.isWanted(ranges, r) {
					continue
				}
				all = append(all, candidate{rowRange: r})
				n++
			}
			fit++
			if c := &all[n-1]; row == c.base {
				c.hasTitle = true
			} else if row <= c.base+c.rowRange.messages {
				c.messages = append(c.messages, int(row-c.base)-1)
			}
		}
		f.matched = fit
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
	return all, row, nil
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

// rows is a page of the rows with the words, the newest first, below a row.
func (f *finding) rows(ctx context.Context, loose looseness, below int64) (list []int64, err error) {
	expression := f.query.expression(loose)
	if f.o.Role != "" {
		expression = "(" + expression + `) AND "` + markRole + f.o.Role + `"`
	}
	rows, err := f.conn.QueryContext(ctx, `SELECT rowid FROM words WHERE words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?`, expression, below, rowPage)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var row int64
		if err := rows.Scan(&row); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, rows.Err()
}
