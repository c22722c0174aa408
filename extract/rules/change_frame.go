package rules

import "strings"

// frameSentence notes whether a sentence tells of a game, a dream or a story. What follows on it in
// the same line is imagined, too.
func (r *reader) frameSentence(t *table) {
	if t.change == nil || t.change.frames == nil || len(r.m.tokens) == 0 {
		r.imagined = false
		return
	}
	start, end := r.m.tokens[0].start, r.m.tokens[len(r.m.tokens)-1].end
	if start < r.framedTo || strings.Contains(r.msg.Text[r.framedTo:start], "\n") {
		r.imagined = false
	}
	r.imagined = r.imagined || r.anywhere(t.change.frames, 0, len(r.m.tokens))
	r.framedTo = end
}

// isImagined tells whether a statement of a type is of what the person only imagines. What they
// like, know and want of a game is their own.
func (r *reader) isImagined(typ string) bool {
	switch typ {
	case "fact", "identity", "relationship", "context":
		return r.imagined
	}
	return false
}
