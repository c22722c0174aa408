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
	// Endings makes regular forms: for each column, what an ending of the first one becomes.
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
				if forms[column] == noForm || forms[told] == noForm {
					continue
				}
				for _, group := range []string{k.name, anyVerb} {
					w := all[group+"."+said]
					w.list = append(w.list, pair{forms[column], forms[told]})
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
)

// forms gives the forms of an entry, one for each column.
func (l *lexemes) forms(entry string) ([]string, error) {
	fields := strings.Fields(entry)
	if len(fields) == 0 || len(fields) > len(l.Columns) {
		return nil, fmt.Errorf("it has %d forms for %d columns", len(fields), len(l.Columns))
	}
	lemma := fields[0]
	forms := make([]string, len(l.Columns))
	for i, column := range l.Columns {
		form := regularForm
		if i < len(fields) {
			form = fields[i]
		}
		if form == regularForm {
			form = l.inflect(column, lemma)
		}
		forms[i] = strings.ReplaceAll(form, "_", " ")
	}
	return forms, nil
}

// inflect makes a regular form: the longest ending of the first word that the column knows becomes
// another one. Its "*" stands for what is before the ending.
func (l *lexemes) inflect(column, lemma string) string {
	head, rest := lemma, ""
	if i := strings.IndexByte(lemma, '_'); i > 0 {
		head, rest = lemma[:i], lemma[i:]
	}
	endings := l.Endings[column]
	best, found := "", false
	for ending := range endings {
		if strings.HasSuffix(head, ending) && (!found || len(ending) > len(best)) {
			best, found = ending, true
		}
	}
	if !found {
		return noForm
	}
	stem, form := strings.TrimSuffix(head, best), endings[best]
	if !strings.Contains(form, "*") {
		form = "*" + form
	}
	return cmp.Or(strings.Replace(form, "*", stem, 1), noForm) + rest
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
			if i := slices.Index(l.Columns, column); i >= 0 && forms[i] != noForm && forms[other] != noForm {
				all = append(all, pair{forms[i], forms[other]})
			}
		}
	}
	return all, nil
}
