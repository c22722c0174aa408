package assemble

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pamline/pamline/normalize"
)

func (m *plainMemory) slot() (slot normalize.Slot) {
	for _, s := range m.known {
		if s.c.Slot != nil {
			slot = plainSlot(slot, *s.c.Slot)
		}
	}
	return slot
}

// plainSlot is the first slot; its value is beside others if it is so wherever it is told.
func plainSlot(first, next normalize.Slot) normalize.Slot {
	if first.Attribute == "" {
		return next
	}
	if first.Attribute == next.Attribute && first.Value == next.Value {
		first.Beside = first.Beside && next.Beside
	}
	return first
}

// contains tells whether the words of a are more than those of b, and all of those among them.
func contains(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	slices.Sort(x)
	slices.Sort(y)
	x, y = slices.Compact(x), slices.Compact(y)
	for _, w := range y {
		if !slices.Contains(x, w) {
			return false
		}
	}
	return len(x) > len(y)
}

func words(s string) []string {
	w := strings.Fields(s)
	slices.Sort(w)
	return slices.Compact(w)
}

func (p *plainResolver) slots(comps []*plainComponent) {
	var with []*plainComponent
	for i, c := range comps {
		c.place = i
		if c.rep.current && !c.removed && c.slot.Attribute != "" && plainConfidence(c.members) >= .5 {
			with = append(with, c)
		}
	}
	chained := func(c *plainComponent) bool { return c.slot.One && !c.slot.Beside && !c.negative }
	for _, c := range with {
		var longest *plainComponent
		for _, o := range with {
			if o.slot.Attribute != c.slot.Attribute || o.negative != c.negative || chained(o) != chained(c) || !chained(c) && o.rep.typ != c.rep.typ ||
				!contains(c.slot.Value, o.slot.Value) {
				continue
			}
			if longest == nil || cmp.Or(len(words(longest.slot.Value))-len(words(o.slot.Value)),
				strings.Compare(strings.Join(words(o.slot.Value), " "), strings.Join(words(longest.slot.Value), " ")),
				strings.Compare(o.rep.id, longest.rep.id)) < 0 {
				longest = o
			}
		}
		if longest == nil {
			continue
		}
		p.relate(c.rep.id, longest.rep.id, "extends")
		if chained(c) {
			from, to := c.place, longest.place
			for _, o := range comps {
				if o.place == from {
					o.place = to
				}
			}
		}
	}
	for _, a := range with {
		for _, b := range with {
			if a.slot.Attribute == b.slot.Attribute && a.slot.Value == b.slot.Value && a.negative && !b.negative {
				switch {
				case a.latest.before(b.latest):
					a.losesTo = append(a.losesTo, loss{to: b, reason: "opposite"})
				case b.latest.before(a.latest):
					b.losesTo = append(b.losesTo, loss{to: a, reason: "opposite"})
				default:
					p.relate(min(a.rep.id, b.rep.id), max(a.rep.id, b.rep.id), "contradicts")
				}
			}
		}
	}
	p.chain(with, chained)
	for _, c := range with {
		for i, l := range c.losesTo {
			p.relate(l.to.rep.id, c.rep.id, "supersedes")
			since := l.to.first
			if l.followed = l.to.latest.t != "" && l.to.latest == c.latest && c.from.t != "" && c.from.before(l.to.from); l.followed || c.first.real().before(l.to.from.real()) {
				since = l.to.from
			}
			c.losesTo[i].followed = l.followed
			c.losesTo[i].since = since
			if l.to.from.t == "" && !since.asOf && c.first.real().before(since) {
				l.to.started = since
			}
		}
	}
}

func (p *plainResolver) chain(with []*plainComponent, chained func(*plainComponent) bool) {
	newest := map[int]*plainComponent{} // of a place
	for _, c := range with {
		if n := newest[c.place]; chained(c) && (n == nil || n.latest.before(c.latest) || n.latest == c.latest && c.rep.id < n.rep.id) {
			newest[c.place] = c
		}
	}
	told := func(c *plainComponent) bool { return c.latest.t != "" && c.from.t != "" }
	// All places of one time say when they began.
	begin := func(c *plainComponent) bool {
		for _, n := range newest {
			if n.slot.Attribute == c.slot.Attribute && n.latest == c.latest && !told(n) {
				return false
			}
		}
		return true
	}
	older := func(a, b *plainComponent) bool {
		if a.latest != b.latest {
			return a.latest.before(b.latest)
		}
		return begin(a) && a.from.before(b.from)
	}
	leads := func(a, b *plainComponent) bool { // among those of one time
		switch {
		case told(a) != told(b):
			return told(b)
		case told(a) && a.from != b.from:
			return b.from.before(a.from)
		}
		return a.rep.id < b.rep.id
	}
	for _, c := range with {
		if !chained(c) {
			continue
		}
		mine := newest[c.place]
		var next *plainComponent
		head := mine
		for _, n := range newest {
			if n.slot.Attribute != c.slot.Attribute {
				continue
			}
			if !older(n, mine) && !older(mine, n) && leads(n, head) {
				head = n
			}
			if older(mine, n) && (next == nil || older(n, next) || !older(next, n) && leads(n, next)) {
				next = n
			}
		}
		if next != nil {
			c.losesTo = append(c.losesTo, loss{to: next, reason: "newer-value"})
		}
		p.relate(min(head.rep.id, mine.rep.id), max(head.rep.id, mine.rep.id), "contradicts")
	}
}
