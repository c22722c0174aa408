package assemble

import (
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

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
	if by == c || by.removed || plainConfidence(by.members) < .5 || c.removed || c.event && !normalize.IsEvent(e.Attribute) || !c.rep.current || s.at.t == "" {
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

// endingNames tells whether an ending is about a memory; what is taken back as a whole may be
// denied, too.
func endingNames(e *normalize.Ending, m *plainMemory, denied bool) bool {
	if e.Attribute == "" {
		return endingNamesSlot(e, m, m.slot(), m.negative(), denied)
	}
	slots := []normalize.Slot{m.slot()}
	if slots[0].Attribute == "" {
		typ, _, _ := strings.Cut(m.typ, "/")
		slots[0].Attribute = noSlot + typ
	}
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
		return strings.Contains(" "+stemName(normalize.FoldValue(m.content))+" ", " "+stemName(e.Name)+" ")
	}
	if e.Value == "" {
		return denied || !negative
	}
	same := strings.Join(words(e.Value), " ") == strings.Join(words(slot.Value), " ")
	return !negative && (same || contains(e.Value, slot.Value) || contains(slot.Value, e.Value))
}

// order is the time by which the first of several losses counts.
func (l loss) order() stamp {
	if l.reason == "ended" {
		return l.at
	}
	return l.to.latest
}
