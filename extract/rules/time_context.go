package rules

import (
	"slices"
	"strings"
)

// isPart tells whether words that would be a time tell a part of something: "my last year", "the
// last month of pregnancy".
func (r *reader) isPart(t *table, f *found, spec *timeSpec) bool {
	if spec.kind != "away" {
		return false
	}
	if f.end < len(r.m.tokens) && t.is(&r.m.tokens[f.end], t.change.parts) {
		return true
	}
	return f.start > 0 && t.is(&r.m.tokens[f.start-1], t.turn) && t.is(&r.m.tokens[f.start-1], t.articles)
}

// isBare tells whether a weekday is named without a word that tells which one: "on Friday".
func (r *reader) isBare(t *table, f *found, spec *timeSpec) bool {
	if spec.kind != "weekday" {
		return false
	}
	for i := f.start; i < f.end; i++ {
		if n := t.span(r.m.tokens[:f.end], i, t.change.weekdays); n > 0 {
			return i == f.start || i == f.start+1 && t.is(&r.m.tokens[f.start], t.dangling) || i == f.start+1 && t.is(&r.m.tokens[f.start], t.change.fronts)
		}
	}
	return false
}

// dropRecurring takes away the times that come again and again: "every year in May", "usually free
// on Friday", "from Monday to Friday".
func (r *reader) dropRecurring(t *table) {
	if !slices.ContainsFunc(r.moments, func(m moment) bool { return m.yearless }) {
		return
	}
	everyUnit, often := false, false
	for i := range r.m.tokens {
		tok := &r.m.tokens[i]
		if n := t.span(r.m.tokens, i, t.change.recurring); n > 0 && !t.is(tok, t.articles) && !t.is(tok, t.numbers) && !t.is(tok, t.change.whole) {
			unit := t.span(r.m.tokens, i+n, t.change.units)
			everyUnit = everyUnit || unit > 0
		}
		n, degree := t.entry(r.m.tokens, i, t.degrees)
		often = often || n > 0 && degree == "often"
	}
	for _, m := range r.moments {
		n := t.span(r.m.tokens, m.end, t.frequency)
		often = often || m.bare && n > 0 // "on Thursday evenings"
	}
	for i := range r.moments {
		m := &r.moments[i]
		m.recurs = m.yearless && everyUnit || m.bare && often
		if i > 0 && m.bare && r.moments[i-1].bare && r.isRange(t, r.moments[i-1].end, m.start) {
			m.recurs, r.moments[i-1].recurs = true, true
		}
	}
	r.moments = slices.DeleteFunc(r.moments, func(m moment) bool { return m.recurs })
}

// isRange tells whether the words between two weekdays make all days from the one to the other of
// them.
func (r *reader) isRange(t *table, from, to int) bool {
	if to-from > 1 {
		return false
	}
	for i := from; i < to; i++ {
		if r.m.tokens[i].kind == comma || t.is(&r.m.tokens[i], t.joins) {
			return false
		}
	}
	return true
}

// isOf tells whether a time is one of what a family states: a weekday in what holds in general is
// each of that name, and "in three months" in a denial is how long.
func (fam *compiledFamily) isOf(m *moment) bool {
	if m.bare && (fam.Type == "preference" || strings.HasPrefix(fam.Name, "fact.habit")) {
		return false
	}
	return !m.counted || !slices.ContainsFunc(fam.says, func(s statement) bool { return s.Negative })
}

// underWay are the families of what is going on, a time of which is still to come where it is told
// without a year: "I am headed to Jamaica in August".
var underWay = []string{"identity.am", "context.doing", "context.midst", "context.we_are", "project.building", "relationship.is", "relationship.are"}

// timeOf is the time that a family tells with words that name one.
func (r *reader) timeOf(fam *compiledFamily, m moment) moment {
	if r.aheadOf(fam) || !m.since && m.until.IsZero() && slices.Contains(underWay, fam.Name) {
		return m.future()
	}
	return m.nearest(r.saidAt)
}

// maxApart is how many words stand at most between a statement and its time behind it.
const maxApart = 4

// statementTime is the time of what a statement tells: one among its words, or close behind it,
// with no other clause between: "I'm from Cork and moved here last year" does not tell when.
func (r *reader) statementTime(t *table, f *found, fam *compiledFamily) *moment {
	m := r.momentOf(t, f)
	if m == nil || !fam.isOf(m) || m.start-f.end > maxApart {
		return nil
	}
	for i := f.end; i < m.start; i++ {
		joined := t.span(r.m.tokens, i, t.joins)
		other := t.span(r.m.tokens, i, t.subjects)
		stop := t.span(r.m.tokens, i, t.stops)
		if joined+other+stop > 0 {
			return nil
		}
	}
	return m
}
