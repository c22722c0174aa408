package rules

const (
	// maxItem is how many words an item of a list has at most that no joining word ends.
	maxItem = 4
	// maxLongItem is the same before a joining word and behind it.
	maxLongItem = 9
	// maxBriefItem is the same where neither a joining word nor an article stands in the list.
	maxBriefItem = 2
)

// lists tells whether the comma at a token stands between the items of a list and not between
// clauses: what follows are short items, the last behind a joining word; or one name behind
// another, as places are told. The end of the list is left in m.listed.
func (m *matcher) lists(start, at int) bool {
	if at < m.listed {
		return true
	}
	t := m.t
	items, long, things, brief := 0, false, false, true
	for i := at + 1; ; {
		joined := t.span(m.tokens, i, t.joins)
		begin := i + joined
		i = m.itemEnd(begin)
		if i == begin {
			return false
		}
		if m.actsOn(begin) && !m.hasInfinitive(at) {
			return false
		}
		things = things || t.is(&m.tokens[begin], t.subjects)
		brief = brief && i-begin <= maxBriefItem && !t.is(&m.tokens[begin], t.articles)
		items++
		if i-begin > maxItem {
			if long = m.isLongItem(begin, i) && (joined == 0 || items > 1 || t.is(&m.tokens[begin], t.articles)); !long {
				return false
			}
		}
		switch {
		case joined > 0:
			if m.carries(begin, start) || items == 1 && i < len(m.tokens) && m.tokens[i].kind < comma && t.is(&m.tokens[i], t.runon) {
				return false
			}
			m.listed = i
			return true
		case i >= len(m.tokens) || m.tokens[i].kind > comma:
			if long || things || items < 2 && (i-begin > 2 || !m.tokens[begin].capital || at == start || !m.tokens[at-1].capital) {
				return false
			}
			if brief { // not "a girl, Vera", which ends the list before the name
				m.listed = i
			}
			return true
		case m.tokens[i].kind == comma:
			i++
		default:
			if n := t.span(m.tokens, i, t.joins); n > 0 && m.begins(i+n, i) {
				return items >= 2 && !long
			}
		}
	}
}

// itemEnd gives where an item of a list ends that begins at a token: its beginning where a clause
// stands instead, as in "two cats, one is old and …".
func (m *matcher) itemEnd(begin int) int {
	t := m.t
	if begin >= len(m.tokens) || m.tokens[begin].kind != word {
		return begin
	}
	for _, c := range []classID{t.subjects, t.fillers, t.stops, t.tails} {
		if n := t.span(m.tokens, begin, c); n > 0 && (c != t.subjects || !m.isThing(begin)) {
			return begin
		}
	}
	i := begin
	for i < len(m.tokens) && m.tokens[i].kind < comma {
		if n := t.span(m.tokens, i, t.joins); n > 0 && i > begin {
			break
		}
		if i > begin && t.is(&m.tokens[i], t.finite) {
			return begin
		}
		if i > begin && m.runsOn(i) {
			break
		}
		i++
	}
	return i
}

// isThing tells whether an article at a token begins a thing and no clause: "marketing and the
// technology sector".
func (m *matcher) isThing(i int) bool {
	return m.t.is(&m.tokens[i], m.t.articles) && m.t.classes[m.t.finite].words != 0 && !m.hasVerb(i+1)
}

// isLongItem tells whether many words are one item of a list: they have no subject of their own,
// and do not begin with a verb that would be told of the person.
func (m *matcher) isLongItem(begin, end int) bool {
	t := m.t
	if end-begin > maxLongItem || t.is(&m.tokens[begin], t.finite) {
		return false
	}
	for i := begin; i < end; i++ {
		tok := &m.tokens[i]
		if t.is(tok, t.stops) || t.is(tok, t.pointers) || t.is(tok, t.carry) || i > begin && t.is(tok, t.runon) && !t.is(&m.tokens[i-1], t.binds) && !t.is(tok, t.turn) {
			return false
		}
	}
	return true
}

// actsOn tells whether a token is a verb of the first person with what it acts on behind it: "drive
// to work", but not "supply planning".
func (m *matcher) actsOn(i int) bool {
	t := m.t
	base, ok := t.named[anyVerb+".base"]
	return ok && t.is(&m.tokens[i], base) && i+1 < len(m.tokens) && t.goesOnVerb(&m.tokens[i+1])
}

// hasInfinitive tells whether a verb behind a word like "to" stands in the match before a token.
func (m *matcher) hasInfinitive(to int) bool {
	for i := m.start + 1; i < to; i++ {
		if m.isInfinitive(i) {
			return true
		}
	}
	return false
}
