package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// lexemes are the verbs of a language with their forms, written once: tables/README.md tells how.
// Patterns refer to them by class and form, as @event.past.
type lexemes struct {
	// Columns names the forms of an entry in their order; the first is how the entry is listed.
	Columns []string `yaml:"columns"`
	// Says maps the forms that people say of themselves to those that a memory has.
	Says map[string]string `yaml:"says"`
	// Endings makes regular forms: for each column, what an ending of the first one becomes. An
	// ending may ask for a beginning, and give way to another column: "ver*": "=third".
	Endings map[string]map[string]string `yaml:"endings"`
	State   []string                     `yaml:"state"`
	Habit   []string                     `yaml:"habit"`
	Event   []string                     `yaml:"event"`
	Task    []string                     `yaml:"task"`
}

// anyVerb is the name under which patterns refer to the verbs of all classes.
const anyVerb = "verb"

// classes gives the class of words for each class of verbs and each form that is said.
func (l *lexemes) classes() (map[string]words, error) {
	all := map[string]words{}
	for _, k := range []struct {
		name string
		list []string
	}{{"state", l.State}, {"habit", l.Habit}, {"event", l.Event}, {"task", l.Task}} {
		for _, entry := range k.list {
			forms, err := l.forms(entry)
			if err != nil {
				return nil, fmt.Errorf("lexicon: %q of %s: %w", entry, k.name, err)
			}
			for _, said := range sortedKeys(l.Says) {
				column, told := slices.Index(l.Columns, said), slices.Index(l.Columns, l.Says[said])
				if column < 0 || told < 0 {
					return nil, fmt.Errorf("lexicon: says %s: %s: it is no column", said, l.Says[said])
				}
				for _, group := range []string{k.name, anyVerb} {
					w := all[group+"."+said]
					w.list = pairForms(w.list, forms[column], forms[told], said == l.Says[said])
					all[group+"."+said] = w
				}
			}
		}
	}
	return all, nil
}

const (
	regularForm = "="
	noForm      = "~"
	// otherForm parts the ways in which one form is said; a memory has the first of them.
	otherForm = "|"
)

// pairForms adds the ways in which a form is said with the one that a memory has, which is the way
// itself where what is said is told unchanged.
func pairForms(list []pair, said, told []string, unchanged bool) []pair {
	for _, way := range said {
		switch {
		case unchanged:
			list = append(list, pair{way, way})
		case len(told) > 0:
			list = append(list, pair{way, told[0]})
		}
	}
	return list
}

// forms gives the forms of an entry, one for each column, in all ways in which it is said.
func (l *lexemes) forms(entry string) ([][]string, error) {
	fields := strings.Fields(entry)
	if len(fields) == 0 || len(fields) > len(l.Columns) {
		return nil, fmt.Errorf("it has %d forms for %d columns", len(fields), len(l.Columns))
	}
	lemma, _, _ := strings.Cut(fields[0], otherForm)
	forms := make([][]string, len(l.Columns))
	for i, column := range l.Columns {
		form := regularForm
		if i < len(fields) {
			form = fields[i]
		}
		for way := range strings.SplitSeq(form, otherForm) {
			switch way {
			case noForm:
			case regularForm:
				forms[i] = append(forms[i], l.inflect(column, lemma, forms)...)
			default:
				forms[i] = append(forms[i], strings.ReplaceAll(way, "_", " "))
			}
		}
	}
	return forms, nil
}

// inflect makes a regular form: the longest ending of the first word that the column knows becomes
// another one, or the form is that of an earlier column. Endings that ask for a beginning, as
// "ver*" does, come before others. In what an ending becomes, "*" stands for what is before it.
func (l *lexemes) inflect(column, lemma string, earlier [][]string) (forms []string) {
	head, rest := lemma, ""
	if i := strings.IndexByte(lemma, '_'); i > 0 {
		head, rest = lemma[:i], lemma[i:]
	}
	endings := l.Endings[column]
	best, ending, found := "", "", false
	for _, key := range sortedKeys(endings) {
		begins, ends := cutBeginning(key)
		if len(key) > len(head)+1 || !strings.HasPrefix(head, begins) || !strings.HasSuffix(head, ends) {
			continue
		}
		if longest, _ := cutBeginning(best); !found || cmp.Or(cmp.Compare(len(begins), len(longest)), cmp.Compare(len(ends), len(ending))) > 0 {
			best, ending, found = key, ends, true
		}
	}
	if !found {
		return nil
	}
	if other, same := strings.CutPrefix(endings[best], regularForm); same {
		if i := slices.Index(l.Columns, other); i >= 0 {
			return earlier[i]
		}
		return nil
	}
	stem := strings.TrimSuffix(head, ending)
	for form := range strings.SplitSeq(endings[best], otherForm) {
		if !strings.Contains(form, "*") {
			form = "*" + form
		}
		if form = strings.Replace(form, "*", stem, 1); form != "" {
			forms = append(forms, strings.ReplaceAll(form+rest, "_", " "))
		}
	}
	return forms
}

// cutBeginning parts the key of an ending from the beginning that it asks for: "be*en" is for words
// in "be" and in "en".
func cutBeginning(key string) (beginning, ending string) {
	if before, after, found := strings.Cut(key, "*"); found {
		return before, after
	}
	return "", key
}

// persons gives each verb in the first person with its third.
func (l *lexemes) persons() ([]pair, error) {
	first, third := l.toldFirst()
	return l.pairs(third, first)
}

// named gives the forms that name what a verb does, the infinitive and the gerund, with the third
// person.
func (l *lexemes) named() ([]pair, error) {
	_, third := l.toldFirst()
	return l.pairs(third, "infinitive", "doing")
}

// toldFirst gives the first column that people say of themselves in another form than a memory has,
// and the column of that; "" for none.
func (l *lexemes) toldFirst() (said, told string) {
	for _, said := range l.Columns {
		if told := l.Says[said]; told != "" && told != said && said != "infinitive" {
			return said, told
		}
	}
	return "", ""
}

// pairs gives the forms of each verb in some columns with the one that a memory has.
func (l *lexemes) pairs(told string, said ...string) ([]pair, error) {
	other := slices.Index(l.Columns, told)
	if other < 0 {
		return nil, nil
	}
	var all []pair
	for _, entry := range slices.Concat(l.State, l.Habit, l.Event, l.Task) {
		forms, err := l.forms(entry)
		if err != nil {
			return nil, fmt.Errorf("lexicon: %q: %w", entry, err)
		}
		for _, column := range said {
			if i := slices.Index(l.Columns, column); i >= 0 {
				all = pairForms(all, forms[i], forms[other], false)
			}
		}
	}
	return all, nil
}
