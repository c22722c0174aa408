package rules

import (
	"slices"
	"strings"
)

// sentence looks for statements at the beginnings of the clauses of a sentence.
func (r *reader) sentence(t *table) {
	tokens := r.m.tokens
	carried := carriesNone
	r.used = append(r.used[:0], make([]bool, len(tokens))...)
	r.told = append(r.told[:0], r.used...)
	r.changed = append(r.changed[:0], r.used...)
	forgetting, mine := false, false // mine: the clause before was of the person
	first := 0
	for first < len(tokens) && tokens[first].kind == symbol {
		first++ // a bullet
	}
	for i := first; i < len(tokens); {
		if tokens[i].kind >= comma { // "yes it was, I am a nurse"
			i++
			continue
		}
		if r.forgetAt(t, i) {
			f := r.m.best
			r.forget(t, &f)
			forgetting = true
			i, carried = nextClause(t, tokens, f.end, carriesNone)
			continue
		}
		if forgetting {
			i, carried = nextClause(t, tokens, i+1, carriesNone)
			continue // the rest belongs to the request, or is another one
		}
		same, ok := r.clause(t, i, carried)
		best := r.m.best
		mayElide := i == first || carried != carriesNone || mine && r.joinsClause(t, i)
		mine = r.isOwn(t, i) || mine && !r.hasSubject(t, i)
		if r.changeAt(t, i, mayElide) && (!ok || r.m.best.score+changeLead >= best.score) {
			f := r.m.best
			if r.leftOut || t.is(&tokens[f.start], t.carry) {
				carried = carriesSubject
			} else {
				carried = carriesNone
			}
			before := len(r.out)
			r.change(t, &f)
			r.use(t, &f, len(r.out) > before)
			for j := f.start; j < f.end && len(r.out) > before; j++ {
				r.changed[j] = true
			}
			if t.chains && t.names(&f) {
				carried = carriesNone // "We adopted a boy, five years old" leaves "he is" out
			}
			i, carried = nextClause(t, tokens, f.end, carried)
			continue
		}
		r.m.best = best
		if ok {
			f := r.m.best
			i = f.end
			switch n := t.span(tokens, f.start, t.copula); {
			case t.denies(f.pattern) && f.end < len(tokens) && t.is(&tokens[f.end], t.alternatives):
				carried = carriesNone // "I'm not tall or strong"
			case n > 0:
				carried = carriesCopula
			case same != carriesNone:
				carried = same
			case r.endsInfinitive(t, &f):
				carried = carriesNone // "I want to move to Oslo and work there"
			case t.is(&tokens[f.start], t.carry) || r.m.startsHaving(f.start):
				carried = carriesSubject
			case !t.chains:
				carried = carriesNone
			}
			before := len(r.out)
			r.statement(t, &f)
			r.use(t, &f, len(r.out) > before)
			if len(r.out) > before {
				i = r.enumerate(t, &f)
			}
			if t.chains && t.names(&f) {
				carried = carriesNone // "I have a sister, she is a doctor" leaves "she" out
			}
		} else {
			i++
			if t.chains {
				carried = carriesNone
			}
		}
		i, carried = nextClause(t, tokens, i, carried)
	}
	if forgetting {
		return
	}
	r.changeScattered(t)
	r.changeMentions(t)
	r.m.small = r.small
	defer func() { r.m.small = false }()
	for i := range tokens {
		if tok := &tokens[i]; tok.kind != word || tok.quoted || !t.mentioned[tok.id] {
			continue
		}
		found := r.m.mention(i)
		if found && r.small && !r.actsByName(t, &r.m.best) {
			r.m.small = false
			found = r.m.mention(i)
			r.m.small = true
		}
		if found && slices.Contains(r.used[r.m.best.start:r.m.best.end], false) {
			f := r.m.best
			if t.families[t.patterns[f.pattern].family].Alone && !slices.Contains(r.told[f.start:f.end], false) {
				continue
			}
			r.statement(t, &f)
		}
	}
}

// endsInfinitive tells whether a match has an infinitive that another one may be joined to behind
// it.
func (r *reader) endsInfinitive(t *table, f *found) bool {
	if f.end >= len(r.m.tokens) || !t.is(&r.m.tokens[f.end], t.joins) {
		return false
	}
	base, ok := t.named[anyVerb+".base"]
	for i := f.start + 1; ok && i+1 < f.end; i++ {
		if t.is(&r.m.tokens[i], t.infinitives) && t.is(&r.m.tokens[i+1], base) {
			return true
		}
	}
	return false
}

// isOwn tells whether a clause has the person as a subject.
func (r *reader) isOwn(t *table, i int) bool {
	for ; i < len(r.m.tokens) && r.m.tokens[i].kind < comma; i++ {
		n := t.span(r.m.tokens, i, t.copula)
		if n > 0 || t.is(&r.m.tokens[i], t.carry) || r.m.startsHaving(i) {
			return true
		}
	}
	return false
}

// joinsClause tells whether a comma or a word like "and" stands before a token.
func (r *reader) joinsClause(t *table, i int) bool {
	return i > 0 && (r.m.tokens[i-1].kind >= comma || t.is(&r.m.tokens[i-1], t.joins))
}

// hasSubject tells whether a clause begins with a subject or a name, behind fillers.
func (r *reader) hasSubject(t *table, i int) bool {
	if i = t.run(r.m.tokens, i, t.fillers); i >= len(r.m.tokens) {
		return true
	}
	tok := &r.m.tokens[i]
	return tok.capital || t.is(tok, t.subjects) || t.is(tok, t.articles)
}

// actsByName tells whether the words that a mention takes for a name in small letters are told to
// do something, or stand beside somebody else: "my boyfriend luis moved in".
func (r *reader) actsByName(t *table, f *found) bool {
	if f.end >= len(r.m.tokens) {
		return false
	}
	next := &r.m.tokens[f.end]
	return t.isVerb(next) || t.is(next, t.joins) || t.is(next, t.binds)
}

// carrying is what a clause leaves to the next one.
type carrying uint8

const (
	carriesNone    carrying = iota
	carriesSubject          // "I live here and work there"
	carriesCopula           // "I'm a vegan and allergic to nuts"
)

// changeLead is how much less than a fact a change may match and be taken in its place.
const changeLead = 3

// maxBrief is of how many words a statement tells all that a mention inside it would.
const maxBrief = 9

// use marks the words of a match that are words of its pattern: "my home is in Rome" mentions no
// home. stated tells that it made a statement.
func (r *reader) use(t *table, f *found, stated bool) {
	for i := f.start; i < f.end; i++ {
		r.used[i] = true
		r.told[i] = r.told[i] || stated && f.end-f.start <= maxBrief
	}
	if stated && r.out[len(r.out)-1].Act != "" {
		return // "I sold my car": there is none any more
	}
	for _, k := range f.captures {
		for i := k.start; k.set && i < k.end && i < len(r.used); i++ {
			r.used[i] = false
		}
	}
}

// clause matches what begins at a token, behind any of the fillers that stand there, and leaves the
// match in r.m.best. same tells what was carried from the clause before.
func (r *reader) clause(t *table, i int, carried carrying) (same carrying, ok bool) {
	if t.change != nil && t.change.inside {
		r.m.times = r.times(t)
		defer func() { r.m.times = nil }()
	}
	for {
		if r.m.match(i, 0) {
			r.matchBehindFiller(t, i, func(start int) bool { return r.m.match(start, 0) })
			return carriesNone, true
		}
		if carried == carriesCopula {
			for _, from := range t.copulas {
				if r.m.matchQuality(i, from) {
					return carriesCopula, true
				}
			}
		}
		if carried != carriesNone {
			for _, from := range t.carried {
				if r.m.match(i, from) {
					return carriesSubject, true
				}
			}
		}
		n := t.span(r.m.tokens, i, t.fillers)
		if at := momentAt(r.m.times, i); n == 0 && at != nil && at.start == i {
			n = at.end - i
		}
		if n == 0 {
			return carriesNone, false
		}
		i += n
		if i < len(r.m.tokens) && r.m.tokens[i].kind == comma {
			i++
		}
	}
}

// matchBehindFiller puts what matches behind a filler in the place of a match that has taken the
// filler for the first word of a capture: "btw rust is my favorite language".
func (r *reader) matchBehindFiller(t *table, i int, match func(start int) bool) {
	best := r.m.best
	n := t.span(r.m.tokens, i, t.fillers)
	if n == 0 || !slices.ContainsFunc(best.captures[:], func(k captured) bool { return k.set && !k.entry && k.start == i && k.end > i+n }) {
		return
	}
	if !match(i+n) || r.m.best.end < best.end {
		r.m.best = best
	}
}

// names tells whether a match speaks of somebody beside the person.
func (t *table) names(f *found) bool {
	fam := &t.families[t.patterns[f.pattern].family]
	if fam.change != nil {
		return strings.HasPrefix(fam.Name, "family.") || strings.HasPrefix(fam.Name, "pet.")
	}
	return fam.Type == "relationship" || strings.HasPrefix(fam.Name, "fact.pet")
}

// nextClause gives the next token from i on that a clause may begin at. The subject is carried over
// a joining word only.
func nextClause(t *table, tokens []token, i int, carried carrying) (int, carrying) {
	for ; i < len(tokens); i++ {
		tok := &tokens[i]
		switch {
		case tok.kind >= comma:
			if n := t.span(tokens, i+1, t.joins); n > 0 {
				return i + 1 + n, carried
			}
			if t.chains && tok.kind == comma {
				return i + 1, carried
			}
			return i + 1, carriesNone
		case tok.kind != word || !t.cuts[tok.id]:
			continue
		}
		if n := t.span(tokens, i, t.joins); n > 0 {
			return i + n, carried
		}
		if n := t.span(tokens, i, t.stops); n > 0 {
			if t.is(tok, t.restricts) { // "professors who earned …"
				carried = carriesNone
			}
			return i + n, carried
		}
		if i > 0 && t.is(tok, t.runon) && !t.is(&tokens[i-1], t.binds) && tokens[i-1].kind == word && !t.modified(tokens, i) {
			return i, carriesNone
		}
	}
	return i, carriesNone
}

// maxModifiedNoun is of how many words a noun with its article is at most that a clause follows on
// without a word between.
const maxModifiedNoun = 4

// modified tells whether what begins at a token says more of the noun that the clause has begun
// with: "The job I just applied for".
func (t *table) modified(tokens []token, i int) bool {
	begin := i
	for begin > 0 && tokens[begin-1].kind == word && i-begin <= maxModifiedNoun {
		begin--
	}
	return i-begin >= 2 && i-begin <= maxModifiedNoun && t.is(&tokens[begin], t.definite)
}
