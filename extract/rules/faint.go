package rules

// faint tells whether a match says little beside what else is told: a capture has a word of the
// table's list ("it", "something").
func (r *reader) faint(t *table, f *found, fam *compiledFamily) bool {
	for i := range t.captures {
		k := &f.captures[i]
		if !k.set || !fam.used[i] {
			continue
		}
		for j := k.start; j < k.end; j++ {
			if n := t.span(r.m.tokens[:k.end], j, t.faint); n > 0 {
				return true
			}
		}
	}
	return false
}

// thin takes the faint statements of a message away when it has others: beside "I have two sons"
// nobody asks to keep "I got them something nice". Alone they stay, and so does what takes
// something back.
func (r *reader) thin() {
	from := len(r.out) - len(r.weak)
	solid := false
	for i, weak := range r.weak {
		solid = solid || !weak && r.out[from+i].Act == ""
	}
	if !solid {
		return
	}
	kept := r.out[:from]
	for i, weak := range r.weak {
		if weak {
			r.report.Skip("faint")
			continue
		}
		kept = append(kept, r.out[from+i])
	}
	clear(r.out[len(kept):])
	r.out = kept
}
