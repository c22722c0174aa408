package rules

import (
	"slices"
	"strings"
)

// lacksClause tells whether a match ends with a verb whose object is the clause behind it: "write to
// explain | why we moved". A second verb that does is left out: "visit the farm and see | how they
// work".
func (r *reader) lacksClause(t *table, f *found) bool {
	tokens, next := r.m.tokens, f.end
	if next < len(tokens) && tokens[next].kind == comma {
		next++ // "to explain, why": many languages write it so
	}
	if f.end == 0 || next >= len(tokens) || !t.is(&tokens[f.end-1], t.completed) || !t.is(&tokens[next], t.completes) || t.asksBack(tokens, next) {
		return false
	}
	for i := range t.captures {
		k := &f.captures[i]
		for j := f.end - maxJoined; k.set && k.end == f.end && j < f.end; j++ {
			if j > k.start && t.is(&tokens[j], t.joins) {
				k.end, f.end = j, j
				return false
			}
		}
	}
	return true
}

// maxJoined is of how many words a verb is at most that is joined to another: "and to see".
const maxJoined = 3

// keepOrder gives an order the words that follow on a pronoun in it: "answer the questions | I ask
// with yes or no". Without them another order is left.
func (r *reader) keepOrder(t *table, f *found, fam *compiledFamily) {
	tokens := r.m.tokens
	if fam.Type != "instruction" || f.end >= len(tokens) || tokens[f.end].kind != word || !t.is(&tokens[f.end], t.runon) || !r.isDetermined(t, f) {
		return
	}
	end := f.end
	for end < len(tokens) && tokens[end].kind < comma && end-f.start < maxRestricted {
		end++
	}
	for i := range t.captures {
		if k := &f.captures[i]; k.set && !k.entry && k.end == f.end {
			k.end, f.end = end, end
			return
		}
	}
}

// maxNoun is of how many words behind its article a thing is at most: "the long hard questions".
const maxNoun = 3

// isDetermined tells whether a match ends with a thing that has an article, which a clause may tell
// more of: "the questions | I ask", not "short answers | I have two dogs".
func (r *reader) isDetermined(t *table, f *found) bool {
	for i := f.end - 2; i >= max(f.start, f.end-1-maxNoun); i-- {
		if t.is(&r.m.tokens[i], t.articles) {
			return true
		}
	}
	return false
}

// isRelative tells whether what stands for an object begins with the verb of another clause: "the
// formulas I use | are long".
func (r *reader) isRelative(t *table, f *found) bool {
	if !t.isSelf(r.m.tokens, f.start) {
		return false
	}
	if r.lacksObject(t, f) {
		return true
	}
	for i := range t.captures {
		k := &f.captures[i]
		if k.set && !k.entry && k.start > f.start && k.end > k.start+1 &&
			t.is(&r.m.tokens[k.start], t.finite) && !t.is(&r.m.tokens[k.start-1], t.subjects) && !t.is(&r.m.tokens[k.start-1], t.infinitives) {
			return true
		}
	}
	return false
}

// maxRelated is how many words the thing that a clause says more of has at most, its article among
// them.
const maxRelated = 4

// lacksObject tells whether a clause says more of the thing before it, which is its object: "the
// stuff | I post on Mondays", "the model that | I bought by phone". What stands for its own object
// begins with a preposition.
func (r *reader) lacksObject(t *table, f *found) bool {
	tokens, before := r.m.tokens, f.start-1
	if t.change == nil || before < 1 || tokens[before].kind != word {
		return false
	}
	first := f.end
	for i := range t.captures {
		if k := &f.captures[i]; k.set && !k.entry && k.start > f.start {
			first = min(first, k.start)
		}
	}
	if first >= f.end || !r.is(t, first, t.change.links) {
		return false
	}
	if t.is(&tokens[before], t.restricts) && !t.is(&tokens[before], t.completes) {
		before--
	}
	if t.isVerb(&tokens[before]) && !t.is(&tokens[before], t.homonyms) || t.is(&tokens[before], t.stops) || t.is(&tokens[before], t.joins) || t.is(&tokens[before], t.fillers) {
		return false
	}
	for i := before - 1; i >= 0 && before-i < maxRelated && tokens[i].kind == word; i-- {
		if t.is(&tokens[i], t.articles) || t.is(&tokens[i], t.pointers) {
			return true
		}
		if t.isVerb(&tokens[i]) {
			return false
		}
	}
	return false
}

// cutParticiple ends a match before a second verb that goes with another form of "to be" than that
// of the match: "employed at a bank | and holding a post".
func (r *reader) cutParticiple(t *table, f *found, fam *compiledFamily) {
	doing, ok := t.named[anyVerb+".doing"]
	if !ok || fam.Type == "preference" || fam.Type == "goal" || fam.Type == "skill" {
		return
	}
	for i := range t.captures {
		k := &f.captures[i]
		if !k.set || k.entry || k.end != f.end {
			continue
		}
		for j := f.start; j+1 < k.end; j++ {
			if t.is(&r.m.tokens[j], doing) {
				return
			}
			if j > k.start && t.is(&r.m.tokens[j], t.joins) && t.is(&r.m.tokens[j+1], doing) && j+2 < k.end && t.is(&r.m.tokens[j+2], t.articles) {
				k.end, f.end = j, j
				return
			}
		}
	}
}

// isSelf tells whether the subject at a token is the person.
func (t *table) isSelf(tokens []token, i int) bool {
	for _, c := range [...]classID{t.carry, t.having, t.copula} {
		if n := t.span(tokens, i, c); n > 0 {
			return true
		}
	}
	return false
}

// isDoubted tells whether the words right before a match ask whether it is so, or fear it: "is it
// true that I have".
func (t *table) isDoubted(tokens []token, start int) bool {
	for i := max(0, start-maxDoubt); i < start; i++ {
		n := t.span(tokens, i, t.doubts)
		end := i + n
		if n > 0 && end+1 < start && tokens[end].kind == comma && t.is(&tokens[end+1], t.dangling) {
			end += 2 // "I fear, that" is how German and Russian write it
		}
		if n > 0 && end == start {
			return true
		}
	}
	return false
}

// maxDoubt is how many words a doubt has at most.
const maxDoubt = 6

// isWritten tells whether what is read may be written for others: a draft, or a long message.
func (r *reader) isWritten() bool {
	return r.draft || len(r.msg.Text) > shortMessage
}

// isBoilerplate tells whether a match has a word that applications are full of.
func (r *reader) isBoilerplate(t *table, f *found) bool {
	for i := f.start; i < f.end; i++ {
		if n := t.span(r.m.tokens[:f.end], i, t.boilerplate); n > 0 {
			return true
		}
	}
	return false
}

// denied is what a table has for words that a denial is not true without: "does not play much".
const denied = "denied"

// keepLessening leaves at the end of a match the words that say how much or how often, where the
// statement would say more than the person did without them.
func (r *reader) keepLessening(t *table, f *found, fam *compiledFamily) {
	n, where := t.entry(r.m.tokens, f.end, t.lessens)
	if n == 0 || where == denied && !slices.ContainsFunc(fam.says, func(s statement) bool { return s.Negative }) {
		return
	}
	for i := range t.captures {
		k := &f.captures[i]
		if !k.set || k.end != f.end || !fam.used[i] || k.entry && fam.Mention {
			continue
		}
		if said := r.msg.Text[r.m.tokens[k.start].start:r.m.tokens[k.end-1].end]; k.entry && !strings.EqualFold(said, t.stands[k.stands]) && !fam.tellsSaid(t.captures[i]) {
			continue
		}
		k.end, f.end, k.stands = f.end+n, f.end+n, 0
		return
	}
}

// tellsSaid tells whether the contents of a family have a capture as it was said.
func (f *compiledFamily) tellsSaid(capture string) bool {
	return !slices.ContainsFunc(f.says, func(s statement) bool {
		return slices.ContainsFunc(s.content, func(p piece) bool { return p.capture == capture && p.form != "said" })
	})
}

// cutAtJoin ends a match before the joining word that what points outside of it stands behind: "go
// to Florence | and see what he painted". One word alone tells too little.
func (r *reader) cutAtJoin(t *table, f *found, k *captured, pointer int) bool {
	if k.end != f.end {
		return false
	}
	for j := pointer - 1; j > k.start+1; j-- {
		if t.is(&r.m.tokens[j], t.joins) {
			k.end, f.end = j, j
			return true
		}
	}
	return false
}
