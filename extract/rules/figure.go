package rules

import "strings"

// isFigure tells whether somebody who says "I am" and a name speaks as a figure: the name stands in
// quotation marks, or they have spoken of it before. Who they are themselves they call "I".
func (r *reader) isFigure(t *table, f *found) bool {
	for i := range t.captures {
		k := &f.captures[i]
		if !k.set {
			continue
		}
		if r.hasQuoted(k) || r.m.tokens[k.start].kind == symbol {
			return true
		}
		if n := t.span(r.m.tokens, f.start, t.copula); n > 0 && k.start >= f.start+n && r.hasSpokenOf(r.msg.Text[r.m.tokens[k.start].start:r.m.tokens[k.end-1].end]) {
			return true
		}
	}
	return false
}

// hasSpokenOf tells whether the person used a name within a sentence of a message before this one,
// other than behind "I am", or gives it to what they say, as plays are written: "Crane: Who is
// there?"
func (r *reader) hasSpokenOf(words string) bool {
	later := false
	for i := range r.doc.Messages {
		m := &r.doc.Messages[i]
		if later = later || m.ID == r.msg.ID; m.Role != "user" {
			continue
		}
		text := m.PlainText()
		if strings.HasPrefix(text, words+":") || !later && strings.Contains(text, words+" ") && !strings.Contains(text, "m "+words) {
			return true
		}
	}
	return false
}
