package rules

import (
	"strings"
)

// isCutOff tells whether words directly behind a match go on with what it tells, so that the match
// has read only the beginning: "we broke up the meeting", "I had a baby carrot". It is asked where
// the match ends with a word of its pattern that nothing has to follow.
func (r *reader) isCutOff(t *table, f *found) bool {
	tokens, i := r.m.tokens, f.end
	if t.classes[t.change.behind].words == 0 || i >= len(tokens) || tokens[i].kind != word || tokens[i].quoted || tokens[i].capital && t.change.capitals {
		return false
	}
	for _, c := range [...]classID{t.change.links, t.change.now, t.articles, t.joins} {
		if r.is(t, i-1, c) {
			return false
		}
	}
	open, entry := r.endsCaptured(t, f)
	if open {
		return false
	}
	r.m.times = r.times(t)
	closed := r.m.closes(i)
	r.m.times = nil
	if closed || r.tellsManner(t, i) || r.beforeUnit(t, i) {
		return false
	}
	ch := t.change
	if n := t.span(tokens, i, ch.behind); n > 0 || r.is(t, i, ch.links) {
		return false
	}
	if r.is(t, i, t.articles) {
		return !entry
	}
	for _, c := range [...]classID{ch.cuts, ch.adjuncts, ch.now, ch.recurring, ch.upcoming, ch.beside, ch.lasting, ch.leads,
		t.skips, t.fillers, t.degrees, t.frequency, t.negators, t.pointers, t.infinitives, t.subjects, t.restricts, t.joins} {
		if n := t.span(tokens, i, c); n > 0 {
			return false
		}
	}
	return true
}

// passesBehind tells whether a thing of a moment or of a screen stands behind a preposition and its
// article at a token: "we got engaged with the audience".
func (r *reader) passesBehind(t *table, i int) bool {
	for end := i + maxBeforeUnit; i < end && i < len(r.m.tokens) && (r.is(t, i, t.change.links) || r.is(t, i, t.articles)); i++ {
	}
	if i >= len(r.m.tokens) || r.m.tokens[i].kind != word {
		return false
	}
	n := t.span(r.m.tokens, i, t.change.passing)
	return n > 0 && !(t.change.capitals && r.m.tokens[i].capital)
}

// endsCaptured tells whether a match ends with an open capture, which goes on as far as it may, or
// with that of an entry.
func (r *reader) endsCaptured(t *table, f *found) (open, entry bool) {
	for i := range t.captures {
		if k := &f.captures[i]; k.set && k.end == f.end {
			open, entry = open || !k.entry, entry || k.entry
		}
	}
	return open, entry
}

// is tells whether a word of a sentence is in a class.
func (r *reader) is(t *table, i int, c classID) bool { return t.is(&r.m.tokens[i], c) }

// maxBeforeUnit is how many words stand before the unit of a time: "a few short weeks ago".
const maxBeforeUnit = 3

// beforeUnit tells whether words for a time begin at a token that no rule for times reads: "the
// other day".
func (r *reader) beforeUnit(t *table, i int) bool {
	for j := i; j <= i+maxBeforeUnit && j < len(r.m.tokens) && r.m.tokens[j].kind == word && !r.is(t, j, t.change.links); j++ {
		for _, name := range [...]string{"units", "months", "weekdays"} {
			if r.is(t, j, t.named[changeScope+name]) {
				return true
			}
		}
		if n := t.span(r.m.tokens, j, t.change.hours); n > 0 {
			return true
		}
	}
	return false
}

// tellsManner tells whether a word has the ending of those that tell how something happened:
// "peacefully".
func (r *reader) tellsManner(t *table, i int) bool {
	tok := &r.m.tokens[i]
	said := strings.ToLower(r.msg.Text[tok.start:tok.end])
	for _, ending := range t.change.manner {
		if strings.HasSuffix(said, ending) && len(said) > len(ending)+1 {
			return true
		}
	}
	return false
}

// isOfHours tells whether the clause of a match tells of hours or minutes.
func (r *reader) isOfHours(t *table, f *found) bool {
	return r.saysWithin(t, f, t.change.hours, maxHours)
}

// maxHours is how many words stand between a change and the hour of it.
const maxHours = 5

// isGeneric tells whether a template names something by words alone that name too many things:
// "reading", "the house".
func (c *filler) isGeneric(name template) bool {
	generic := false
	for _, p := range name {
		k := c.capture(p.capture)
		if p.capture == "" || !k.set {
			continue
		}
		for j := k.start; j < k.end; {
			n := c.t.span(c.tokens[:k.end], j, c.t.change.generic)
			generic = generic || n > 0
			if n == 0 && !c.t.is(&c.tokens[j], c.t.articles) {
				return false
			}
			j += max(n, 1)
		}
	}
	return generic
}

// namesMuch tells whether a word names too many things, or what passes, for anything to end by it.
// A relative may be named where the change may be theirs.
func (r *reader) namesMuch(t *table, i int, ofOthers bool) bool {
	if r.is(t, i, t.change.passing) {
		return true
	}
	return r.is(t, i, t.change.generic) && !(ofOthers && r.isKin(t, i)) || ofOthers && r.isKin(t, i) && r.isOwned(t, i+1)
}

// isOwned tells whether words at a token say whose the relative before them is: "die Mutter meines
// Mitbewohners".
func (r *reader) isOwned(t *table, i int) bool {
	if i < len(r.m.tokens) && r.is(t, i, t.change.links) {
		i++
	}
	return i < len(r.m.tokens) && r.m.tokens[i].kind == word && r.is(t, i, t.turn) && r.is(t, i, t.articles)
}
