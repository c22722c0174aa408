package assemble

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
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

func (m *plainMemory) negative() bool {
	return slices.ContainsFunc(m.known, func(s plainSighting) bool { return s.c.Negative })
}

func (m *plainMemory) language() string {
	for _, s := range m.known {
		if s.c.Language != "" {
			return s.c.Language
		}
	}
	return ""
}

// replaced tells whether the person put another memory in its place, and nothing newer speaks for
// it.
func (m *plainMemory) replaced() bool {
	e := m.lastEdit()
	_, latest := m.span()
	return e != nil && e.Action == EditReplace && !stampOf(e.At, true).before(latest)
}

func (p *plainResolver) components() []*plainComponent {
	parent := map[string]string{}
	var root func(id string) string
	root = func(id string) string {
		if parent[id] != id {
			return root(parent[id])
		}
		return id
	}
	for _, id := range p.ids {
		m := p.memories[id]
		parent[id] = id
		m.known = distinct(m.seen)
		m.current = len(m.seen) > 0 || affirms(m.lastEdit())
		if len(m.seen) == 0 {
			m.known = distinct(m.past)
		}
		m.content = m.known[0].c.Content
	}
	for _, id := range p.ids {
		for _, to := range p.ids {
			a, b := p.memories[id], p.memories[to]
			if a.current && b.current && p.same(a, b) {
				parent[root(id)] = root(to)
			}
		}
	}
	groups := map[string]*plainComponent{}
	var out []*plainComponent
	for _, id := range p.ids {
		r := root(id)
		if groups[r] == nil {
			groups[r] = &plainComponent{}
			out = append(out, groups[r])
		}
		m := p.memories[id]
		m.comp = groups[r]
		m.comp.members = append(m.comp.members, m)
	}
	for _, c := range out {
		slices.SortFunc(c.members, func(a, b *plainMemory) int {
			if x, y := a.replaced(), b.replaced(); x != y {
				if x {
					return 1
				}
				return -1
			}
			x, _ := a.span()
			y, _ := b.span()
			if x != y {
				if x.asOf, y.asOf = false, false; x == y {
					return strings.Compare(a.id, b.id)
				}
				if y.t == "" || x.t != "" && x.before(y) {
					return -1
				}
				return 1
			}
			return strings.Compare(a.id, b.id)
		})
		c.rep = c.members[0]
		c.negative = c.rep.negative()
		for _, m := range c.members {
			first, latest := m.span()
			if first.t != "" && (c.first.t == "" || first.earlier(c.first)) {
				c.first = first
			}
			if c.latest.before(latest) {
				c.latest = latest
			}
			c.slot = plainSlot(c.slot, m.slot())
			for _, s := range m.known {
				c.event = c.event || s.c.Event
				if from := stampOf(s.c.ValidFrom, false); from.t != "" && (c.from.t == "" || from.before(c.from)) {
					c.from = from
				}
				if until := stampOf(s.c.ValidUntil, false); c.until.before(until) {
					c.until = until
				}
			}
			if e := m.lastEdit(); e != nil && (c.edit == nil || laterEdit(e, c.edit)) {
				c.edit = e
			}
		}
		if e := c.edit; e != nil {
			c.removed = e.Action == EditArchive || (e.Action == EditRetract || e.Action == EditReplace) && !stampOf(e.At, true).before(c.latest)
		}
	}
	return out
}

// same tells whether two memories say the same.
func (p *plainResolver) same(a, b *plainMemory) bool {
	x, y := a.slot(), b.slot()
	if a.negative() != b.negative() {
		return false
	}
	if x.Attribute != "" && y.Attribute != "" {
		return x.Attribute == y.Attribute && x.Value == y.Value
	}
	if l, m := a.language(), b.language(); a.typ != b.typ || l != m && l != "" && m != "" {
		return false
	}
	v, w := p.vectors[a.id], p.vectors[b.id]
	near := v != nil && w != nil && plainCosine(v, w) >= .92
	return nearTexts(a.content, b.content, !near)
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
		for _, l := range c.losesTo {
			p.relate(l.to.rep.id, c.rep.id, "supersedes")
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
	for _, c := range with {
		if !chained(c) {
			continue
		}
		mine := newest[c.place]
		var next *plainComponent
		least := mine.rep.id
		for _, n := range newest {
			if n.slot.Attribute != c.slot.Attribute {
				continue
			}
			if n.latest == mine.latest {
				least = min(least, n.rep.id)
			}
			if mine.latest.before(n.latest) && (next == nil || n.latest.before(next.latest) || n.latest == next.latest && n.rep.id < next.rep.id) {
				next = n
			}
		}
		if next != nil {
			c.losesTo = append(c.losesTo, loss{to: next, reason: "newer-value"})
		}
		p.relate(least, mine.rep.id, "contradicts")
	}
}

// takesBack tells whether a retraction is about a memory.
func takesBack(r *normalize.Candidate, m *plainMemory) bool {
	slot := m.slot()
	if s := r.Slot; s != nil && s.Attribute != "" && slot.Attribute == s.Attribute && (s.Value == "" || s.Value == slot.Value && r.Negative == m.negative()) {
		return true
	}
	for _, e := range r.Ends {
		if endingNames(&e, m, true) {
			return true
		}
	}
	return r.Content != "" && normalize.MemoryID(r.Type, r.CustomType, pamio.ContentHash(r.Content)) == m.id
}

func (p *plainResolver) judge(c *plainComponent, retractions []plainSighting) {
	f := &c.fact
	var hit, gone stamp
	if c.rep.current {
		for _, r := range retractions {
			for _, m := range c.members {
				if takesBack(&r.c, m) && !r.at.before(c.latest) &&
					(hit.t == "" || r.at.before(hit) || r.at == hit && stampOf(r.c.ValidUntil, false).before(gone)) {
					hit, gone = r.at, stampOf(r.c.ValidUntil, false)
				}
			}
		}
	}
	slices.SortFunc(c.losesTo, func(a, b loss) int {
		return cmp.Or(a.order().compare(b.order()), strings.Compare(a.to.rep.id, b.to.rep.id), a.until.compare(b.until))
	})
	f.From, f.Until = c.from.String(), c.until.String()
	listed, newest := c.rep.current, stamp{}
	for _, m := range c.members {
		for i := range m.edits {
			listed = listed && !affirms(&m.edits[i])
		}
		for _, s := range m.seen {
			last := p.lists[s.e.Listing]
			stood := stampOf(cmp.Or(s.e.ListedAt, s.e.ObservedAt), false)
			listed = listed && s.e.Listing != "" && stood.t != "" && stood.before(last)
			if newest.before(last) {
				newest = last
			}
		}
	}
	changed := stamp{}
	switch {
	case c.removed:
		changed = stampOf(c.edit.At, true)
		f.Reason, f.StatusBy = "edit", changed.String()
		switch c.edit.Action {
		case EditRetract:
			f.Status = "retracted"
		case EditArchive:
			f.Status = "archived"
		default:
			n := p.memory(normalize.Candidate{Type: c.edit.Type, Content: c.edit.Content}).comp
			f.Status, f.SupersededBy, f.Until = "superseded", n.rep.id, changed.String()
			p.relate(n.rep.id, c.rep.id, "supersedes")
		}
	case !c.rep.current:
		f.Status, f.Reason = "archived", "no-evidence"
	case hit.t != "":
		f.Status, f.Reason, f.StatusBy, changed = "retracted", "retracted", hit.String(), hit
		f.Until = cmp.Or(gone.String(), f.Until)
	case len(c.losesTo) > 0:
		l := c.losesTo[0]
		if l.reason == "ended" {
			f.Status, f.Reason, f.SupersededBy, f.Until, changed = "superseded", l.reason, l.to.rep.id, l.until.String(), l.at
			if !c.first.real().before(l.until) {
				f.Until = l.at.String()
			}
			p.relate(l.to.rep.id, c.rep.id, "supersedes")
			break
		}
		f.Status, f.Reason, f.SupersededBy, f.Until, changed = "superseded", l.reason, l.to.rep.id, l.to.first.String(), l.to.latest
	case listed:
		f.Status, f.Reason, changed = "deprecated", "vanished", newest
	case c.until.t != "" && !p.newest.before(c.until):
		f.Status, f.Reason, changed = "archived", "over", c.until
	default:
		f.Status = "active"
	}
	for _, m := range c.members {
		for _, s := range m.known {
			for _, d := range s.c.DerivedFrom {
				if p.memories[d] != nil {
					p.relate(m.id, d, "derived_from")
				}
			}
		}
		if m != c.rep {
			p.relate(m.id, c.rep.id, "supports")
		}
	}
	if f.Updated = c.latest.String(); c.latest.real().before(changed.real()) {
		f.Updated = changed.String()
	}
}

func (p *plainResolver) sawTime(t stamp) {
	t.asOf = false
	if p.newest.before(t) {
		p.newest = t
	}
}

func (a stamp) compare(b stamp) int {
	switch {
	case a.before(b):
		return -1
	case b.before(a):
		return 1
	}
	return 0
}

// order is the time by which the first of several losses counts.
func (l loss) order() stamp {
	if l.reason == "ended" {
		return l.at
	}
	return l.to.latest
}

// endingNames tells whether an ending is about a memory; what is taken back as a whole may be
// denied, too.
func endingNames(e *normalize.Ending, m *plainMemory, denied bool) bool {
	if e.Attribute == "" {
		return endingNamesSlot(e, m, m.slot(), m.negative(), denied)
	}
	slots := []normalize.Slot{m.slot()}
	negative := []bool{m.negative()}
	if m.negative() && m.slot().Attribute != "" {
		opposite := m.slot()
		opposite.Attribute = "!" + opposite.Attribute
		slots, negative = append(slots, opposite), append(negative, false)
	}
	for _, s := range m.known {
		for _, n := range s.c.Entities {
			slots = append(slots, normalize.Slot{Attribute: "entity." + n.Relation, Value: normalize.FoldValue(n.Name)})
			negative = append(negative, false)
		}
	}
	for i, slot := range slots {
		below, wild := strings.CutSuffix(e.Attribute, "*")
		if slot.Attribute == e.Attribute || wild && strings.HasPrefix(slot.Attribute, below) {
			if endingNamesSlot(e, m, slot, negative[i], denied) {
				return true
			}
		}
	}
	return false
}

// endingNamesSlot is endingNames for one slot of a memory.
func endingNamesSlot(e *normalize.Ending, m *plainMemory, slot normalize.Slot, negative, denied bool) bool {
	if e.Name != "" {
		return strings.Contains(" "+normalize.FoldValue(m.content)+" ", " "+e.Name+" ")
	}
	if e.Value == "" {
		return denied || !negative
	}
	same := strings.Join(words(e.Value), " ") == strings.Join(words(slot.Value), " ")
	return !negative && (same || contains(e.Value, slot.Value) || contains(slot.Value, e.Value))
}

// endings lets memories end others.
func (p *plainResolver) endings(comps []*plainComponent) {
	for _, by := range comps {
		for _, m := range by.members {
			for _, s := range distinct(m.seen) {
				for _, e := range s.c.Ends {
					for _, c := range comps {
						p.end(by, c, s, &e)
					}
				}
			}
		}
	}
}

// end lets one ending meet a component.
func (p *plainResolver) end(by, c *plainComponent, s plainSighting, e *normalize.Ending) {
	if by == c || by.removed || plainConfidence(by.members) < .5 || c.removed || c.event || !c.rep.current || s.at.t == "" {
		return
	}
	if s.at.before(c.latest) || e.Value == "" && e.Name == "" && !c.latest.before(s.at) {
		return
	}
	until := s.at.real()
	if from := stampOf(s.c.ValidFrom, false); from.t != "" {
		until = from
	}
	for _, m := range c.members {
		if endingNames(e, m, false) {
			c.losesTo = append(c.losesTo, loss{to: by, reason: "ended", at: s.at, until: until})
		}
	}
}
