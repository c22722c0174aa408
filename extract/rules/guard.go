package rules

import (
	"slices"
	"strings"

	"github.com/pamline/pamline/normalize"
)

// guard tells why a match is no statement about the person, "" when it is one. The codes are those
// of the report.
func (r *reader) guard(t *table, f *found, fam *compiledFamily, strong bool) string {
	tokens := r.m.tokens
	if tokens[f.start].quoted {
		return "quoted"
	}
	if !strong && fam.Talk && !r.setting.talk && !r.draft && !r.keepsUp(t, f, fam) {
		return "setting"
	}
	if r.isImagined(fam.Type) {
		return "imagined"
	}
	if r.m.titled && !strong {
		return "title"
	}
	if r.isSample(t, f) {
		return "sample"
	}
	if (!fam.Mention || t.isSelf(tokens, f.start)) && t.isDoubted(tokens, f.start) {
		return "hypothetical"
	}
	if fam.Mention {
		return ""
	}
	for i := 0; i < f.end; i++ {
		if n := t.span(tokens, i, t.fillers); n > 1 && i+n <= f.start {
			i += n - 1 // "I'd say" is no "say"
			continue
		}
		if t.imagines(tokens, i) {
			if k := t.span(tokens, i, t.restricts); k == 0 || i <= f.start {
				return "hypothetical"
			}
		}
		if i < f.start {
			if n := t.span(tokens, i, t.reported); n > 0 {
				return "reported"
			}
		}
	}
	if t.asks(tokens, f.end) {
		return "question"
	}
	if r.vague(t, f, fam) {
		return "vague"
	}
	if r.unwanted(t, f, fam) {
		return "without"
	}
	if r.isWritten() && (fam.Type == "preference" || fam.Type == "goal") && r.isBoilerplate(t, f) {
		return "boilerplate"
	}
	if r.isRelative(t, f) {
		return "inside"
	}
	r.cutParticiple(t, f, fam)
	if r.dangles(t, f) || r.lacksClause(t, f) {
		return "dangling"
	}
	if fam.Slot != nil && fam.Slot.Attribute == "name" {
		switch {
		case r.isShouted(t, f):
			return "shouted"
		case r.isCutAtInitial(t, f):
			return "dangling"
		case r.isFigure(t, f):
			return "imagined"
		}
	}
	if fam.Frequent && !r.frequent(t, f) {
		return "once"
	}
	if fam.Open && !strong && (r.draft || !r.setting.talk || !r.setting.personal) && !r.frequent(t, f) && !r.isTyped(t, f) {
		return "untyped"
	}
	if fam.mayPass() && !r.frequent(t, f) && r.tellsPassing(t, f) {
		return "passing"
	}
	if !strong && r.points(t, f, fam) {
		return "pointer"
	}
	return ""
}

// mayPass tells whether a family is of what happens once, of what is taken back, or of a home: what
// a person has or does often may be of things that pass, too.
func (f *compiledFamily) mayPass() bool {
	return f.Type == "context" || f.Slot != nil && f.Slot.Attribute == "residence" ||
		slices.ContainsFunc(f.says, func(s statement) bool { return s.Act == normalize.ActRetract })
}

// opensSentence tells whether nothing but fillers stands before a token of a sentence.
func (t *table) opensSentence(tokens []token, start int) bool {
	for i := 0; i < start; i++ {
		if tokens[i].kind != word {
			continue
		}
		n := t.span(tokens, i, t.fillers)
		if n == 0 {
			return false
		}
		i += n - 1
	}
	return true
}

// keepsUp tells whether a match is of a habit that counts among tasks only where the person says
// how often, and does.
func (r *reader) keepsUp(t *table, f *found, fam *compiledFamily) bool {
	return fam.Chats > 0 && fam.Chats < activeConfidence && fam.Slot != nil && fam.Slot.Attribute == "habit" && r.frequent(t, f)
}

// frequent tells whether the person says how often or how long something is so: in the match, in
// the words behind it that are cut off, or before it in its clause.
func (r *reader) frequent(t *table, f *found) bool {
	if f.degree.set {
		return true
	}
	tokens := r.m.tokens
	start, end := f.start, f.end
	for start > 0 && tokens[start-1].kind == word && !t.is(&tokens[start-1], t.carry) && !t.is(&tokens[start-1], t.joins) && !t.is(&tokens[start-1], t.stops) {
		start--
	}
	for end < len(tokens) {
		n := t.span(tokens, end, t.tails)
		if n == 0 {
			break
		}
		end += n
	}
	for i := start; i < end; i++ {
		if n := t.span(tokens, i, t.frequency); n > 0 {
			return true
		}
	}
	return false
}

// nearHead is in how many words of a capture its head is looked for: what restricts the head stands
// behind it.
const nearHead = 5

// isTyped tells whether a capture has a word for what lasts in a life: a relative, an animal, a
// profession, a thing that is owned.
func (r *reader) isTyped(t *table, f *found) bool {
	for i := range t.captures {
		k := &f.captures[i]
		for j := k.start; k.set && j < k.end && j < k.start+nearHead; j++ {
			if n := t.span(r.m.tokens[:k.end], j, t.typed); n > 0 {
				return true
			}
		}
	}
	return false
}

// points tells whether a capture names something by a word like "it" or "them" alone, which means
// nothing outside of the talk.
func (r *reader) points(t *table, f *found, fam *compiledFamily) bool {
	for i := range t.captures {
		k := &f.captures[i]
		if !k.set || k.entry || !fam.used[i] {
			continue
		}
		if first := &r.m.tokens[k.start]; !r.setting.talk && fam.Type == "preference" && (first.quoted || t.is(first, t.definite)) {
			return true // "I like the ending", "I don't like 'serene'": of what is worked on
		}
		if !r.setting.talk && fam.Type == "goal" && r.hasQuoted(k) {
			return true // "I'd like to avoid 'our bond'"
		}
		for j := k.start; j < k.end; j++ {
			tok := &r.m.tokens[j]
			if t.is(tok, t.restricts) && j > k.start {
				break // what restricts a thing may point at it
			}
			switch {
			case tok.kind != word || !r.pointsAt(t, j, k.end, f, fam):
			case t.is(tok, t.tails) && j > k.start && j+1 < k.end && t.is(&r.m.tokens[j+1], t.binds): // "here in Oslo"
			case (fam.Type == "goal" || fam.Type == "preference") && !r.isReferred(t, j) && r.cutAtJoin(t, f, k, j):
			default:
				return true
			}
		}
	}
	return false
}

// pointsAt tells whether a pointer stands at a token of a capture. "This summer" is a time, an
// article is no pronoun, and in what is told of somebody, of "my dog", or of "my wife and her son"
// the owner is known.
func (r *reader) pointsAt(t *table, i, end int, f *found, fam *compiledFamily) bool {
	tokens := r.m.tokens
	n, what := t.entry(tokens, i, t.pointers)
	if n == 0 || n == 1 && i+1 < end && t.is(&tokens[i], t.articles) {
		return false
	}
	if what == referred {
		return r.refersBack(t, i, i+n, end)
	}
	if what == owned && (fam.Type == "relationship" || t.is(&tokens[f.start], t.articles) || t.is(&tokens[max(i-1, 0)], t.joins)) {
		return false
	}
	if i > f.start { // "the son", which in French is "le son", is not "his"
		if timed := t.span(tokens, i-1, t.timed); timed > n {
			return false
		}
	}
	timed := t.span(tokens, i, t.timed)
	return timed <= n
}

// owned is what a table has for a pointer at whoever owns something.
const owned = "owned"

// referred is what a table has for a thing that means nothing by its name with the article of what
// both know: "the song".
const referred = "referred"

// refersBack tells whether a thing is only named by what both know of it: "read all the books", but
// not "the books by Ada Berg".
func (r *reader) refersBack(t *table, i, next, end int) bool {
	tokens := r.m.tokens
	if i == 0 || !t.is(&tokens[i-1], t.definite) {
		return false
	}
	return next >= end || tokens[next].kind == comma || t.is(&tokens[next], t.joins) || t.is(&tokens[next], t.skips) || t.is(&tokens[next], t.frequency)
}

// isReferred tells whether a thing that only the talk knows stands at a token.
func (r *reader) isReferred(t *table, i int) bool {
	_, what := t.entry(r.m.tokens, i, t.pointers)
	return what == referred
}

// hasQuoted tells whether a word of a capture stands inside quotation marks.
func (r *reader) hasQuoted(k *captured) bool {
	return slices.ContainsFunc(r.m.tokens[k.start:k.end], func(tok token) bool { return tok.quoted })
}

// isShouted tells whether what stands for a name is a word in capital letters, in a message that is
// not written so: "I'm DESPERATE".
func (r *reader) isShouted(t *table, f *found) bool {
	for i := range t.captures {
		k := &f.captures[i]
		if !k.set {
			continue
		}
		said := r.msg.Text[r.m.tokens[k.start].start:r.m.tokens[k.end-1].end]
		if len(said) >= minShout && strings.ToUpper(said) == said && strings.ToLower(said) != said && strings.ToUpper(r.msg.Text) != r.msg.Text {
			return true
		}
	}
	return false
}

// minShout is the length in bytes from which a word in capital letters is no abbreviation of a
// name.
const minShout = 5

// dangles tells whether the last capture ends with a word that something has to follow: "prefers to
// meet when".
func (r *reader) dangles(t *table, f *found) bool {
	for i := range t.captures {
		k := &f.captures[i]
		if !k.set || k.entry || k.end != f.end || k.end-k.start < 1 {
			continue
		}
		tok := &r.m.tokens[k.end-1]
		return tok.kind == word && t.is(tok, t.dangling)
	}
	return false
}

// unwanted tells whether a capture has a word that the family is not to have.
func (r *reader) unwanted(t *table, f *found, fam *compiledFamily) bool {
	if len(fam.without) == 0 {
		return false
	}
	for i := range t.captures {
		k := &f.captures[i]
		for j := k.start; k.set && j < k.end; j++ {
			tok := &r.m.tokens[j]
			if tok.kind == word && fam.without[tok.id] && (j == k.start || !t.is(tok, t.restricts)) {
				return true
			}
		}
	}
	return false
}

// asks tells whether the clause that a match ends in ends with a question mark. A question of its
// own right behind the match does not make one of it: "I am 46 how about you?"
func (t *table) asks(tokens []token, end int) bool {
	last := len(tokens) - 1
	if last < 0 || tokens[last].kind != query {
		return false
	}
	if t.asksBack(tokens, end) {
		return false
	}
	for i := end; i < last; i++ {
		if tokens[i].kind >= comma {
			return false
		}
	}
	return true
}

// asksBack tells whether a question of its own begins at a token: "how about you?", or a mere
// "you?"
func (t *table) asksBack(tokens []token, i int) bool {
	if tokens[len(tokens)-1].kind != query {
		return false
	}
	n := t.span(tokens, i, t.back)
	return n > 1 || n == 1 && tokens[i+n].kind == query
}

// vague tells whether a capture that is told of names nothing: "that", "it a lot". A bare number
// is nothing that a person likes: "I like 5" is an answer. By a particle alone nothing has changed:
// "the part I cut out".
func (r *reader) vague(t *table, f *found, fam *compiledFamily) bool {
	for i := range t.captures {
		k := &f.captures[i]
		if !k.set || k.stands != 0 || !fam.used[i] {
			continue
		}
		names := false
		for j := k.start; j < k.end && !names; {
			tok := &r.m.tokens[j]
			if tok.kind != word {
				j++
				continue
			}
			n := t.span(r.m.tokens[:k.end], j, t.vague)
			if n == 0 {
				n = t.span(r.m.tokens[:k.end], j, t.articles)
			}
			if n == 0 && (tok.digits && fam.Type == "preference" || k.end-k.start == 1 && t.is(tok, t.binds) && fam.change != nil) {
				n = 1
			}
			names = n == 0
			j += n
		}
		if !names {
			return true
		}
	}
	return false
}

// imagines tells whether a hypothetical word stands at a token and no longer certain phrase does:
// "s'il te plaît".
func (t *table) imagines(tokens []token, i int) bool {
	n := t.span(tokens, i, t.hypothesis)
	if n == 0 {
		return false
	}
	sure := t.span(tokens, i, t.certain)
	return sure <= n
}
