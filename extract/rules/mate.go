package rules

import (
	"github.com/pamline/pamline/normalize"
)

// mateClass are the words for a partner, in the tables of changes: what names one ends when the two
// part.
const mateClass = changeScope + "mate"

// maxBefore is how many words stand before the word for a partner: "la mia moglie".
const maxBefore = 2

// nameMate ties a statement about the partner of the person to the partner: the name becomes an
// entity, and a statement without a slot gets that of the relative.
func (r *reader) nameMate(t *table, f *found, c *normalize.Candidate) {
	mates, ok := t.named[mateClass]
	if !ok || c.Act != "" || len(c.Entities) > 0 {
		return
	}
	tokens := r.m.tokens
	for i := f.start; i < min(f.start+maxBefore+1, f.end); i++ {
		n, mate := t.entry(tokens[:f.end], i, mates)
		if n == 0 || i == f.start && !t.script {
			continue
		}
		if name := r.nameAt(t, i+n, f.end); name != "" {
			c.Entities = []normalize.Entity{{Name: name, Relation: mate}}
		}
		if c.Slot == nil && len(c.Content) > 0 {
			c.Slot = &normalize.Slot{Attribute: "relative." + mate, Value: normalize.FoldValue(c.Content)}
		}
		return
	}
}

// maxNameWords is of how many words the name of a partner is.
const maxNameWords = 2

// nameAt gives the name of one or two words that begins at a token, "" for none.
func (r *reader) nameAt(t *table, i, end int) string {
	from := i
	for ; i < min(from+maxNameWords, end); i++ {
		tok := &r.m.tokens[i]
		if tok.kind != word || !tok.capital || t.is(tok, t.binds) || t.is(tok, t.vague) || t.isVerb(tok) || t.is(tok, t.joins) || t.is(tok, t.subjects) {
			break
		}
	}
	if i == from {
		return ""
	}
	return r.msg.Text[r.m.tokens[from].start:r.m.tokens[i-1].end]
}
