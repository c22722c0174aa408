package rules

// enumerate makes the statement of a match of the other things of its kind, too, that are told in a
// row: "I speak Danish, Dutch and German". It gives where to read on.
func (r *reader) enumerate(t *table, f *found) int {
	tokens := r.m.tokens
	if n := t.span(tokens, f.end-1, t.joins); n == 1 && f.end-f.start > 1 {
		f.end-- // the pattern took the word that joins what follows
	}
	last := -1
	for i := range t.captures {
		if k := &f.captures[i]; k.set && (last < 0 || k.end > f.captures[last].end) {
			last = i
		}
	}
	if last < 0 || !f.captures[last].entry || f.captures[last].end != f.end {
		return f.end
	}
	for {
		at := f.end
		if at < len(tokens) && tokens[at].kind == comma {
			at++
		}
		if n := t.span(tokens, at, t.joins); n > 0 {
			at += n
		}
		if at == f.end {
			return f.end
		}
		at = t.run(tokens, at, t.articles)
		class := f.captures[last].class
		n, stands := t.find(tokens, at, class)
		if n == 0 {
			return f.end
		}
		if joined := t.span(tokens, at+n, t.joins); joined == 0 && !r.m.closes(at+n) {
			return f.end // the entry is not all of the thing: "a garden" of "a garden gnome"
		}
		f.end = at + n
		f.captures[last] = captured{at, f.end, stands, class, true, true}
		r.statement(t, f)
	}
}
