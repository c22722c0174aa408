package rules

import (
	"slices"
	"strings"
)

// changeTime is when a change happened, or is to happen: the time that its words name, and the
// month of the message where they say that it has just happened. It is nil where they say neither:
// that a message tells of a move does not tell in which month it was.
func (r *reader) changeTime(t *table, f *found, ch *compiledChange) *moment {
	at := r.momentOf(t, f)
	if at == nil && !ch.Mention {
		at = r.momentBefore(t, f)
		if !ch.Plan && (at == nil || f.start-at.end > 1) && r.saysJust(t, f) {
			at = r.saidMonth() // "in 2019 I came to York, and I just moved to Leeds"
		}
	}
	if !at.known() {
		return nil
	}
	if ch.Plan {
		ahead := at.future()
		at = &ahead
	}
	return at
}

// How many words before a change, as words of languages without spaces count, and how many behind
// it say of it that it has just happened.
const (
	justBefore = 6
	justBehind = 4
	// justWithin is in how many of the first words of a change such a word stands before the verb.
	justWithin = 4
)

// justNow is what a table has for words that say so wherever they stand: "today", not "just".
const justNow = "now"

// justNot is what it has for words in which "just" tells no time: "just like that".
const justNot = "not"

// saysJust tells whether a word among those of a match, right before it or behind it in its clause
// says that what it tells has just happened.
func (r *reader) saysJust(t *table, f *found) bool {
	tokens := r.m.tokens
	for i := max(f.start-justBefore, 0); i < len(tokens) && i < f.end+justBehind; i++ {
		if i >= f.end && tokens[i].kind >= comma {
			break
		}
		n, sort := t.entry(tokens, i, t.change.just)
		switch {
		case n == 0:
		case sort == justNot:
			i += n - 1 // "just like that"
		case i < f.start:
			if i+n == f.start {
				return true
			}
		case sort == justNow, i+n == len(tokens), i+n+1 == f.end, i+n < f.end && i < f.start+justWithin:
			return true // "I have just quit", "ich habe bei Acme gerade gekündigt"
		default: // "I quit just because of the pay", "I retired so now I just teach it"
			joined := t.span(tokens, i+n, t.joins)
			return joined > 0 || tokens[i+n].kind != word
		}
	}
	return len(t.change.lights.simple) > 0 && r.leftOutJust(t, f)
}

// leftOutJust tells whether one of the words that a light verb was left out with says that a match
// has just happened: "je viens de démissionner".
func (r *reader) leftOutJust(t *table, f *found) bool {
	tokens, text := r.m.tokens, r.msg.Text
	from := strings.LastIndexAny(text[:tokens[0].start], ".!?\n") + 1
	if f.start > 0 {
		from = tokens[f.start-1].start
	}
	var s scanner
	for s.reset(text, from, tokens[f.end-1].end, t); s.next(); {
		for i := range s.tokens {
			at := s.tokens[i].start
			if slices.ContainsFunc(tokens, func(tok token) bool { return tok.start == at }) {
				continue // it was not left out
			}
			if n := t.span(s.tokens, i, t.change.just); n > 0 {
				return true
			}
		}
	}
	return false
}
