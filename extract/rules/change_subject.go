package rules

// isOfOthers tells whether somebody or something else than the person is the subject of the clause
// that a match stands in: "my boss stopped smoking". Behind a preposition they are none: "because
// of my boss I quit".
func (r *reader) isOfOthers(t *table, f *found) bool {
	tokens := r.m.tokens
	if len(t.classes[t.change.selves].canonical) == 0 || r.clauseEnd == 0 && t.is(&tokens[f.start], t.change.selves) {
		return false
	}
	begin, end := f.start, f.start
	for begin > 0 && tokens[begin-1].kind < comma {
		if n, _ := t.entry(tokens, begin-1, t.stops); n > 0 {
			break
		}
		begin--
	}
	if r.clauseEnd > 0 { // the parts of a scattered pattern stand on both sides of the subject
		begin, end = r.clauseStart, f.end
	}
	other, first := false, false // first: it is what the clause begins with
	for i := begin; i < end; i++ {
		if tokens[i].kind != word || r.clauseEnd > 0 && r.gathered[i-begin] && !t.is(&tokens[i], t.change.selves) {
			continue
		}
		named := r.namesOther(t, i)
		if t.is(&tokens[i], t.change.selves) && (i+1 >= end || !r.namesOther(t, i+1)) {
			return false
		}
		if n, _ := t.entry(tokens, i, t.joins); n > 0 && !first && r.clauseEnd == 0 {
			other = false // "I left the band and sold the guitar" is of the person
		}
		if named && !other && !r.isBehindLink(t, i, begin) {
			other, first = true, r.isFirst(t, begin, i)
		}
	}
	return other
}

// isFirst tells whether nothing but articles and what opens a clause stands before a word of it.
func (r *reader) isFirst(t *table, begin, i int) bool {
	for begin < i {
		n := 0
		for _, c := range [...]classID{t.articles, t.turn, t.fillers, t.joins, t.change.leads} {
			k, _ := t.entry(r.m.tokens, begin, c)
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
	if n, _ := t.entry(r.m.tokens, i, t.change.actors); n > 0 {
		return true
	}
	return r.isKin(t, i)
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
