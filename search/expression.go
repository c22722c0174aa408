package search

import (
	"slices"
	"strings"
)

// looseness is how a message's words may differ from those of a query.
type looseness uint8

const (
	// allWords: every word as it was given.
	allWords looseness = iota
	// allForms: every word, or another form of it: allergy, allergies, allergic.
	allForms
	// anyForm: at least one of the words, and forms of the others.
	anyForm
)

// names of looseness in results.
var looseNames = [...]string{allWords: "words", allForms: "forms", anyForm: "some"}

// leastStem is how many letters of a word all its forms have in common; longestEnd is how much
// longer than the word a form may be.
const (
	leastStem  = 4
	longestEnd = 3
)

// stemOf is the beginning that the forms of a term's word have in common; "" when the word is too
// short to tell, or is not written in letters that change.
func stemOf(t *term) string {
	if t.literal || t.prefix || len(t.words) != 1 {
		return ""
	}
	word := []rune(t.words[0])
	switch n := len(word); {
	case n < leastStem, word[0] >= '0' && word[0] <= '9', classOf(word[0]) == classPair:
		return ""
	case n <= 5:
		return string(word[:leastStem])
	default:
		return string(word[:n-2])
	}
}

// memoryExpression is the query for memories, whose index has positions.
func (q *Query) memoryExpression(loose looseness) string {
	return q.join(loose, (*term).phrase)
}

// join writes the terms of the query as one expression.
func (q *Query) join(loose looseness, expression func(*term, looseness) string) string {
	parts := make([]string, len(q.wanted))
	for i := range q.wanted {
		parts[i] = expression(&q.wanted[i], loose)
	}
	if loose == anyForm {
		return "(" + strings.Join(parts, " OR ") + ")"
	}
	return strings.Join(parts, " AND ")
}

// expression quotes the words of a term. Folded words have no quotation marks. The index of
// messages has no positions: whether they are a phrase is seen in the text.
func (t *term) expression(loose looseness) string {
	if loose == allForms && t.stem != "" {
		return `"` + t.stem + `" *`
	}
	words := t.words
	last := len(words) - 1
	text := `"` + words[last] + `"`
	if t.prefix {
		text += " *"
	}
	for i, word := range words[:last] {
		text += ` AND "` + word + `"`
		if pair := shortPair(word, words[i+1]); pair != "" && (i+1 < last || !t.prefix) {
			text += ` AND "` + pair + `"`
		}
	}
	return "(" + text + ")"
}

// phrase quotes the words of a term, one after another.
func (t *term) phrase(loose looseness) string {
	if len(t.words) == 1 {
		return t.expression(loose)
	}
	text := `"` + strings.Join(t.words, " ") + `"`
	if t.prefix {
		text += " *"
	}
	return text
}

// hasPhrase tells whether a term of the query has several words: texts with the words may lack it.
func (q *Query) hasPhrase() bool {
	return slices.ContainsFunc(q.wanted, func(t term) bool { return len(t.words) > 1 })
}

// hasForms tells whether some word of the query has other forms.
func (q *Query) hasForms() bool {
	for i := range q.wanted {
		if q.wanted[i].stem != "" {
			return true
		}
	}
	return false
}
