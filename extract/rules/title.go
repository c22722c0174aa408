package rules

import (
	"strings"
	"unicode"
)

// titles are abbreviations before a name.
var titles = map[string]bool{"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "ste": true, "mt": true, "sra": true, "sr": true, "dra": true, "mme": true, "mlle": true, "sig": true, "dott": true}

// endsTitle tells whether the full stop at s.at belongs to an abbreviation that stands before a
// name: the next word has a capital letter and begins no clause.
func (s *scanner) endsTitle() bool {
	n := len(s.tokens)
	if n == 0 || s.tokens[n-1].end != s.at || !titles[strings.ToLower(s.text[s.tokens[n-1].start:s.at])] {
		return false
	}
	rest := strings.TrimLeft(s.text[s.at+1:min(s.end, s.at+1+maxWord)], " ")
	if rest == "" || !beginsUpper(rest) {
		return false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	if end < 0 {
		end = len(rest)
	}
	id := s.table.lexicon.Find([]byte(strings.ToLower(rest[:end])))
	return id == 0 || !s.table.memberOf(id).has(s.table.subjects)
}
