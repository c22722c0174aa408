package rules

import "strings"

// frameSentence notes whether a sentence tells of a game, a dream or a story. What follows on it in
// the same line is imagined, too.
func (r *reader) frameSentence(t *table) {
	if t.change == nil || t.change.frames == nil || len(r.m.tokens) == 0 {
		r.imagined = r.scene
		return
	}
	r.scene = r.scene || r.isScene(t)
	start, end := r.m.tokens[0].start, r.m.tokens[len(r.m.tokens)-1].end
	if start < r.framedTo || strings.Contains(r.msg.Text[r.framedTo:start], "\n") {
		r.imagined = false
	}
	r.imagined = r.imagined || r.scene || r.anywhere(t.change.frames, 0, len(r.m.tokens))
	r.framedTo = end
}

// maxScene is how many words and signs the heading of a scene has at most.
const maxScene = 8

// isScene tells whether a sentence is a line of its own that only announces a story, so that the
// rest of the message is one: "A possible scenario:".
func (r *reader) isScene(t *table) bool {
	tokens := r.m.tokens
	if len(tokens) > maxScene {
		return false
	}
	found := false
	for i := range tokens {
		if t.is(&tokens[i], t.turn) || t.is(&tokens[i], t.change.selves) {
			return false
		}
		n := t.span(tokens, i, t.change.scenes)
		found = found || n > 0
	}
	before, behind := r.msg.Text[:tokens[0].start], r.msg.Text[tokens[len(tokens)-1].end:]
	behind = strings.TrimLeft(behind, " .:*_-：。")
	before = strings.TrimRight(before, " #*_-")
	return found && (before == "" || before[len(before)-1] == '\n') && behind != "" && behind[0] == '\n'
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
