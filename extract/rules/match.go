package rules

import "slices"

// found is a pattern that matched a clause.
type found struct {
	pattern    int32
	score      int
	start, end int // tokens; end is behind the last one of the evidence
	degree     captured
	captures   [maxCaptures]captured
}

// captured are the tokens of a capture; of a class, also what its entry stands for.
type captured struct {
	start, end int
	stands     int32   // in table.stands: what the entry stands for
	class      classID // of the entry, if it is one
	set, entry bool
}

// maxSteps bounds the work on one clause, whatever patterns and text are.
const maxSteps = 4000

// matcher matches the patterns of a table against one sentence.
type matcher struct {
	t      *table
	tokens []token
	trie   *trie
	start  int
	steps  int
	work   *int // steps of all matches together
	// probe: whether anything matches is all that is asked.
	probe bool
	hit   bool
	// mayCarry: what follows on a joining word may be told of the same subject; copula: also of the
	// same "I am"; having: the match begins with "I have".
	mayCarry, copula, having bool
	// denied: the pattern denies something, and what an alternative joins to it is denied, too.
	denied bool
	// bare is the node behind a carried "I am", where no open capture begins: any words would be a
	// quality; -1 for none.
	bare int32
	// times are those that words of the sentence name, while changes are matched: they stand
	// anywhere in a change.
	times []moment
	// leftOut: a change is looked for whose subject is not said.
	leftOut bool
	// small: the message has no capital letters, and a name is a word that the table does not know.
	small bool
	// titled: each word of the sentence has a capital, so that none tells a name.
	titled bool
	// cuts are the words that end a capture of a change; 0 while other patterns are matched.
	cuts classID
	now  [maxCaptures]captured
	// listed is where the list ends that stands in the last open capture, 0 for none.
	listed int
	// toldBefore are the names of the changes that the sentence before told, toldNow of this one.
	toldBefore, toldNow []string
	// degree is how often or how much, as said between the words of the pattern.
	degree captured
	best   found
	// carried: the subject was carried, which some families forbid.
	carried bool
}

// match leaves the best match of a clause that begins at a token in m.best, if there is one. from
// is where in the patterns it begins.
func (m *matcher) match(start int, from int32) bool {
	m.bare, m.carried = -1, from != 0
	return m.search(&m.t.trie, start, from)
}

// matchQuality is match behind a carried "I am".
func (m *matcher) matchQuality(start int, from int32) bool {
	m.bare, m.carried = from, true
	return m.search(&m.t.trie, start, from)
}

// mention is match with the patterns that match anywhere.
func (m *matcher) mention(start int) bool {
	m.bare, m.carried = -1, false
	return m.search(&m.t.mentions, start, 0)
}

// begun is match with the patterns of a table of changes.
func (m *matcher) begun(tr *trie, start int) bool {
	m.bare = -1
	return m.search(tr, start, 0)
}

func (m *matcher) search(tr *trie, start int, from int32) bool {
	m.trie, m.start, m.steps, m.probe, m.hit, m.degree = tr, start, 0, false, false, captured{}
	m.best.pattern, m.best.score, m.mayCarry, m.denied = -1, 0, true, false
	if from == 0 && (start >= len(m.tokens) || m.tokens[start].kind == word && !tr.mayBegin(m.t, &m.tokens[start])) {
		return false
	}
	n := m.t.span(m.tokens, start, m.t.copula)
	m.having = m.startsHaving(start)
	m.copula = n > 0 || m.bare >= 0
	if not := m.t.span(m.tokens, start+n, m.t.negators); not > 0 {
		m.copula = false
	}
	m.walk(from, start, 0, 0, true)
	return m.best.pattern >= 0
}

// startsHaving tells whether words at a token say that what follows is had.
func (m *matcher) startsHaving(start int) bool {
	n := m.t.span(m.tokens, start, m.t.having)
	return n > 0
}

// matches tells whether a trie matches at a token.
func (m *matcher) matches(tr *trie, start int, from, bare int32) bool {
	if from == 0 && (start >= len(m.tokens) || m.tokens[start].kind == word && !tr.mayBegin(m.t, &m.tokens[start])) {
		return false
	}
	p := matcher{t: m.t, tokens: m.tokens, trie: tr, start: start, probe: true, work: m.work, steps: m.steps, bare: bare, carried: from != 0, times: m.times}
	p.walk(from, start, 0, 0, true)
	m.steps = p.steps
	return p.hit
}

// walk goes on from a node at a token. literal tells that the last step was no skipped word.
func (m *matcher) walk(at int32, i, score, skipped int, literal bool) {
	m.steps++
	*m.work++
	if m.steps > maxSteps || m.probe && m.hit {
		return
	}
	n := &m.trie.nodes[at]
	if literal {
		m.ends(n.free, i, score)
		if n.ends != 0 && (m.probe || m.closes(i)) {
			m.ends(n.ends, i, score)
		}
		if at != m.bare {
			for k := n.opens; k != 0; k = m.trie.opens[k].next {
				m.open(&m.trie.opens[k], i, score)
			}
		}
	}
	if n.leaf || i >= len(m.tokens) {
		return
	}
	tok := &m.tokens[i]
	switch {
	case tok.kind == symbol && at != 0:
		m.walk(at, i+1, score, skipped, false)
		return
	case tok.kind == comma || tok.kind == pause:
		if m.t.comma != 0 {
			if to := m.trie.edges.Step(at, m.t.comma); to != 0 {
				m.walk(to, i+1, score, skipped, true)
			}
		}
		return
	case tok.kind != word:
		return
	}
	if n.words&bitOf(tok.id) != 0 {
		if to := m.trie.edges.Step(at, tok.id); to != 0 {
			m.walk(to, i+1, score+2, skipped, true)
		}
	}
	classes := n.classes
	if !m.fits(n, tok.id) {
		classes = 0
	}
	for at := classes; at != 0; at = m.trie.classes[at].next {
		e, to := m.trie.classes[at].edge, m.trie.classes[at].to
		if m.t.memberOf(tok.id).has(e.class) {
			m.bind(e.capture, captured{i, i + 1, m.t.meanings.Step(int32(e.class), tok.id), e.class, true, true})
			m.walk(to, i+1, score+1, skipped, true)
			m.bind(e.capture, captured{})
		}
		if m.t.opensOf(tok.id).has(e.class) {
			if k, stands := m.t.phrase(m.tokens, i, e.class); k > 0 {
				m.bind(e.capture, captured{i, i + k, stands, e.class, true, true})
				m.walk(to, i+k, score+k, skipped, true)
				m.bind(e.capture, captured{})
			}
		}
	}
	for at := n.numbers; at != 0; at = m.trie.numbers[at].next {
		e := &m.trie.numbers[at]
		stands := int32(0)
		if !tok.digits {
			if m.t.opensOf(tok.id).has(m.t.numbers) { // "тридцать четыре", "三十"
				if k, stands := m.t.phrase(m.tokens, i, m.t.numbers); k > 0 {
					m.bind(e.edge, captured{start: i, end: i + k, stands: stands, set: true})
					m.walk(e.to, i+k, score+1, skipped, true)
					m.bind(e.edge, captured{})
				}
			}
			if !m.t.is(tok, m.t.numbers) {
				continue
			}
			stands = m.t.meanings.Step(int32(m.t.numbers), tok.id)
		}
		m.bind(e.edge, captured{start: i, end: i + 1, stands: stands, set: true})
		m.walk(e.to, i+1, score+1, skipped, true)
		m.bind(e.edge, captured{})
	}
	for at := n.names; at != 0; at = m.trie.names[at].next {
		e := &m.trie.names[at]
		if tok.run != 0 {
			if end := m.nameRun(i); end > i {
				m.bind(e.edge, captured{start: i, end: end, set: true})
				m.walk(e.to, end, score+1, skipped, true)
				m.bind(e.edge, captured{})
			}
			continue
		}
		last := m.nameEnd(i) // the longest name is tried first
		for k := last - 1; k >= i; k-- {
			if m.tokens[k].kind != word {
				continue
			}
			m.bind(e.edge, captured{start: i, end: k + 1, set: true})
			m.walk(e.to, k+1, score+1, skipped, true)
			m.bind(e.edge, captured{})
		}
	}
	if at != 0 && len(m.times) > 0 {
		if t := momentAt(m.times, i); t != nil && t.start == i {
			m.walk(at, t.end, score, skipped, literal && m.t.change.inside)
		}
	}
	if at != 0 && skipped < 3 {
		if k := m.t.span(m.tokens, i, m.t.skips); k > 0 {
			m.walk(at, i+k, score, skipped+1, false)
		}
		if k, stands := m.t.find(m.tokens, i, m.t.degrees); k > 0 && !m.degree.set {
			m.degree = captured{start: i, end: i + k, stands: stands, set: true}
			m.walk(at, i+k, score, skipped+1, false)
			m.degree = captured{}
		}
	}
}

// fits tells whether a word is in a class that leaves a node, or begins a phrase of one.
func (m *matcher) fits(n *node, id wordID) bool {
	return m.trie.hasEdgeOf(n, m.t.memberOf(id)) || m.trie.hasEdgeOf(n, m.t.opensOf(id))
}

func (m *matcher) bind(capture int8, c captured) {
	if capture >= 0 {
		m.now[capture] = c
	}
}

// open binds an open capture that begins at a token. Behind the last token nothing begins.
func (m *matcher) open(open *link[openEdge], i, score int) {
	if i >= len(m.tokens) {
		return
	}
	if t := momentAt(m.times, i); t != nil && t.start == i {
		return // the time is no part of what changes
	}
	next := &m.trie.nodes[open.to]
	capture, least, most := open.edge.capture, int(open.edge.min), int(open.edge.max)
	if next.ends != 0 {
		first := m.trie.ends[next.ends].edge
		if m.probe {
			m.hit = m.hit || m.tokens[i].kind == word && !m.forbids(first)
			return
		}
		m.mayCarry, m.denied = i == 0 || !m.isInfinitive(i), m.t.denies(first)
		head, end := m.rest(i)
		fits := head-i <= most || most >= minListed && m.listed > 0
		if fits && end > i && end-i >= least && end-i <= max(most, maxRestricted) {
			m.bind(capture, captured{start: i, end: end, set: true})
			m.ends(next.ends, end, score)
			m.bind(capture, captured{})
		}
	}
	if next.leaf && next.free == 0 {
		return
	}
	for k := i; k < i+most && k < len(m.tokens); k++ {
		if tok := &m.tokens[k]; tok.kind != word && tok.kind != symbol || k > i && m.t.is(tok, m.t.runon) {
			return
		}
		if k+1-i < least {
			continue
		}
		if next.free == 0 && !next.byKind {
			if k+1 >= len(m.tokens) {
				return
			}
			id := m.tokens[k+1].id
			if m.tokens[k+1].kind == comma {
				id = m.t.comma
			} else if t := momentAt(m.times, k+1); t != nil && t.start == k+1 && t.end < len(m.tokens) {
				id = m.tokens[t.end].id // "Rex last week died"
			}
			if next.words&bitOf(id) == 0 && !m.fits(next, id) {
				continue // what is behind is no word of a pattern
			}
		}
		m.bind(capture, captured{start: i, end: k + 1, set: true})
		m.inner(open.to, k+1, score)
		m.bind(capture, captured{})
	}
}

// inner goes on behind an open capture: only with a word of the pattern, for the capture would else
// be longer.
func (m *matcher) inner(at int32, i, score int) {
	m.steps++
	n := &m.trie.nodes[at]
	m.ends(n.free, i, score)
	if n.leaf || i >= len(m.tokens) || m.tokens[i].kind != word && m.tokens[i].kind != comma {
		return
	}
	m.walk(at, i, score, 3, false)
}

// forbids tells whether a pattern is none of a clause with a carried subject.
func (m *matcher) forbids(pattern int32) bool {
	return m.carried && m.trie == &m.t.trie && m.t.families[m.t.patterns[pattern].family].NoCarry
}

// isInfinitive tells whether a token is a verb behind a word like "to". Of a language without a
// lexicon any word may be one.
func (m *matcher) isInfinitive(i int) bool {
	if !m.t.is(&m.tokens[i-1], m.t.infinitives) {
		return false
	}
	verbs, ok := m.t.named[anyVerb+".base"]
	return !ok || m.t.is(&m.tokens[i], verbs) || m.t.opensOf(m.tokens[i].id).has(verbs)
}

// follows tells whether one of some changes was told in this sentence or in the one before it: "our
// son is here! His name is Tom".
func (m *matcher) follows(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.Contains(m.toldBefore, name) || slices.Contains(m.toldNow, name)
	})
}

// ends are the patterns of a chain, complete before token i.
func (m *matcher) ends(chain int32, i, score int) {
	for ; chain != 0; chain = m.trie.ends[chain].next {
		m.end(m.trie.ends[chain].edge, i, score)
	}
}

// end is a pattern that is complete before token i.
func (m *matcher) end(pattern int32, i, score int) {
	if m.forbids(pattern) {
		return
	}
	if m.probe {
		m.hit = true
		return
	}
	f := &m.t.families[m.t.patterns[pattern].family]
	if f.Head && m.trie == &m.t.trie && !m.t.opensSentence(m.tokens, m.start) {
		return // "I cook and play the harp": the verb has a subject
	}
	if f.change != nil && f.change.transition != nil && len(f.change.Follows) > 0 && !m.follows(f.change.Follows) {
		return
	}
	if m.best.pattern >= 0 {
		other := &m.t.families[m.t.patterns[m.best.pattern].family]
		if f.broad() && !other.broad() {
			return
		}
		if f.broad() == other.broad() && (score < m.best.score || score == m.best.score && pattern >= m.best.pattern) {
			return
		}
	}
	if f.unless != nil && m.matches(f.unless, m.start, 0, -1) {
		return
	}
	if m.leftOut && f.change != nil {
		for _, from := range f.change.elided {
			if m.matches(f.unless, m.start, from, -1) {
				return
			}
		}
	}
	m.best = found{pattern: pattern, score: score, start: m.start, end: i, degree: m.degree, captures: m.now}
}
