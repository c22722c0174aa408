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

// maxSpoken is in how many messages around one it is looked for whether a name was spoken of.
const maxSpoken = 64

// hasSpokenOf tells whether the person used a name within a sentence of two messages shortly
// before this one, other than behind "I am", began one with it, or gives it to what they say, as
// plays are written: "Crane: Who is there?" Who is named only once may have asked for a mail in
// their own name.
func (r *reader) hasSpokenOf(words string) bool {
	for r.place < len(r.doc.Messages) && r.doc.Messages[r.place].ID != r.msg.ID {
		r.place++
	}
	spoken := 0
	for i := max(r.place-maxSpoken, 0); i < len(r.doc.Messages) && i <= r.place+maxSpoken; i++ {
		m := &r.doc.Messages[i]
		if m.Role != "user" {
			continue
		}
		text := m.PlainText()
		if strings.HasPrefix(text, words+":") || i < r.place && strings.HasPrefix(text, words+" ") {
			return true
		}
		if i < r.place && strings.Contains(text, words+" ") && !strings.Contains(text, "m "+words) {
			spoken++
		}
	}
	return spoken >= 2
}
