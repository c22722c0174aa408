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

// isLostInPlace tells whether somebody of whom a match tells that they are lost was lost somewhere,
// and did not die: "I lost my husband in the maze". Who was lost in a war or at a time died.
func (r *reader) isLostInPlace(t *table, f *found) bool {
	tokens := r.m.tokens
	loses := false
	for i := f.start; i < f.end; i++ {
		loses = loses || r.is(t, i, t.change.losing)
	}
	i := f.end
	if !loses || i >= len(tokens) || tokens[i].kind != word || momentAt(r.times(t), i) != nil || !r.is(t, i, t.change.links) {
		return false
	}
	for i++; i < len(tokens) && tokens[i].kind == word && r.is(t, i, t.articles); i++ {
	}
	return i < len(tokens) && tokens[i].kind == word && !tokens[i].digits && momentAt(r.times(t), i) == nil &&
		!r.beforeUnit(t, i) && !r.hasEntry(t, &captured{start: i, end: min(i+maxCause, len(tokens))}, t.change.causes)
}

// maxCause is how many words a cause of death has: "a terrible car accident".
const maxCause = 4
