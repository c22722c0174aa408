package search

import "strings"

// wordSet gathers the words of a row of the index with spaces between them. The index keeps which
// rows have a word, not how often, so a word is written once for each row.
type wordSet struct {
	text strings.Builder
	has  map[string]struct{}
	// pairs are the pairs of words of the row.
	pairs pairFilter
}

// reset begins a row.
func (s *wordSet) reset() {
	s.text = strings.Builder{}
	if s.has == nil || len(s.has) > maxKept {
		s.has = map[string]struct{}{} // to clear a large map takes as long as it is large
	}
	clear(s.has)
}

// maxKept is the largest number of words of a row after which their map is used again.
const maxKept = 4096

func (s *wordSet) String() string { return s.text.String() }

// addMark adds a marker with the space behind it.
func (s *wordSet) addMark(mark string) { s.text.WriteString(mark) }

// add adds the folded words of a text, and the pairs of short words that follow one another.
func (s *wordSet) add(text string) {
	before := ""
	eachToken(text, func(t token) {
		s.addWord(t.text)
		if pair := shortPair(before, t.text); pair != "" {
			s.addWord(pair)
		} else {
			s.pairs.add(before, t.text)
		}
		before = t.text
	})
}

func (s *wordSet) addWord(word string) {
	if _, ok := s.has[word]; ok {
		return
	}
	s.has[word] = struct{}{}
	s.text.WriteString(word)
	s.text.WriteByte(' ')
}

// foldedText has the folded words of a text in their order, with spaces between them.
func foldedText(text string) string {
	var b strings.Builder
	b.Grow(len(text) + 1)
	eachToken(text, func(t token) {
		b.WriteString(t.text)
		b.WriteByte(' ')
	})
	return b.String()
}
