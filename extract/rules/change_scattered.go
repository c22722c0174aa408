package rules

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/normalize"
)

// scattered is a pattern whose parts stand in one clause, in any order and with other words between
// them: "seit dem Unfall ist Handball für mich Geschichte". It is looked for where no other change
// matches.
type scattered struct {
	pattern int32 // its number in the table
	parts   []trie
}

// scatteredPatterns compiles the scattered patterns of a transition, parts apart by " & ".
func (c *compiler) scatteredPatterns(family int, texts []string) error {
	t := c.t
	for _, text := range texts {
		number := len(t.patterns)
		t.patterns = append(t.patterns, compiledPattern{family: family})
		c.texts = append(c.texts, text)
		s := scattered{pattern: int32(number)} //nolint:gosec // a table is small
		for part := range strings.SplitSeq(text, " & ") {
			tr := newTrie(1)
			if err := c.pattern(&tr, part, number, true); err != nil {
				return fmt.Errorf("scattered %q: %w", text, err)
			}
			tr.close()
			s.parts = append(s.parts, tr)
		}
		t.change.scattered = append(t.change.scattered, s)
	}
	return nil
}

// opening tells whether a trie has a pattern that begins with no word of the table.
func (t *trie) opening() bool { return t.nodes[0].byKind || t.nodes[0].opens != 0 }

// scatteredFirsts files the scattered patterns under the words that their first parts begin with.
// The first is one that few sentences have: not "I".
func (t *table) scatteredFirsts() {
	ch := t.change
	ch.scatters, ch.scattering = map[wordID][]uint16{}, make([]bool, len(t.member))
	for i := range ch.scattered {
		s := &ch.scattered[i]
		slices.SortStableFunc(s.parts, func(a, b trie) int { return t.commonness(&a) - t.commonness(&b) })
		if s.parts[0].opening() {
			ch.anywhere = append(ch.anywhere, uint16(i)) //nolint:gosec // a table is small
			continue
		}
		for id, first := range t.begins(&s.parts[0]) {
			if first {
				ch.scattering[id] = true
				ch.scatters[wordID(id)] = append(ch.scatters[wordID(id)], uint16(i)) //nolint:gosec // a table is small
			}
		}
	}
}

// commonness tells how often sentences have words that a trie begins with.
func (t *table) commonness(tr *trie) int {
	if tr.opening() {
		return 2
	}
	for id, first := range t.begins(tr) {
		if first && (t.member[id].has(t.subjects) || t.member[id].has(t.articles) || t.member[id].has(t.change.links) || t.member[id].has(t.stops)) {
			return 1
		}
	}
	return 0
}

// mayBegin tells whether a pattern of a trie may begin with a word.
func (t *trie) mayBegin(of *table, tok *token) bool {
	n := &t.nodes[0]
	return n.byKind || n.opens != 0 || n.words&bitOf(tok.id) != 0 || t.hasEdgeOf(n, of.memberOf(tok.id)) || t.hasEdgeOf(n, of.opensOf(tok.id))
}

// changeScattered looks for scattered patterns in the clauses of a sentence.
func (r *reader) changeScattered(t *table) {
	if t.change == nil || len(t.change.scattered) == 0 || r.draft {
		return
	}
	tokens := r.m.tokens
	for start := 0; start < len(tokens); {
		end := start
		r.fired = append(r.fired[:0], t.change.anywhere...)
		for ; end < len(tokens) && tokens[end].kind < comma; end++ {
			if n := t.span(tokens, end, t.stops); n > 0 && end > start {
				break
			}
			if id := tokens[end].id; id != 0 && tokens[end].kind == word && t.change.scattering[id] {
				for _, i := range t.change.scatters[id] {
					if !slices.Contains(r.fired, i) {
						r.fired = append(r.fired, i)
					}
				}
			}
		}
		asked := end < len(tokens) && tokens[end].kind == query
		if len(r.fired) > 0 && end-start <= maxScattered {
			slices.Sort(r.fired)
			r.scatteredIn(t, start, end, asked)
		}
		start = max(end, start+1)
		for start < len(tokens) && tokens[start].kind >= comma {
			start++
		}
	}
}

// maxScattered is of how many words a clause is at most in which words that are apart belong
// together.
const maxScattered = 24

// scatteredIn makes candidates of the scattered patterns that have all their parts in a clause; of
// a broad one only where no other has.
func (r *reader) scatteredIn(t *table, start, end int, asked bool) {
	r.clauseStart, r.clauseEnd = start, end
	defer func() { r.clauseStart, r.clauseEnd = 0, 0 }()
	last, before := -1, len(r.out)
	for _, broad := range [...]bool{false, true} {
		if broad && (len(r.out) > before || slices.Contains(r.changed[start:end], true)) {
			return
		}
		for _, i := range r.fired {
			s := &t.change.scattered[i]
			of := t.patterns[s.pattern].family
			fam := &t.families[of]
			if of == last || fam.broad() != broad || asked && !fam.Mention {
				continue
			}
			if !r.gather(t, s, start, end) || fam.unless != nil && r.anywhere(fam.unless, start, end) {
				continue
			}
			if r.change(t, &r.together); len(r.out) > before {
				last = of
				if broad {
					return
				}
			}
		}
	}
}

// gather matches the parts of a scattered pattern in a clause and leaves the match in r.together.
// What denies it stands in no part.
func (r *reader) gather(t *table, s *scattered, start, end int) bool {
	tokens := r.m.tokens
	for p := 1; p < len(s.parts); p++ { // the first one may begin somewhere
		if !slices.ContainsFunc(tokens[start:end], func(tok token) bool { return tok.kind == word && s.parts[p].mayBegin(t, &tok) }) {
			return false
		}
	}
	all := &r.together
	r.gathered = append(r.gathered[:0], make([]bool, end-start)...)
	r.m.times = r.times(t)
	r.m.cuts, r.m.small = t.change.cuts, r.small
	defer func() { r.m.times, r.m.cuts, r.m.small = nil, 0, false }()
	for p := range s.parts {
		hit := false
		for i := start; i < end && !hit; i++ {
			if tokens[i].kind != word || tokens[i].quoted || r.gathered[i-start] || !s.parts[p].mayBegin(t, &tokens[i]) {
				continue
			}
			if !r.m.begun(&s.parts[p], i) || r.m.best.end > end || slices.Contains(r.gathered[i-start:r.m.best.end-start], true) {
				continue
			}
			f := &r.m.best
			if hit = true; p == 0 {
				*all = *f
			}
			all.start, all.end, all.score = min(all.start, f.start), max(all.end, f.end), all.score+f.score
			for k := range f.captures {
				if f.captures[k].set {
					all.captures[k] = f.captures[k]
				}
			}
			for j := f.start; j < f.end; j++ {
				r.gathered[j-start] = true
			}
		}
		if !hit {
			return false
		}
	}
	for i := start; i < all.end; i++ {
		if n := t.span(tokens, i, t.negators); n > 0 && !r.gathered[i-start] {
			return false
		}
	}
	all.pattern = s.pattern
	return true
}

// anywhere tells whether a pattern of a trie matches in a clause.
func (r *reader) anywhere(tr *trie, start, end int) bool {
	for i := start; i < end; i++ {
		if r.m.tokens[i].kind == word && r.m.matches(tr, i, 0, -1) {
			return true
		}
	}
	return false
}

// clauseWords is the capture that stands for each word of the clause that names something.
const clauseWords = "words"

// isClauseWords tells whether a template stands for each such word.
func isClauseWords(t template) bool { return len(t) == 1 && t[0].capture == clauseWords }

// maxNamedWords is how many words of a clause are looked up among the memories.
const maxNamedWords = 8

// namedWords are the words of the clause of a scattered pattern that may name what it is about:
// those behind what tells that it is over ("gave up my seat in the choir"), those before it, and
// those that the clause begins with.
func (r *reader) namedWords(t *table, ch *compiledChange) (all []string) {
	if r.clauseEnd == 0 {
		return nil
	}
	from, to := r.cueAt()
	add := func(i, end int) {
		for ; i < end && len(all) < maxNamedWords; i++ {
			if w := r.namingAt(t, i); w != "" && (!ch.loose || !r.namesMuch(t, i, ch.ofOthers)) && !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	i := to
	for i < r.clauseEnd && r.namingAt(t, i) == "" && i-to < maxBetween {
		i++
	}
	add(i, r.namesFrom(t, i))
	i = from
	for i > r.clauseStart && r.namingAt(t, i-1) == "" && !r.gathered[i-1-r.clauseStart] || i > r.clauseStart && i == from && r.gathered[i-1-r.clauseStart] {
		i--
	}
	end := i
	for i > r.clauseStart && r.namingAt(t, i-1) != "" {
		i--
	}
	add(i, end)
	for i = r.clauseStart; i < from && r.namingAt(t, i) == "" && (t.is(&r.m.tokens[i], t.articles) || t.is(&r.m.tokens[i], t.fillers)); i++ {
	}
	add(i, min(from, r.namesFrom(t, i)))
	return all
}

// maxBetween is how many words stand between what tells that something is over and its name.
const maxBetween = 3

// cueAt gives where the words of the longest part of a scattered pattern stand, of several the
// last.
func (r *reader) cueAt() (from, to int) {
	for i := 0; i < len(r.gathered); i++ {
		end := i
		for end < len(r.gathered) && r.gathered[end] {
			end++
		}
		if end > i && end-i >= to-from {
			from, to = i, end
		}
		i = max(i, end)
	}
	return from + r.clauseStart, to + r.clauseStart
}

// namesFrom gives the end of the run of words that name something.
func (r *reader) namesFrom(t *table, i int) int {
	for i < r.clauseEnd && r.namingAt(t, i) != "" {
		i++
	}
	return i
}

// namingAt gives a word that may name something, in the form in which names are compared; "" for
// one that holds the sentence together or tells a time.
func (r *reader) namingAt(t *table, i int) string {
	tok := &r.m.tokens[i]
	if tok.kind != word || tok.digits || r.gathered[i-r.clauseStart] || momentAt(r.times(t), i) != nil || r.isPlain(t, i) || r.premodifies(t, i) {
		return ""
	}
	text := r.msg.Text[tok.start:tok.end]
	if utf8.RuneCountInString(text) < minName {
		return ""
	}
	return normalize.FoldValue(text)
}

// minName is of how many letters a word is at least that names something: dm, GM.
const minName = 2

// isPlain tells whether a word names nothing: it holds sentences together.
func (r *reader) isPlain(t *table, i int) bool {
	for _, c := range [...]classID{t.change.links, t.fillers, t.skips, t.stops, t.joins, t.subjects, t.negators, t.vague, t.articles, t.numbers, t.tails, t.degrees, t.frequency, t.binds, t.reported} {
		if t.is(&r.m.tokens[i], c) {
			return true
		}
	}
	return false
}

// premodifies tells whether a word only says of what kind or whose the next one is: an animal's or
// a relative's, as in cat litter.
func (r *reader) premodifies(t *table, i int) bool {
	tokens := r.m.tokens
	if i+1 >= r.clauseEnd || tokens[i+1].kind != word || r.gathered[i+1-r.clauseStart] || r.isPlain(t, i+1) || !t.premodifies {
		return false
	}
	if text := r.msg.Text[tokens[i].start:tokens[i].end]; strings.HasSuffix(text, "'s") || strings.HasSuffix(text, "’s") {
		return true
	}
	for _, name := range [...]string{"pets", "kin", changeScope + "mate"} {
		if c, ok := t.named[name]; ok && t.is(&tokens[i], c) {
			return true
		}
	}
	return false
}
