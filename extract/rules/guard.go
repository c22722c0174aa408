package rules

// guard tells why a match is no statement about the person, "" when it is one. The codes are those of the report.
func (r *reader) guard(t *table, f *found, fam *compiledFamily, strong bool) string {
	tokens := r.m.tokens
	if tokens[f.start].quoted {
		return "quoted"
	}
	if !strong && fam.Talk && !r.setting.talk {
		return "setting"
	}
	if fam.Mention {
		return ""
	}
	for i := 0; i < f.end; i++ {
		if n, _ := t.entry(tokens, i, t.hypothesis); n > 0 {
			if k, _ := t.entry(tokens, i, t.restricts); k == 0 || i <= f.start {
				return "hypothetical"
			}
		}
		if i < f.start {
			if n, _ := t.entry(tokens, i, t.reported); n > 0 {
				return "reported"
			}
		}
	}
	if asks(tokens, f.end) {
		return "question"
	}
	if r.vague(t, f, fam) {
		return "vague"
	}
	if r.unwanted(t, f, fam) {
		return "without"
	}
	if r.dangles(t, f) {
		return "dangling"
	}
	if fam.Frequent && !r.frequent(t, f) {
		return "once"
	}
	if !strong && r.points(t, f, fam) {
		return "pointer"
	}
	return ""
}

// frequent tells whether the person says how often or how long something is so.
func (r *reader) frequent(t *table, f *found) bool {
	if f.degree.set {
		return true
	}
	for i := f.start; i < f.end; i++ {
		if n, _ := t.entry(r.m.tokens, i, t.frequency); n > 0 {
			return true
		}
	}
	return false
}

// points tells whether a capture names something by a word like "it" or "them" alone, which means nothing outside of the talk.
func (r *reader) points(t *table, f *found, fam *compiledFamily) bool {
	for i := range t.captures {
		k := &f.captures[i]
		if !k.set || k.entry || !fam.used[i] {
			continue
		}
		if !r.setting.talk && fam.Type == "preference" && t.is(&r.m.tokens[k.start], t.definite) {
			return true // "I like the ending": of what is worked on
		}
		for j := k.start; j < k.end; j++ {
			tok := &r.m.tokens[j]
			if t.is(tok, t.restricts) && j > k.start {
				break // what restricts a thing may point at it
			}
			if tok.kind == word && t.is(tok, t.pointers) && !(j+1 < k.end && t.is(tok, t.articles)) {
				return true
			}
		}
	}
	return false
}

// dangles tells whether the last capture ends with a word that something has to follow: "prefers to meet when".
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

// asks tells whether the clause that a match ends in ends with a question mark.
func asks(tokens []token, end int) bool {
	last := len(tokens) - 1
	if last < 0 || tokens[last].kind != query {
		return false
	}
	for i := end; i < last; i++ {
		if tokens[i].kind >= comma {
			return false
		}
	}
	return true
}

// vague tells whether a capture that is told of names nothing: "that", "it a lot".
func (r *reader) vague(t *table, f *found, fam *compiledFamily) bool {
	for i := range t.captures {
		k := &f.captures[i]
		if !k.set || k.canonical != "" || !fam.used[i] {
			continue
		}
		names := false
		for j := k.start; j < k.end && !names; {
			tok := &r.m.tokens[j]
			if tok.kind != word {
				j++
				continue
			}
			n, _ := t.entry(r.m.tokens[:k.end], j, t.vague)
			if n == 0 {
				n, _ = t.entry(r.m.tokens[:k.end], j, t.articles)
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
