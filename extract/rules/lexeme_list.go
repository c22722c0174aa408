package rules

import (
	"fmt"
	"slices"
	"strings"
)

// verbList is an entry of a class that stands for verbs of the lexicon: "infinitive>third: walk
// swim" are these two in the first form, each with what it is in the second.
type verbList struct {
	said, told int
	lemmas     []string
}

// parseVerbList reads an entry of a class, nil for a word or phrase.
func (l *lexemes) parseVerbList(entry string) (*verbList, error) {
	columns, lemmas, found := strings.Cut(entry, ":")
	said, told, two := strings.Cut(columns, ">")
	if !found || !two {
		return nil, nil
	}
	v := &verbList{slices.Index(l.Columns, said), slices.Index(l.Columns, told), strings.Fields(lemmas)}
	if v.said < 0 || v.told < 0 {
		return nil, fmt.Errorf("%q: the lexicon has no columns %s", entry, columns)
	}
	return v, nil
}

// listVerbs puts the verbs of the lexicon into the classes that list them by what they are listed
// as.
func (l *lexemes) listVerbs(classes map[string]words) error {
	entries := map[string]string{}
	for _, entry := range slices.Concat(l.State, l.Habit, l.Event, l.Task) {
		lemma, _, _ := strings.Cut(entry, " ")
		entries[lemma] = entry
	}
	for _, name := range sortedKeys(classes) {
		var all words
		for _, w := range classes[name].list {
			v, err := l.parseVerbList(w.said)
			if err != nil {
				return fmt.Errorf("class %s: %w", name, err)
			}
			if v == nil {
				all.list = append(all.list, w)
				continue
			}
			for _, lemma := range v.lemmas {
				forms, err := l.forms(entries[lemma])
				if err != nil {
					return fmt.Errorf("class %s: the lexicon has no verb %s: %w", name, lemma, err)
				}
				all.list = pairForms(all.list, forms[v.said], forms[v.told], false)
			}
		}
		classes[name] = all
	}
	return nil
}

// listVerbs does so in the classes of a table and of its changes.
func (s *source) listVerbs() error {
	if s.Lexicon == nil {
		return nil
	}
	if s.changes != nil {
		if err := s.Lexicon.listVerbs(s.changes.Classes); err != nil {
			return fmt.Errorf("changes: %w", err)
		}
	}
	return s.Lexicon.listVerbs(s.Classes)
}
