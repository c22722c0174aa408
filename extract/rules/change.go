package rules

import (
	"strings"

	"github.com/pamline/pamline/normalize"
)

// changeAt matches a change that begins at a token, behind any of the fillers and leads that stand
// there, and leaves it in r.m.best. first tells that its subject may be left out.
func (r *reader) changeAt(t *table, i int, first bool) bool {
	if t.change == nil || r.draft {
		return false
	}
	times := r.times(t)
	r.m.cuts, r.m.small = t.change.cuts, r.small
	defer func() { r.m.cuts, r.m.small = 0, false }()
	for {
		r.m.times = times
		found := r.m.begun(&t.change.changes, i)
		if found {
			r.matchBehindFiller(t, i, func(start int) bool { return r.m.begun(&t.change.changes, start) })
		}
		leftOut := !found && first && r.elided(t, i)
		found = found || leftOut
		if r.m.times = nil; found {
			r.leftOut = leftOut
			return true
		}
		n := t.span(r.m.tokens, i, t.fillers)
		if n == 0 {
			if n = t.span(r.m.tokens, i, t.change.leads); n == 0 {
				n = t.span(r.m.tokens, i, t.change.just)
			}
			if n == 0 {
				m := momentAt(times, i)
				if m == nil || m.start != i || m.end <= i {
					return first && r.behindAdjunct(t, i, times)
				}
				n = m.end - i // "last month i moved"
			}
		}
		i += n
		if i < len(r.m.tokens) && r.m.tokens[i].kind == comma {
			i++
		}
	}
}

// maxAdjunct is how many words a beginning has behind which a change is looked for.
const maxAdjunct = 6

// behindAdjunct matches a change behind words that tell why or after what, without a comma between:
// "por la rodilla ya no juego al pádel".
func (r *reader) behindAdjunct(t *table, i int, times []moment) bool {
	n := t.span(r.m.tokens, i, t.change.adjuncts)
	if n == 0 {
		return false
	}
	r.m.times = times
	defer func() { r.m.times = nil }()
	for j := i + n; j < len(r.m.tokens) && j <= i+n+maxAdjunct && r.m.tokens[j].kind < comma; j++ {
		if j > i+n && r.m.begun(&t.change.changes, j) && r.m.best.score > 2 {
			return true
		}
	}
	return false
}

// elided matches a change without the subject that its patterns have, at the beginning of a
// sentence or behind a clause that has it: "sold the car, moved to York".
func (r *reader) elided(t *table, i int) bool {
	r.m.leftOut = true
	defer func() { r.m.leftOut = false }()
	var best found
	for _, from := range t.change.elided {
		r.m.bare = -1
		if r.m.search(&t.change.changes, i, from) && r.m.best.score > best.score {
			best = r.m.best
		}
	}
	r.m.best = best
	return best.score > 0
}

// change makes candidates of a match of a transition.
func (r *reader) change(t *table, f *found) {
	fam := &t.families[t.patterns[f.pattern].family]
	ch := fam.change
	if code := r.changeGuard(t, f, fam); code != "" {
		r.report.Skip(code)
		return
	}
	r.trimCaptures(t, f)
	if ch.Corrects {
		r.correct(t, f)
		return
	}
	at := r.changeTime(t, f, ch)
	fill := filler{t: t, text: r.msg.Text, tokens: r.m.tokens, f: f, moments: r.times(t), at: at}
	base := normalize.Candidate{
		Type: ch.Type, Confidence: fam.Confidence, Decay: decayOf(ch.Type), Language: t.language, Platform: r.doc.Provider.Name,
		Method: "explicit_user_input", Extractor: version, Rule: fam.Name, Sensitive: ch.Sensitive, Evidence: []normalize.Evidence{r.evidence(f)},
	}
	ends := ch.endings(&fill, r.namedWords(t, ch))
	var told []normalize.Candidate
	if content, ok := fill.event().first(ch.says); ok {
		c := base
		c.Content, c.Event = content, !ch.Plan
		if c.Event {
			c.Slot = &normalize.Slot{Attribute: "event." + strings.ReplaceAll(fam.Name, ".", "_"), Value: fill.eventValue()}
		}
		if at != nil {
			c.EventTime = at.event()
			if ch.Plan {
				c.ValidUntil = formatTime(at.to)
			}
		}
		told = append(told, c)
	}
	for i := range ch.opens {
		o := &ch.opens[i]
		content, ok := fill.first(o.says)
		if !ok || !fill.bound(o.attribute) || !fill.bound(o.value) {
			continue
		}
		c := base
		c.Type, c.Content, c.Negative, c.Sensitive, c.Decay = o.Type, content, o.Negative, o.Sensitive, decayOf(o.Type)
		c.Slot = fill.slot(o.attribute, o.value, o.Slot.One)
		if at != nil && ch.Plan {
			c.EventTime, c.ValidUntil = at.event(), formatTime(at.to)
		} else if at != nil {
			c.ValidFrom = formatTime(at.from)
		}
		told = append(told, c)
	}
	if len(told) == 0 {
		if len(ends) == 0 {
			return
		}
		c := base
		c.Act = normalize.ActRetract
		if c.ValidUntil = base.Evidence[0].ObservedAt; at != nil && !ch.Mention {
			c.ValidUntil = formatTime(at.from)
		}
		told = append(told, c)
	}
	told[0].Ends = ends
	if fill.bound(ch.name) && len(ch.name) > 0 {
		told[0].Entities = []normalize.Entity{{Name: capitalized(fill.fill(ch.name, false)), Relation: t.englishWord(fill.attribute(ch.relation))}}
	}
	for _, c := range told {
		r.finishSlot(t, f, fam, &c)
		n := len(r.out)
		r.keep(c, false, r.m.tokens[f.end-1].end)
		if len(r.out) > n {
			r.weak, r.ment = append(r.weak, false), append(r.ment, false)
		}
	}
	r.over, r.m.toldNow = append(r.over, ends...), append(r.m.toldNow, fam.Name)
}

// changeGuard tells why a match is no change in the person's life, "" when it is one.
func (r *reader) changeGuard(t *table, f *found, fam *compiledFamily) string {
	tokens := r.m.tokens
	if tokens[f.start].quoted {
		return "quoted"
	}
	if fam.change.unsaid != nil && r.anywhere(fam.change.unsaid, 0, len(tokens)) {
		return "unsaid"
	}
	if fam.change.said != nil && !r.anywhere(fam.change.said, 0, len(tokens)) {
		return "unsaid"
	}
	if code := r.kindGuard(t, f, fam); code != "" {
		for i := f.start; i < f.end; i++ {
			r.changed[i] = true // no broad change is made of it
		}
		return code
	}
	if fam.Mention {
		return ""
	}
	for i := 0; i < f.end; i++ {
		if t.imagines(tokens, i) {
			return "hypothetical"
		}
		if n := t.span(tokens, i, t.reported); i < f.start && n > 0 {
			return "reported"
		}
		if i < f.start && strings.HasPrefix(r.msg.Text[tokens[i].start:], "¿") {
			return "question"
		}
	}
	if last := len(tokens) - 1; tokens[last].kind == query && (f.end == last || f.end < last && t.is(&tokens[f.end], t.alternatives)) {
		return "question" // "I move to Lisbon or Porto?"
	}
	if r.unwanted(t, f, fam) {
		return "without"
	}
	if r.takesDenial(t, f) {
		return "denied"
	}
	return ""
}

// takesDenial tells whether an open capture has taken a word that denies what the pattern tells:
// "ik heb geen ontslag genomen". A pattern that is about a denial has its word itself.
func (r *reader) takesDenial(t *table, f *found) bool {
	for i := range t.captures {
		k := &f.captures[i]
		if !k.set || k.stands != 0 || k.entry {
			continue
		}
		for j := k.start; j < k.end; j++ {
			if n := t.span(r.m.tokens, j, t.negators); n > 0 {
				return true
			}
		}
	}
	return false
}

// maxNamed is how many words of what changes are kept: what is longer is no name of anything.
const maxNamed = 7

// trimCaptures takes times and closing words off the open captures of a change; one that names
// nothing is none.
func (r *reader) trimCaptures(t *table, f *found) {
	times := r.times(t)
	for i := range t.captures {
		k := &f.captures[i]
		if !k.set || k.stands != 0 {
			continue
		}
		for m := momentAt(times, k.start); m != nil && k.start < k.end; m = momentAt(times, k.start) {
			k.start = m.end
		}
		for j := k.start; j < k.end; j++ {
			if momentAt(times, j) != nil {
				k.end = j
			}
		}
		for j := k.start + 1; j+2 < k.end; j++ { // "Japanese and started Korean instead"
			if n := t.span(r.m.tokens, j, t.joins); n > 0 {
				k.end = j
			}
		}
		for k.end == f.end && k.end > k.start && k.end-k.start < maxNameRun && r.goesOn(t, k) {
			k.end++
			f.end++
		}
		if k.end = max(k.start, k.end); k.end > k.start {
			k.end = r.m.trim(k.start, k.end)
		}
		if k.end-k.start > maxNamed || !r.names(t, k) {
			*k = captured{}
		}
	}
}

// maxNameRun is of how many words a name is at most that goes on behind its pattern.
const maxNameRun = 3

// goesOn tells whether the word behind a capture belongs to its name: New York.
func (r *reader) goesOn(t *table, k *captured) bool {
	tokens := r.m.tokens
	if k.end >= len(tokens) || tokens[k.end].kind != word || !tokens[k.end].capital || !tokens[k.end-1].capital {
		return false
	}
	n := t.span(tokens, k.end, t.stops)
	s := t.span(tokens, k.end, t.subjects)
	return n+s == 0
}

// names tells whether a capture has a word that says more than "that" and "the".
func (r *reader) names(t *table, k *captured) bool {
	for j := k.start; j < k.end; {
		if r.m.tokens[j].kind != word {
			j++
			continue
		}
		n := t.span(r.m.tokens[:k.end], j, t.vague)
		if n == 0 {
			n = t.span(r.m.tokens[:k.end], j, t.articles)
			if self := t.is(&r.m.tokens[j], t.change.selves); n == 0 && !self {
				return true
			}
			n = max(n, 1)
		}
		j += n
	}
	return false
}

// endings are what a change ends; those whose captures say nothing are left out.
// words are those of its clause that may name what is over.
func (ch *compiledChange) endings(c *filler, words []string) []normalize.Ending {
	var all []normalize.Ending
	for _, e := range ch.ends {
		if named, valued := isClauseWords(e.name), isClauseWords(e.value); named || valued {
			for _, w := range words {
				if valued {
					all = append(all, normalize.Ending{Attribute: e.attribute[0].text, Value: w})
					if one := c.t.singularOf(w); one != w {
						all = append(all, normalize.Ending{Attribute: e.attribute[0].text, Value: one})
					}
				} else {
					all = c.t.endingsNamed(all, e.attribute[0].text, w)
				}
			}
			continue
		}
		if !c.bound(e.attribute) || !c.bound(e.value) || !c.bound(e.name) {
			continue
		}
		s := c.slot(e.attribute, e.value, false)
		if name := normalize.FoldValue(c.fill(e.name, false)); name != "" && s.Value == "" {
			if ch.loose && c.isGeneric(e.name) {
				continue
			}
			all = c.t.endingsNamed(all, s.Attribute, name)
		} else if !ch.loose || !c.isGeneric(e.value) {
			all = append(all, normalize.Ending{Attribute: s.Attribute, Value: s.Value, Name: name})
		}
	}
	return all
}

// endingsNamed adds the ending of what a word names, and of what is told with the word as a verb:
// who may not go "joggen" any more is no longer one who "joggt".
func (t *table) endingsNamed(all []normalize.Ending, attribute, name string) []normalize.Ending {
	all = append(all, normalize.Ending{Attribute: attribute, Name: name})
	if told := inflectWord(t.toldOf, name); told != name && !strings.Contains(name, " ") {
		all = append(all, normalize.Ending{Attribute: attribute, Name: told})
	}
	return all
}

// decayOf is the decay of a type that names none.
func decayOf(typ string) string {
	switch typ {
	case "identity", "fact", "relationship", "skill":
		return "none"
	}
	return "time_exponential"
}

// changeMentions looks for changes that a sentence only mentions: "my ex-wife", "as a newly single
// mother". The words are used up.
func (r *reader) changeMentions(t *table) {
	if t.change == nil || r.draft {
		return
	}
	for i := range r.m.tokens {
		tok := &r.m.tokens[i]
		if tok.kind != word || tok.quoted || !t.change.mentioned[tok.id] || !r.m.begun(&t.change.mentions, i) {
			continue
		}
		f := r.m.best
		r.change(t, &f)
		for j := f.start; j < f.end; j++ {
			r.used[j] = true
		}
	}
}
