package gemini

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// gathering is the group that is being read from the sorter.
type gathering struct {
	s          *splitter
	rows       []sortedRow
	first      sortedRow // without its bytes, for a group that is too big
	size       int64
	count      int
	occurrence int
}

// conversations gives a unit for each group.
func (s *splitter) conversations() bool {
	g := gathering{s: s}
	for rec, err := range s.sorter.Sorted() {
		if err == nil {
			err = s.ctx.Err()
		}
		if err != nil {
			return s.yield(importer.Unit{}, err)
		}
		r, err := parseSorted(rec)
		if err != nil {
			return s.yield(importer.Unit{}, err)
		}
		if !g.take(r) {
			return false
		}
	}
	return g.flush()
}

// take adds the next row, or ends the group and starts another one with it.
func (g *gathering) take(r sortedRow) bool {
	if g.count > 0 {
		same := g.first.class == r.class && g.first.group == r.group
		if last := len(g.rows) - 1; same && last >= 0 && g.rows[last].at == r.at && g.rows[last].digest == r.digest {
			g.s.members[r.member].count(skipDuplicate)
			if err := g.s.large.load(&r); err != nil {
				return g.s.yield(importer.Unit{}, err)
			}
			if bytes.Compare(r.raw, g.rows[last].raw) < 0 {
				g.rows[last].raw = bytes.Clone(r.raw) // the same value in another spelling: always the same one is kept
			}
			return true
		}
		// Of prompts that are alike, those of one moment are held at once.
		if !same || !r.class.groups() && g.first.at != r.at {
			if !g.flush() {
				return false
			}
			if !same {
				g.occurrence = 0
			}
			g.start(r)
		}
	} else {
		g.start(r)
	}
	g.count++
	g.size += r.size + 1
	if g.size > g.s.limits.MaxConversation {
		if !r.class.groups() {
			if !g.flush() {
				return false
			}
			g.start(r)
			g.count, g.size = 1, r.size+1
		} else {
			g.rows = nil
			return true
		}
	}
	if memory := g.s.limits.Memory; memory != nil {
		if err := memory.Hold(g.s.ctx, g.size); err != nil {
			return g.s.yield(importer.Unit{}, err)
		}
	}
	if err := g.s.large.load(&r); err != nil {
		return g.s.yield(importer.Unit{}, err)
	}
	if r.size < largeRow {
		r.raw = bytes.Clone(r.raw)
	}
	g.rows = append(g.rows, r)
	return true
}

func (g *gathering) start(r sortedRow) {
	g.first, g.rows, g.size, g.count = r, g.rows[:0], 0, 0
	g.first.raw = nil
}

// flush gives the units of the group.
func (g *gathering) flush() bool {
	if g.count == 0 {
		return true
	}
	rows := g.rows
	g.count, g.rows = 0, nil
	switch {
	case g.first.class.groups() && g.size > g.s.limits.MaxConversation:
		u := g.s.unit(g.first.member)
		u.Index, u.Offset = g.first.index, g.first.offset
		u.Err = &importer.UnitError{
			Member: u.Member.Name, Index: u.Index, Offset: u.Offset, Size: g.size, Code: cut.CodeTooBig,
			Reason: fmt.Sprintf("the rows of one conversation have %d bytes, more than the limit of %d; raise limits.max_conversation to read it", g.size, g.s.limits.MaxConversation),
		}
		return g.s.yield(u, nil)
	case g.first.class == looseEvent || !slices.ContainsFunc(rows, func(r sortedRow) bool { return !r.event }):
		for _, r := range rows {
			if !g.give(roleEvent, 1, r) {
				return false
			}
		}
		return true
	}
	g.untie(rows)
	role := roleRows
	if g.first.class == cellsByID || g.first.class == cellByPrompt {
		role = roleCells
	}
	if g.first.class.groups() {
		return g.give(role, 1, rows...)
	}
	for _, r := range rows {
		g.occurrence++
		if !g.give(role, g.occurrence, r) {
			return false
		}
	}
	return true
}

// give yields the unit of some rows, at the place of the first.
func (g *gathering) give(role string, occurrence int, rows ...sortedRow) bool {
	u := g.s.unit(rows[0].member)
	u.Role, u.Index, u.Offset, u.Context = role, rows[0].index, rows[0].offset, g.s.context(occurrence)
	if role == roleEvent {
		u.Raw = rows[0].raw
		return g.s.yield(u, nil)
	}
	size := 1
	for i := range rows {
		size += len(rows[i].raw) + 1
	}
	u.Raw = append(make([]byte, 0, size), '[')
	for i := range rows {
		if i > 0 {
			u.Raw = append(u.Raw, ',')
		}
		u.Raw = append(u.Raw, rows[i].raw...)
	}
	u.Raw = append(u.Raw, ']')
	return g.s.yield(u, nil)
}

// untie orders rows of the same time: a log has the newest first. Of several logs, that with the
// older rows comes first; where that does not tell, the rows themselves decide, never the order in
// which the logs were given.
func (g *gathering) untie(rows []sortedRow) {
	for i := 0; i < len(rows); {
		k := i + 1
		for k < len(rows) && rows[k].at == rows[i].at {
			k++
		}
		if tied := rows[i:k]; len(tied) > 1 {
			lead := map[int][16]byte{} // the least digest of a log's rows among them
			for _, r := range tied {
				if d, ok := lead[r.member]; !ok || bytes.Compare(r.digest[:], d[:]) < 0 {
					lead[r.member] = r.digest
				}
			}
			slices.SortStableFunc(tied, func(a, b sortedRow) int {
				if a.member == b.member {
					return b.index - a.index
				}
				x, y := &g.s.members[a.member], &g.s.members[b.member]
				da, db := lead[a.member], lead[b.member]
				return cmp.Or(x.oldest.Compare(y.oldest), x.newest.Compare(y.newest), bytes.Compare(da[:], db[:]))
			})
		}
		i = k
	}
}
