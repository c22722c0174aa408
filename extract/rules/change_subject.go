package rules

// isOfOthers tells whether somebody or something else than the person is the subject of the clause
// that a match stands in: "my boss stopped smoking". Behind a preposition they are none: "because
// of my boss I quit".
func (r *reader) isOfOthers(t *table, f *found, ch *compiledChange) bool {
	tokens := r.m.tokens
	if t.classes[t.change.selves].words == 0 || r.clauseEnd == 0 && r.is(t, f.start, t.change.selves) {
		return false
	}
	begin, end := r.subjectRange(t, f)
	other := !ch.loose && (r.beginsWithMine(t, begin, f.start) || r.followsNoun(t, begin, f.start))
	first := false // what the clause begins with is somebody else
	for i := begin; i < end; i++ {
		self := r.is(t, i, t.change.selves)
		if tokens[i].kind != word || r.clauseEnd > 0 && r.gathered[i-begin] && !self {
			continue
		}
		if self && (i+1 >= end || !r.namesOther(t, i+1)) {
			return false
		}
		if n := t.span(tokens, i, t.joins); n > 0 && !first && r.clauseEnd == 0 {
			other = false // "I left the band and sold the guitar" is of the person
		}
		named := r.namesOther(t, i) || !ch.loose && i > begin && r.is(t, i-1, t.articles) && r.isProfession(t, i)
		if named && !other && !r.isBehindLink(t, i, begin) {
			other, first = true, r.isFirst(t, begin, i)
		}
	}
	return other
}

// subjectRange gives where the subject of a match may stand that its pattern does not have: before
// it in its clause, of a scattered pattern also between the parts.
func (r *reader) subjectRange(t *table, f *found) (begin, end int) {
	if r.clauseEnd > 0 {
		return r.clauseStart, f.end
	}
	begin = f.start
	for begin > 0 && r.m.tokens[begin-1].kind < comma {
		if n := t.span(r.m.tokens, begin-1, t.stops); n > 0 {
			break
		}
		begin--
	}
	return begin, f.start
}

// beginsWithMine tells whether a clause begins with something of the person, which is its subject:
// "mon coiffeur est à la retraite".
func (r *reader) beginsWithMine(t *table, i, end int) bool {
	for i < end {
		n := 0
		for _, c := range [...]classID{t.fillers, t.joins, t.change.leads} {
			k := t.span(r.m.tokens, i, c)
			n = max(n, k)
		}
		if at := momentAt(r.times(t), i); at != nil && at.start == i {
			n = at.end - i
		}
		if n == 0 {
			break
		}
		i += n
	}
	if i < end && r.is(t, i, t.articles) && !r.is(t, i, t.turn) {
		i++ // "il mio"
	}
	return i+1 < end && r.is(t, i, t.articles) && r.is(t, i, t.turn)
}

// followsNoun tells whether a word that may name something stands directly before a match, without
// a preposition: where verbs do not tell the person, it is their subject.
func (r *reader) followsNoun(t *table, begin, start int) bool {
	if !t.change.impersonal || start == begin || r.is(t, start, t.negators) || r.is(t, start, t.change.links) {
		return false
	}
	if r.m.tokens[start-1].kind != word || r.isPlain(t, start-1) || r.tellsManner(t, start-1) || momentAt(r.times(t), start-1) != nil {
		return false
	}
	return !r.isBehindLink(t, start-1, begin)
}

// isFirst tells whether nothing but articles and what opens a clause stands before a word of it.
func (r *reader) isFirst(t *table, begin, i int) bool {
	for begin < i {
		n := 0
		for _, c := range [...]classID{t.articles, t.turn, t.fillers, t.joins, t.change.leads} {
			k := t.span(r.m.tokens, begin, c)
			n = max(n, k)
		}
		if n == 0 {
			return false
		}
		begin += n
	}
	return true
}

// namesOther tells whether a word names somebody or something that acts: a relative, a boss, a
// company, "she".
func (r *reader) namesOther(t *table, i int) bool {
	if n := t.span(r.m.tokens, i, t.change.actors); n > 0 {
		return true
	}
	return r.isKin(t, i)
}

// isProfession tells whether a word names a profession: "my plumber".
func (r *reader) isProfession(t *table, i int) bool {
	c, ok := t.named["job"]
	if !ok {
		return false
	}
	n := t.span(r.m.tokens, i, c)
	return n > 0
}

// isKin tells whether a word names a relative or partner.
func (r *reader) isKin(t *table, i int) bool {
	for _, c := range t.change.kin {
		if r.is(t, i, c) {
			return true
		}
	}
	return false
}

// isBehindLink tells whether a preposition stands before a word, its article and an adjective: "vom
// alten Chef".
func (r *reader) isBehindLink(t *table, i, begin int) bool {
	for i--; i > begin && r.is(t, i, t.articles) && !r.is(t, i, t.change.links); i-- {
	}
	return i >= begin && (r.is(t, i, t.change.links) || i > begin && r.is(t, i-1, t.change.links))
}
