package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// acceptance is a way to decide which memories of an answer are kept, modeled on the code of
// another system. Only what can be computed without asking a model again is modeled: their later
// calls that update or delete are not.
type acceptance struct {
	name string
	keep func(s *session, m *memory, seen map[string]bool) bool
}

var acceptances = []acceptance{
	{"everything (LangMem: no check of evidence)", func(*session, *memory, map[string]bool) bool { return true }},
	{"mem0: everything but the same text again", func(_ *session, m *memory, seen map[string]bool) bool {
		return isNew(seen, m.Value)
	}},
	{"Graphiti: known names, a turn that exists, normalized text once", func(s *session, m *memory, seen map[string]bool) bool {
		return m.cited(s) >= 0 && namesOccur(s, m.Value) && isNew(seen, squeeze(m.Value))
	}},
}

func isNew(seen map[string]bool, text string) bool {
	if seen[text] {
		return false
	}
	seen[text] = true
	return true
}

// namesOccur tells whether every capitalized word of a memory, but the first, occurs in the
// conversation, whoever said it: a fact about an entity that was not extracted is dropped.
func namesOccur(s *session, value string) bool {
	var all strings.Builder
	for _, t := range s.dialogue {
		all.WriteString(strings.ToLower(t.Text))
		all.WriteByte('\n')
	}
	said := all.String()
	for i, w := range strings.FieldsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if r, _ := utf8.DecodeRuneInString(w); i > 0 && unicode.IsUpper(r) && !strings.Contains(said, strings.ToLower(w)) {
			return false
		}
	}
	return true
}
