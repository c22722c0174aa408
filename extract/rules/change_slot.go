package rules

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pamline/pamline/normalize"
)

// partners are the relatives of whom a person has one at a time.
var partners = []string{"wife", "husband", "girlfriend", "boyfriend", "partner", "fiance", "fiancee", "spouse"}

// formerMates are the relatives whom a person no longer has by a marital status.
var formerMates = map[string][]string{
	"divorced": spouses, "widowed": spouses, "separated": spouses, "single": partners,
}

var spouses = []string{"wife", "husband", "spouse"}

// shared are the attributes of which a person may have a second value at a time when they say so.
var shared = []string{"job", "employer", "school", "residence", "partner"}

// atWork are the attributes of what a person does for a living, which end together.
var atWork = []string{"job", "employer", "work"}

// isNew tells whether the clause of a match says that something is so now, or since some time.
func (r *reader) isNew(t *table, f *found) bool {
	if t.change == nil {
		return false
	}
	if at := r.momentOf(t, f); at != nil && at.since {
		return true
	}
	return r.saysNear(t, f, t.change.now)
}

// finishSlot brings a slot into the form in which the resolver compares it, and adds whom the
// content names.
func (r *reader) finishSlot(t *table, f *found, fam *compiledFamily, c *normalize.Candidate) {
	s := c.Slot
	if s == nil {
		return
	}
	c.Slot = t.englishSlot(*s)
	s = c.Slot
	if s.Attribute == "household" {
		s.Value = r.companion(t, f, s.Value)
	}
	kind, relative := strings.CutPrefix(s.Attribute, "relative.")
	named := strings.HasPrefix(fam.Name, "relationship.named") || s.Attribute == "pet.name"
	switch {
	case named && relative:
		c.Entities = []normalize.Entity{{Name: capitalized(r.valueText(t, f)), Relation: kind}}
		if slices.Contains(partners, kind) {
			s.Attribute, s.One = "partner", true
		}
	case named:
		name, relation := r.valueText(t, f), t.englishWord(normalize.FoldValue(canonicalOf(t, f, "k")))
		if normalize.FoldValue(name) != s.Value { // the second of two names
			name = s.Value
		}
		c.Entities = []normalize.Entity{{Name: capitalized(name), Relation: relation}}
	case s.Attribute == "pet" && fam.Name == "fact.pet_named":
		c.Entities = []normalize.Entity{{Name: capitalized(r.valueText(t, f)), Relation: t.englishWord(normalize.FoldValue(canonicalOf(t, f, "k")))}}
	case relative && countOf(s.Value, kind) != "":
		s.Value, s.One = countOf(s.Value, kind), true
		if s.Attribute += ".count"; kind == "child" || kind == "children" {
			s.Attribute = "child_count"
		}
	}
	if slices.Contains(shared, s.Attribute) && (fam.Mention || r.besideAt(t, f)) {
		s.Beside = true
	}
	if c.Act == "" && !c.Negative && isPartner(s) {
		c.Ends = append(c.Ends, normalize.Ending{Attribute: "marital_status", Value: "single"})
	}
	if c.Act == "" && !c.Negative && s.Attribute == "marital_status" {
		for _, k := range formerMates[s.Value] {
			c.Ends = append(c.Ends, normalize.Ending{Attribute: "relative." + k}, normalize.Ending{Attribute: "entity." + k})
		}
	}
	if slices.Contains(atWork, s.Attribute) && c.Act == "" && !s.Beside && !c.Negative && !fam.Mention && r.isNew(t, f) {
		for _, a := range atWork {
			c.Ends = append(c.Ends, normalize.Ending{Attribute: a})
		}
	}
}

// isPartner tells whether a slot says that the person has a partner.
func isPartner(s *normalize.Slot) bool {
	kind, relative := strings.CutPrefix(s.Attribute, "relative.")
	return s.Attribute == "partner" || relative && slices.Contains(partners, kind)
}

// companion adds to the value of a household what partner it names, as in all languages.
func (r *reader) companion(t *table, f *found, value string) string {
	id, ok := t.named[changeScope+"mate"]
	for i := f.start; ok && i < f.end; i++ {
		if n, kind := t.entry(r.m.tokens, i, id); n > 0 && kind != "" && !strings.Contains(value, kind) {
			return value + " " + kind
		}
	}
	return value
}

// valueText is the name that a match tells: the words of its capture x.
func (r *reader) valueText(t *table, f *found) string {
	fill := filler{t: t, text: r.msg.Text, tokens: r.m.tokens, f: f}
	if k := fill.capture("x"); k.set {
		return fill.said(k.start, k.end, false)
	}
	return ""
}

// countOf gives the number of a value that is no more than a number of such relatives: "2 child".
func countOf(value, kind string) string {
	n, rest, _ := strings.Cut(value, " ")
	if n == "" || strings.IndexFunc(n, func(c rune) bool { return !unicode.IsDigit(c) }) >= 0 || len(n) > 2 {
		return ""
	}
	if rest != "" && rest != kind && !strings.HasPrefix(rest, kind) {
		return ""
	}
	return n
}

// besideAt tells whether the clause of a match says that something is so beside other things.
func (r *reader) besideAt(t *table, f *found) bool {
	return t.change != nil && r.saysNear(t, f, t.change.beside)
}

// saysNear tells whether a word of a class stands in a match or within four words of it in its
// clause.
func (r *reader) saysNear(t *table, f *found, words classID) bool {
	return r.saysWithin(t, f, words, 4)
}

// saysWithin is saysNear for as many words.
func (r *reader) saysWithin(t *table, f *found, words classID, most int) bool {
	tokens := r.m.tokens
	from, to := f.start, f.end
	for from > 0 && tokens[from-1].kind < comma && f.start-from < most {
		from--
	}
	for to < len(tokens) && tokens[to].kind < comma && to-f.end < most {
		to++
	}
	for i := from; i < to; i++ {
		if n := t.span(tokens[:to], i, words); n > 0 {
			return true
		}
	}
	return false
}

// ends tells whether an ending of a message is about a slot.
func ends(e *normalize.Ending, s *normalize.Slot) bool {
	if below, wild := strings.CutSuffix(e.Attribute, "*"); e.Attribute != s.Attribute && !(wild && strings.HasPrefix(s.Attribute, below)) {
		return false
	}
	return e.Name == "" && (e.Value == "" || strings.Contains(" "+s.Value+" ", " "+e.Value+" "))
}

// dropEnded takes away what the message only mentions of things that it says are over: "my wife and
// I divorced".
func (r *reader) dropEnded() {
	from := len(r.out) - len(r.weak)
	if len(r.over) == 0 {
		return
	}
	kept, weak := r.out[:from], r.weak[:0]
	for i, mention := range r.ment {
		c := &r.out[from+i]
		if mention && c.Slot != nil && slices.ContainsFunc(r.over, func(e normalize.Ending) bool { return ends(&e, c.Slot) }) {
			r.report.Skip("ended")
			continue
		}
		kept, weak = append(kept, *c), append(weak, r.weak[i])
	}
	clear(r.out[len(kept):])
	r.out, r.weak = kept, weak
}
