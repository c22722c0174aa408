package search

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// span is a place in a text, in bytes.
type span struct{ start, end int }

// found is what a text has of a query.
type found struct {
	// places are where each wanted term stands, in the order of the text.
	places [][]span
	// tokens counts the words of the text.
	tokens int
	// excluded: an excluded term is in the text.
	excluded bool
	// list are the words of the text.
	list []token
}

// terms counts the wanted terms that were found.
func (f *found) terms() (n int) {
	for _, p := range f.places {
		if len(p) > 0 {
			n++
		}
	}
	return n
}

// maxPlaces is how many places of one term are kept.
const maxPlaces = 64

// match looks for the terms of a query in a text.
func (q *Query) match(text string, loose looseness) found { return q.matchWith(nil, text, loose) }

// matchWith is match with memory for the words of the text.
func (q *Query) matchWith(tokens []token, text string, loose looseness) found {
	f := found{places: make([][]span, len(q.wanted))}
	tokens = tokens[:0]
	eachToken(text, func(t token) { tokens = append(tokens, t) })
	f.tokens, f.list = len(tokens), tokens
	for at := range tokens {
		for i := range q.wanted {
			if end, ok := q.wanted[i].at(tokens, at, loose); ok && len(f.places[i]) < maxPlaces {
				f.places[i] = append(f.places[i], span{tokens[at].start, end})
			}
		}
		f.excluded = f.excluded || slices.ContainsFunc(q.excluded, func(t term) bool {
			_, ok := t.at(tokens, at, allWords)
			return ok
		})
	}
	return f
}

// at tells whether a term stands at a token, and where it ends.
func (t *term) at(tokens []token, at int, loose looseness) (end int, ok bool) {
	if len(tokens)-at < len(t.words) {
		return 0, false
	}
	last := len(t.words) - 1
	if loose != allWords && t.stem != "" {
		word := tokens[at].text
		ok = strings.HasPrefix(word, t.stem) && utf8.RuneCountInString(word) <= utf8.RuneCountInString(t.words[0])+longestEnd
		return tokens[at].end, ok
	}
	for i, word := range t.words {
		switch got := tokens[at+i].text; {
		case got == word:
		case i == last && t.prefix && strings.HasPrefix(got, word):
		default:
			return 0, false
		}
	}
	return tokens[at+last].end, true
}

// Matches tells whether a text has every word of the query, and none of the excluded ones.
func (q *Query) Matches(text string) bool {
	f := q.match(text, allWords)
	return !f.excluded && f.terms() == len(q.wanted)
}
