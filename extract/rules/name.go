package rules

// maxRun is of how many signs a name is at most in a language without spaces.
const maxRun = 8

// nameRun gives the end of the signs of one sort that begin at a token, i when they began before
// it.
func (m *matcher) nameRun(i int) int {
	run := m.tokens[i].run
	if i > 0 && m.tokens[i-1].run == run {
		if t := momentAt(m.times, i-1); t == nil || t.end > i {
			return i
		}
	}
	end := i
	for end < len(m.tokens) && m.tokens[end].run == run && end-i <= maxRun {
		end++
	}
	if end-i > maxRun {
		return i
	}
	return end
}

// maxName is how many words a name has at most.
const maxName = 3

// nameEnd gives the end of the words that may be a name from a token on, i for none. A sign that
// joins names stands between two of them.
func (m *matcher) nameEnd(i int) int {
	end := i
	for n := 0; n < maxName && end < len(m.tokens); n++ {
		at := end
		joined := at > i && m.tokens[at].kind == symbol && m.tokens[at].capital
		if joined {
			at++
		}
		if at >= len(m.tokens) || !m.names(&m.tokens[at]) || at > i && !m.tokens[i].capital || joined && !m.tokens[at].capital {
			break
		}
		end = at + 1
	}
	return end
}

// names tells whether a word may be one of a name: people who write titles begin every word with a
// capital.
func (m *matcher) names(tok *token) bool {
	if tok.kind != word || !tok.capital && !(m.small && !tok.digits && (tok.id == 0 || m.t.isNamed(tok))) {
		return false
	}
	if m.titled && !m.t.isNamed(tok) {
		return false
	}
	for _, c := range [...]classID{m.t.vague, m.t.joins, m.t.stops, m.t.subjects} {
		if m.t.is(tok, c) {
			return false
		}
	}
	return true
}

// minTitled is of how many words a sentence is whose capitals tell nothing: "My Cat Is A Lemon".
const minTitled = 5

// isTitled tells whether each word of a sentence begins with a capital letter.
func isTitled(tokens []token) bool {
	n := 0
	for i := range tokens {
		switch {
		case tokens[i].kind != word || tokens[i].digits:
		case !tokens[i].capital:
			return false
		default:
			n++
		}
	}
	return n >= minTitled
}

// isNamed tells whether the table knows a word only as a name: of its classes firstname and named.
func (t *table) isNamed(tok *token) bool {
	for _, name := range [...]string{"firstname", changeScope + "named"} {
		if c, ok := t.named[name]; ok && t.is(tok, c) {
			return true
		}
	}
	return false
}
