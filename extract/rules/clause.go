package rules

// closes tells whether a clause may end before token i.
func (m *matcher) closes(i int) bool {
	if i >= len(m.tokens) || m.tokens[i].kind != word && m.tokens[i].kind != symbol {
		return true
	}
	t := m.t
	if n, sort := t.entry(m.tokens, i, t.restricts); n > 0 && sort == limits {
		return false
	}
	if momentAt(m.times, i) != nil {
		return true
	}
	if n := t.span(m.tokens, i, t.stops); n > 0 {
		return true
	}
	if n := t.span(m.tokens, i, t.joins); n > 0 {
		return m.begins(i+n, i)
	}
	n := t.span(m.tokens, i, t.tails)
	return n > 0 && m.closes(i+n)
}

// limits is what a table has for a restricting word without which a statement is not true:
// "vegetarian, unless in company". After the other ones it still is: "a nurse who works nights" is
// a nurse.
const limits = "limits"

// maxRest is how many tokens the end of a capture is looked for: no pattern takes one that is
// longer.
const maxRest = 48

// rest gives where a capture that begins at token i and goes on to the end of its clause ends,
// without the words that belong to the talk and not to what is told. head is where the words end
// that a restricting clause follows on, or the capture. m.listed is where a list in it ends.
func (m *matcher) rest(i int) (head, end int) {
	t := m.t
	end = i
	m.listed = 0
	for end < len(m.tokens) && end < i+maxRest {
		if m.steps++; m.steps > maxSteps {
			return i, i
		}
		tok := &m.tokens[end]
		if tok.kind >= pause {
			break
		}
		if tok.kind == comma {
			n := t.span(m.tokens, end+1, t.relatives)
			same := n == 0 && end > i && m.lists(i, end)
			if end == i || n == 0 && !same && !m.modifies(i, end) {
				break
			}
			if !same && head == 0 {
				head = end
			}
			end += 1 + n
			continue
		}
		if end > i && momentAt(m.times, end) != nil && momentAt(m.times, i) == nil || head == 0 && end > i && m.runsOn(end) {
			break
		}
		if m.cuts != 0 && end > i {
			if n := t.span(m.tokens, end, m.cuts); n > 0 {
				break
			}
			if n := t.span(m.tokens, end, t.joins); n > 0 {
				break
			}
			if t.is(&m.tokens[end], t.runon) && !t.is(&m.tokens[end-1], t.binds) {
				break // "my new job at Initech I sleep well"
			}
		}
		if end > i && t.asksHow(m.tokens, end) {
			end += 2
			continue
		}
		if n := t.span(m.tokens, end, t.stops); n > 0 {
			if n = m.restricts(i, end); n == 0 {
				break
			}
			if head == 0 {
				head = end
			}
			end += n
			continue
		}
		if n := t.span(m.tokens, end, t.joins); n > 0 && (end == i || m.begins(end+n, end)) || end > i && t.asksBack(m.tokens, end) {
			break
		}
		end++
	}
	end = m.trim(i, end)
	if head == 0 || head > end {
		head = end
	}
	return head, end
}

// asksHow tells whether a question without a subject begins at a token, which the verb before it
// needs: "learn | how to sail".
func (t *table) asksHow(tokens []token, i int) bool {
	return i+1 < len(tokens) && t.is(&tokens[i], t.completes) && t.is(&tokens[i-1], t.completed) && t.is(&tokens[i+1], t.infinitives)
}

// minRunOn is how many words follow on a pronoun that begins a sentence without a full stop before
// it. Fewer belong to the thing before: "a song I wrote".
const minRunOn = 4

// runsOn tells whether a new sentence begins at a token, as people write who leave out full stops.
func (m *matcher) runsOn(at int) bool {
	t := m.t
	if !t.is(&m.tokens[at], t.runon) || t.is(&m.tokens[at-1], t.binds) || t.is(&m.tokens[at-1], t.articles) {
		return false
	}
	if t.is(&m.tokens[at], t.articles) && t.isVerb(&m.tokens[at-1]) {
		return false // "grow my hair": its object
	}
	end := at
	for end < len(m.tokens) && m.tokens[end].kind < comma {
		end++
	}
	return end-at > minRunOn
}

// isVerb tells whether a word is a form of a verb of the lexicon.
func (t *table) isVerb(tok *token) bool {
	for _, form := range [...]string{".base", ".past", ".doing", ".done", ".third"} {
		if c, ok := t.named[anyVerb+form]; ok && t.is(tok, c) {
			return true
		}
	}
	return false
}

// acts tells whether a verb stands between the beginning of the match and a token that what follows
// on a joining word may belong to: "I am going to cook and bake".
func (m *matcher) acts(to int) bool {
	doing, ok := m.t.named[anyVerb+".doing"]
	for i := m.start; i < to; i++ {
		if m.t.is(&m.tokens[i], m.t.infinitives) || ok && m.t.is(&m.tokens[i], doing) {
			return true
		}
	}
	return false
}

// restricts tells how many words at a token begin a clause that restricts what a capture from start
// names: "games that take hours", "meat, except at home". Without it the capture would say more
// than the person did.
func (m *matcher) restricts(start, at int) int {
	if at == start || at+1 >= len(m.tokens) || m.tokens[at+1].kind >= comma {
		return 0
	}
	n := m.t.span(m.tokens, at, m.t.restricts)
	return n
}

// maxModified is how many words follow a comma between words that say how the same thing is.
const maxModified = 8

// modifies tells whether the comma at a token stands between words that say how the same thing is:
// "a small, quiet town". A single word stands before it, behind none or a word that no thing ends
// with.
func (m *matcher) modifies(start, at int) bool {
	t := m.t
	if !t.premodifies || m.cuts != 0 { // what changes is a name: "gave up judo, chess is more my thing"
		return false
	}
	if at-1 > start && !t.is(&m.tokens[at-2], t.binds) && !t.is(&m.tokens[at-2], t.articles) || m.tokens[at-1].kind != word ||
		m.tokens[at-1].digits || m.tokens[at-1].capital {
		return false
	}
	i := at + 1
	if i >= len(m.tokens) || m.tokens[i].kind != word || m.tokens[i].digits {
		return false
	}
	for _, c := range []classID{t.subjects, t.fillers, t.stops, t.joins, t.tails, t.skips, t.binds, t.restricts, t.negators, t.vague} {
		if n := t.span(m.tokens, i, c); n > 0 {
			return false
		}
	}
	end := i
	for end < len(m.tokens) && m.tokens[end].kind < comma {
		if n := t.span(m.tokens, end, t.stops); n > 0 {
			break
		}
		if doing, ok := t.named[anyVerb+".doing"]; ok && t.is(&m.tokens[end], doing) && end+1 < len(m.tokens) && t.goesOnVerb(&m.tokens[end+1]) {
			return false // "from Oslo, travelling in Italy"
		}
		end++
	}
	return end-i >= 2 && end-i <= maxModified && !m.carries(i, start)
}

// trim takes from the end of a capture what is said to the listener, and what cannot end it.
func (m *matcher) trim(start, end int) int {
	t := m.t
	for end > start {
		tok := &m.tokens[end-1]
		if tok.kind == comma || tok.kind == symbol && !isQuoteAt(tok) && end-1 == start {
			end--
			continue
		}
		if n := t.span(m.tokens, end-1, t.joins); n == 1 {
			end--
			continue
		}
		cut := 0
		for n := 1; n <= 4 && end-n >= start; n++ {
			if k := t.span(m.tokens, end-n, t.tails); k == n {
				cut = n
			}
		}
		if cut == 0 {
			return end
		}
		end -= cut
	}
	return end
}

func isQuoteAt(tok *token) bool { return tok.kind == symbol && tok.end-tok.start != 1 || tok.quoted }

// begins tells whether a new clause begins at token i, behind a word at token join that may also
// join two objects.
func (m *matcher) begins(i, join int) bool {
	t := m.t
	i = t.run(m.tokens, i, t.fillers)
	if i >= len(m.tokens) || m.tokens[i].kind >= comma {
		return true
	}
	inName := t.is(&m.tokens[i], t.articles) && m.tokens[i].capital // "Alien and The Thing"
	if n := t.span(m.tokens, i, t.subjects); n > 0 && !inName && (join == 0 || !t.is(&m.tokens[i], t.articles) || m.hasVerb(i+1)) {
		return true
	}
	if n := t.span(m.tokens, i, t.stops); n > 0 {
		return true
	}
	if join > 0 && i == join+1 && m.actsAgain(i) && !m.acts(join) {
		return true
	}
	return m.carries(i, join)
}

// maxSubject is how many words a subject with its article has at most.
const maxSubject = 5

// hasVerb tells whether a verb follows on what stands from a token on, within its clause. Without
// one it is no subject: "coffee and the sea", "the fast and the furious movies". Only in languages
// whose table knows the verbs that no object begins with.
func (m *matcher) hasVerb(i int) bool {
	t := m.t
	if t.classes[t.finite].words == 0 {
		return true
	}
	for end := min(len(m.tokens), i+maxSubject); i < end && m.tokens[i].kind < comma; i++ {
		if n := t.span(m.tokens, i, t.stops); n > 0 {
			return false
		}
		if t.is(&m.tokens[i], t.finite) || t.isVerb(&m.tokens[i]) || t.is(&m.tokens[i], t.turn) || t.is(&m.tokens[i], t.pointers) {
			return true // also "the college grants me", whatever verb stands there
		}
	}
	return false
}

// actsAgain tells whether a token behind a joining word is a verb of the first person rather than a
// thing: "I'm a Methodist and sing in the choir", "I've got asthma and take cortisone".
func (m *matcher) actsAgain(i int) bool {
	t := m.t
	if !m.copula && !m.having {
		return false
	}
	if c, ok := t.named[anyVerb+".base"]; !ok || !t.is(&m.tokens[i], c) {
		return false
	}
	more := i+1 < len(m.tokens) && m.tokens[i+1].kind == word
	if t.is(&m.tokens[i], t.homonyms) {
		return more && t.goesOnVerb(&m.tokens[i+1])
	}
	return more || m.copula
}

// carries tells whether what follows on a joining word is told of the same subject: "I live here
// and work there".
func (m *matcher) carries(i, join int) bool {
	if join == 0 || !m.mayCarry || m.denied && m.alternative(join) {
		return false
	}
	for _, from := range m.t.carried {
		if m.matches(&m.t.trie, i, from, -1) {
			return true
		}
	}
	if !m.copula {
		return false
	}
	for _, from := range m.t.copulas {
		if m.matches(&m.t.trie, i, from, from) {
			return true
		}
	}
	return false
}

// alternative tells whether a joining word is one like "or".
func (m *matcher) alternative(join int) bool {
	n := m.t.span(m.tokens, join, m.t.alternatives)
	return n > 0
}
