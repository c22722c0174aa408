package rules

import (
	"fmt"
	"slices"
	"strings"
)

// lights are the verbs that only say how something came about, with the form of the verb behind
// them: "ended up selling", "had to sell". What happened is told as if they were not there.
type lights struct {
	phrases classID
	// forms are the forms of the verb behind each of them, with the words that are said before it.
	forms map[string]lightForm
	// simple leads from the words of a form to those in which changes are told: selling, sold.
	simple map[string]map[wordID][]wordID
}

// lightForm is the form of a verb behind a light one. In front of what is told instead stand words
// that the light verb has swallowed: "je viens de vendre" is "j'ai vendu".
type lightForm struct {
	name   string
	before []wordID
}

// lightVerbs compiles the light verbs of a table of changes. The forms of the verbs are those of
// the lexicon, and what the table itself lists. Verbs that no pattern has are left out.
func (c *compiler) lightVerbs(src *source) error {
	t, ch := c.t, src.changes
	l := lights{forms: map[string]lightForm{}, simple: map[string]map[wordID][]wordID{}}
	named := map[string]bool{}
	for _, w := range ch.Lights.list {
		i := strings.LastIndexByte(w.canonical, ' ') + 1
		l.forms[w.canonical] = lightForm{w.canonical[i:], c.phrase(w.canonical[:i])}
		named[w.canonical[i:]] = true
	}
	var err error
	if l.phrases, err = c.class(changeScope+"lights", ch.Lights); err != nil {
		return err
	}
	add := func(form, said, told string) {
		if !named[form] {
			return
		}
		if !c.knows(told) {
			return
		}
		if l.simple[form] == nil {
			l.simple[form] = map[wordID][]wordID{}
		}
		l.simple[form][c.id([]byte(fold(said)))] = c.phrase(told)
	}
	if src.Lexicon != nil {
		pairs, err := src.Lexicon.pastForms()
		if err != nil {
			return err
		}
		for _, p := range pairs {
			add(p.form, p.said, p.told)
		}
	}
	for _, form := range sortedKeys(ch.Simple) {
		for _, said := range sortedKeys(ch.Simple[form]) {
			add(form, said, ch.Simple[form][said])
		}
	}
	for _, w := range ch.Lights.list {
		if _, ok := l.simple[l.forms[w.canonical].name]; !ok {
			return fmt.Errorf("compile changes/%s.yaml: light verb %q: no verb has the form %q", t.language, w.said, l.forms[w.canonical].name)
		}
	}
	t.change.lights = l
	return nil
}

// inflected is a verb in a form, and in its past.
type inflected struct{ form, said, told string }

// pastForms gives the first words of the verbs in each form with those of their past.
func (l *lexemes) pastForms() (all []inflected, err error) {
	told := -1
	for i, column := range l.Columns {
		if column == "past" {
			told = i
		}
	}
	if told < 0 {
		return nil, nil
	}
	for _, list := range [][]string{l.State, l.Habit, l.Event, l.Task} {
		for _, entry := range list {
			forms, err := l.forms(entry)
			if err != nil {
				return nil, fmt.Errorf("lexicon: %q: %w", entry, err)
			}
			if len(forms[told]) == 0 {
				continue
			}
			past, behind, _ := strings.Cut(forms[told][0], " ")
			for i, column := range l.Columns {
				for _, way := range forms[i] {
					if said, rest, _ := strings.Cut(way, " "); rest == behind { // not "mudarse", "me mudé"
						all = append(all, inflected{column, said, past})
					}
				}
			}
		}
	}
	return all, nil
}

// lightenClause leaves light verbs out of a sentence in which a change is told so: "we ended up
// selling it" is read as "we sold it". It gives the words as they were said, nil where they stay.
func (r *reader) lightenClause(t *table) (said []token) {
	if t.change == nil || len(t.change.lights.simple) == 0 {
		return nil
	}
	if at := r.findLight(t); at < 0 || r.changesBy(t, at) && r.bestSays(t) {
		return nil // "we decided to marry" is a change by itself
	}
	said = slices.Clone(r.m.tokens)
	if at := r.leaveOut(t); at < 0 || !r.changesBy(t, at) {
		r.m.tokens, said = said, nil
	}
	r.timed = false
	return said
}

// findLight gives the first word of a sentence that may begin a light verb, -1 for none.
func (r *reader) findLight(t *table) int {
	c := t.change.lights.phrases
	return slices.IndexFunc(r.m.tokens, func(tok token) bool {
		return tok.kind == word && (t.opensOf(tok.id).has(c) || t.memberOf(tok.id).has(c))
	})
}

// changesBy tells whether a change is told in words that end at a token or behind it.
func (r *reader) changesBy(t *table, at int) bool {
	for i := at; i >= 0 && at-i <= maxBeforeLight && r.m.tokens[i].kind < comma; i-- {
		if r.changeAt(t, i, true) && r.m.best.end > at {
			return true
		}
	}
	return false
}

// bestSays tells whether the change that was matched says something, and does not only end things.
func (r *reader) bestSays(t *table) bool {
	ch := t.families[t.patterns[r.m.best.pattern].family].change
	return len(ch.says)+len(ch.opens) > 0
}

// maxBeforeLight is how many words of its clause stand before a light verb.
const maxBeforeLight = 4

// leaveOut takes the light verbs out of the tokens and puts the verbs behind them into the past. It
// gives the first such verb, -1 for none.
func (r *reader) leaveOut(t *table) int {
	tokens, at := r.m.tokens, -1
	subjects, restricted := t.named[changeScope+"had"]
	for i := 0; i < len(tokens); i++ {
		if restricted && i > 0 && tokens[i-1].kind < comma && !t.is(&tokens[i-1], subjects) && !t.is(&tokens[i-1], t.skips) && !t.is(&tokens[i-1], t.fillers) && !t.is(&tokens[i-1], t.joins) {
			continue
		}
		if tokens[i].kind != word || !t.opensOf(tokens[i].id).has(t.change.lights.phrases) && !t.memberOf(tokens[i].id).has(t.change.lights.phrases) {
			continue
		}
		n, form := t.entry(tokens, i, t.change.lights.phrases)
		if n == 0 {
			continue
		}
		verb := i + n
		for verb < len(tokens) && t.is(&tokens[verb], t.skips) {
			verb++
		}
		if verb >= len(tokens) || tokens[verb].kind != word {
			continue
		}
		light := t.change.lights.forms[form]
		simple, ok := t.change.lights.simple[light.name][tokens[verb].id]
		simple = slices.Concat(light.before, simple)
		if first := verb + 1 - len(simple); ok && first >= i {
			for k, id := range simple {
				tokens[first+k].id = id
			}
			if len(light.before) > 0 {
				tokens[first].start = tokens[i].start // the first word is swallowed, too
			}
			tokens = append(tokens[:i], tokens[first:]...)
			if at < 0 {
				at = i
			}
		}
	}
	r.m.tokens = tokens
	return at
}
