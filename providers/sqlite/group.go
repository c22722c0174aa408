package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/pamline/pamline/pamio/extsort"
)

// Source is a table whose rows belong to groups.
type Source struct {
	Table string
	// Key are the columns that name the group, or, with Of, the row of another source.
	Key []string
	// Of is the index of the source in the list whose rows these hang on, by its ID column; -1 for
	// none.
	Of int
	// ID is the column by which rows of other sources name a row of this one; "" when none do.
	ID string
}

// Group is the rows of some sources that share a key, by source and in the order of their numbers.
type Group struct {
	// Key has the values of the key columns as text, each behind "=" , or [NoKey].
	Key  []string
	Rows [][]Row
	// Size is the bytes of all values.
	Size int64
	// TooBig: the rows are more than the limit of one conversation, and only the first of them are
	// in Rows.
	TooBig bool
	// Lost: the rows hang on rows that are not there.
	Lost bool
}

// NoKey stands for a key that is NULL, or longer than any key is.
const NoKey = noKey

const noKey = "-"

// rowCost is what a row takes beside its values.
const rowCost = 64

// Groups yields the rows of sources by key. It sorts outside of memory, so that neither a missing
// index nor the size of a table matters. An *Error stands for rows that cannot be read; the others
// go on.
func (d *DB) Groups(ctx context.Context, sources ...Source) iter.Seq2[Group, error] {
	return func(yield func(Group, error) bool) {
		g := &grouping{db: d, ctx: ctx, sources: sources, yield: yield}
		defer g.close()
		if g.collect() && g.settle() {
			g.emit()
		}
	}
}

type grouping struct {
	db      *DB
	ctx     context.Context
	sources []Source
	yield   func(Group, error) bool
	final   *extsort.Sorter
	parents map[int]*extsort.Sorter // by the source whose rows are named
}

func (g *grouping) close() {
	for _, s := range g.parents {
		_ = s.Close() // the folder of scratch files is emptied anyway
	}
	if g.final != nil {
		_ = g.final.Close() // as above
	}
}

// fails reports an error that ends the grouping.
func (g *grouping) fails(err error) bool {
	g.yield(Group{}, fmt.Errorf("sort rows: %w", err))
	return false
}

// collect reads the keys of all sources. The key of a record is the group's, then source and
// number.
func (g *grouping) collect() bool {
	g.final = extsort.New(g.db.limits.Scratch, 8<<20)
	g.parents = map[int]*extsort.Sorter{}
	for _, s := range g.sources {
		if s.Of >= 0 && g.parents[s.Of] == nil {
			g.parents[s.Of] = extsort.New(g.db.limits.Scratch, 8<<20)
		}
	}
	for i, s := range g.sources {
		if !g.db.Has(s.Table) {
			continue
		}
		columns := slices.Clone(s.Key)
		named := g.parents[i] != nil
		if named {
			columns = append(columns, s.ID)
		}
		text, err := g.db.keys(g.ctx, s.Table, columns)
		if err != nil {
			if !g.yield(Group{}, err) || g.ctx.Err() != nil {
				return false
			}
			continue
		}
		var failed error
		going := true
		g.db.scan(g.ctx, text, func(id, size int64, keys []string) bool {
			key := encode(keys[:len(s.Key)])
			if s.Of >= 0 {
				failed = g.parents[s.Of].Add(entry(key, i, id), binary.AppendVarint(nil, size))
				return failed == nil
			}
			if failed = g.final.Add(entry(key, i, id), binary.AppendVarint(nil, size)); failed == nil && named {
				failed = g.parents[i].Add(entry(encode(keys[len(s.Key):]), i, id), key)
			}
			return failed == nil
		}, func(err error) bool {
			going = g.yield(Group{}, err)
			return going
		})
		if failed != nil {
			return g.fails(failed)
		}
		if !going || g.ctx.Err() != nil {
			return false
		}
	}
	return true
}

// settle gives the rows that hang on rows the key of those.
func (g *grouping) settle() bool {
	for _, of := range slices.Sorted(maps.Keys(g.parents)) {
		var at, key []byte
		for r, err := range g.parents[of].Sorted() {
			if err != nil {
				return g.fails(err)
			}
			name, source, id := split(r.Key)
			if source == of {
				at, key = bytes.Clone(name), bytes.Clone(r.Value)
				continue
			}
			to := lost
			if at != nil && bytes.Equal(at, name) && !bytes.Equal(name, nobody) {
				to = key
			}
			if err := g.final.Add(entry(to, source, id), r.Value); err != nil {
				return g.fails(err)
			}
		}
	}
	return true
}

// emit yields the groups.
func (g *grouping) emit() {
	var group Group
	var at []byte
	for r, err := range g.final.Sorted() {
		if err != nil {
			g.fails(err)
			return
		}
		if err := g.ctx.Err(); err != nil {
			g.yield(Group{}, err)
			return
		}
		key, source, id := split(r.Key)
		if at == nil || !bytes.Equal(at, key) {
			if at != nil && !g.yield(group, nil) {
				return
			}
			at = bytes.Clone(key)
			group = Group{Key: decode(key), Rows: make([][]Row, len(g.sources)), Lost: bytes.Equal(key, lost)}
		}
		size, _ := binary.Varint(r.Value)
		group.Size += size + rowCost
		if group.Size > g.db.limits.MaxConversation {
			group.TooBig = true
			continue
		}
		group.Rows[source] = append(group.Rows[source], Row{g.sources[source].Table, id, size})
	}
	if at != nil {
		g.yield(group, nil)
	}
}
