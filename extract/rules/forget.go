package rules

import (
	"slices"
	"strings"

	"github.com/pamline/pamline/normalize"
)

// forgetRule is the rule of a request to forget.
const forgetRule = "forget"

// forgetAt matches a request to forget that begins at a token, behind fillers, and leaves it in
// r.m.best.
func (r *reader) forgetAt(t *table, i int) bool {
	if t.change == nil || r.draft {
		return false
	}
	for {
		if r.m.begun(&t.change.forget, i) {
			return true
		}
		n := t.span(r.m.tokens, i, t.fillers)
		if n == 0 {
			return false
		}
		i += n
		if i < len(r.m.tokens) && r.m.tokens[i].kind == comma {
			i++
		}
	}
}

// forget takes back what a request names: what its clause states, or all about a topic or a name.
// It states nothing.
func (r *reader) forget(t *table, f *found) {
	if r.m.tokens[f.start].quoted {
		r.report.Skip("quoted")
		return
	}
	fam := &t.families[t.patterns[f.pattern].family]
	fill := filler{t: t, text: r.msg.Text, tokens: r.m.tokens, f: f}
	k := fill.capture("x")
	if !k.set {
		return
	}
	request := *f
	c := normalize.Candidate{
		Act: normalize.ActRetract, Type: "context", Confidence: changeConfidence, Language: t.language, Platform: r.doc.Provider.Name,
		Method: "explicit_user_input", Extractor: version, Rule: fam.Name, Evidence: []normalize.Evidence{r.evidence(&request)},
	}
	var stated []normalize.Candidate
	if fam.change.forget == "that" {
		var endings []normalize.Ending
		stated, endings = r.clauseOf(t, k.start)
		for _, s := range stated {
			s.Act, s.Rule, s.Evidence, s.Confidence = normalize.ActRetract, fam.Name, c.Evidence, c.Confidence
			r.takeBack(s)
		}
		c.Ends = endings
	}
	if len(c.Ends) == 0 {
		if c.Ends = r.about(t, &k); len(c.Ends) == 0 && len(stated) == 0 {
			c.Ends = r.lastNamed(t, &k)
		}
		if len(stated) > 0 { // "that I'm afraid of dogs" is not about the dog; "that I was at Acme" is about Acme
			c.Ends = slices.DeleteFunc(c.Ends, func(e normalize.Ending) bool { return e.Attribute != "" })
		}
	}
	if len(c.Ends) > 0 {
		r.takeBack(c)
	}
}

// lastNamed gives whom a pronoun of a request stands for: the last one whom a change of the message
// names. "Mia and I broke up. Forget all about her."
func (r *reader) lastNamed(t *table, k *captured) []normalize.Ending {
	if n := t.span(r.m.tokens[:k.end], k.start, t.pointers); r.names(t, k) && k.start+n < k.end {
		return nil
	}
	for i := len(r.over) - 1; i >= 0; i-- {
		e := &r.over[i]
		name := e.Name
		if name == "" && tellsName(e.Attribute) {
			name = e.Value
		}
		if name != "" && (tellsName(e.Attribute) || e.Attribute == "household") {
			return []normalize.Ending{{Name: name}}
		}
	}
	return nil
}

// takeBack keeps a retraction.
func (r *reader) takeBack(c normalize.Candidate) {
	n := len(r.out)
	r.keep(c, false, len(r.msg.Text))
	if len(r.out) > n {
		r.weak, r.ment = append(r.weak, false), append(r.ment, false)
	}
}

// clauseOf gives what the clause at a token states, and the slots that it names as endings.
func (r *reader) clauseOf(t *table, i int) (stated []normalize.Candidate, endings []normalize.Ending) {
	probe := *r
	probe.out, probe.weak, probe.ment, probe.over, probe.seen, probe.report.Rejects, probe.report.Skipped = nil, nil, nil, nil, nil, nil, nil
	probe.probing, probe.m.toldNow = true, nil
	if probe.changeAt(t, i, i == 0) {
		f := probe.m.best
		probe.change(t, &f)
		endings = append(endings, probe.over...)
	}
	if _, ok := probe.clause(t, i, carriesNone); ok {
		f := probe.m.best
		probe.statement(t, &f)
	}
	for _, c := range probe.out {
		if c.Act != "" {
			continue
		}
		if c.Slot != nil && !c.Event && c.Slot.Attribute != "habit" {
			endings = append(endings, normalize.Ending{Attribute: c.Slot.Attribute, Value: c.Slot.Value})
		}
		c.Ends, c.Entities = nil, nil
		stated = append(stated, c)
	}
	return stated, endings
}

// about gives what a request names by a topic ("my birthday"), a relative or an animal ("my
// sister"), or a name.
func (r *reader) about(t *table, k *captured) []normalize.Ending {
	tokens := r.m.tokens
	var all []normalize.Ending
	for i := k.start; i < k.end; {
		n, attributes := t.entry(tokens[:k.end], i, t.change.topics)
		if n == 0 {
			i++
			continue
		}
		for a := range strings.FieldsSeq(attributes) {
			attribute, name, _ := strings.Cut(a, "~")
			all = append(all, normalize.Ending{Attribute: attribute, Name: name})
		}
		i += n
	}
	if len(all) > 0 {
		return all
	}
	for _, class := range [...]string{"kin", "one", "pets", "pet"} {
		id, ok := t.named[class]
		for i := k.start; ok && i < k.end; i++ {
			if n, kind := t.entry(tokens[:k.end], i, id); n > 0 && kind != "" {
				kind = t.englishWord(normalize.FoldValue(kind))
				said := normalize.FoldValue(r.msg.Text[tokens[i].start:tokens[i+n-1].end])
				return []normalize.Ending{{Attribute: "relative." + kind}, {Attribute: "entity." + kind}, {Attribute: "pet", Value: kind}, {Attribute: "none.relationship", Name: said}}
			}
		}
	}
	for _, name := range r.nameRuns(t, k) {
		all = append(all, normalize.Ending{Name: name})
	}
	return all
}

// nameRuns are the runs of words of a capture that name something: those with capitals, or where
// there are none, the words that are not among the frequent ones of the language.
func (r *reader) nameRuns(t *table, k *captured) []string {
	tokens := r.m.tokens
	capitals := false
	plain := func(j int) bool {
		n := t.span(tokens, j, t.vague)
		a := t.span(tokens, j, t.articles)
		s := t.span(tokens, j, t.subjects)
		return n+a+s > 0 || t.frequent[tokens[j].id] && tokens[j].id != 0
	}
	for j := k.start; j < k.end; j++ {
		capitals = capitals || tokens[j].kind == word && tokens[j].capital && !plain(j)
	}
	var runs []string
	from := -1
	flush := func(to int) {
		for j := from; j >= 0 && j+1 < to; j++ { // "mum's stroke" is about the stroke
			if text := r.msg.Text[tokens[j].start:tokens[j].end]; strings.HasSuffix(text, "'s") || strings.HasSuffix(text, "’s") {
				from = j + 1
			}
		}
		if from >= 0 && to-from <= maxNamed {
			runs = append(runs, normalize.FoldValue(r.msg.Text[tokens[from].start:tokens[to-1].end]))
		}
		from = -1
	}
	for j := k.start; j < k.end; j++ {
		if tokens[j].kind != word || plain(j) || capitals && !tokens[j].capital {
			flush(j)
		} else if from < 0 {
			from = j
		}
	}
	flush(k.end)
	if !capitals && len(runs) > 1 {
		return runs[len(runs)-1:]
	}
	return runs
}
