package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/normalize"
)

// changeTable is the compiled table of changes of a language.
type changeTable struct {
	changes, mentions, forget, times                                                      trie
	mentioned                                                                             []bool  // the words that a mention begins with
	timed                                                                                 []bool  // the words that a time begins with
	elided                                                                                []int32 // the nodes behind the subjects that a sentence may leave out
	leads, beside, topics, recurring, upcoming, lasting, cuts, adjuncts, now, just, links classID
	parts, fronts, whole, units, weekdays                                                 classID
	english                                                                               map[string]string
	written                                                                               written
	// scattered are the patterns whose parts stand anywhere in a clause, scatters those that begin
	// with a word, anywhere those that may begin with any.
	scattered []scattered
	scatters  map[wordID][]uint16
	anywhere  []uint16
	// scattering are the words that a scattered pattern begins with.
	scattering []bool
	lights     lights
	// anchored are the anchors of the changes and of the requests to forget (see anchors).
	anchored []uint32
	// inside tells that times stand between the words of statements.
	inside bool
	guards
}

// compiledChange is a transition of the table, the part of a family that patterns of families do
// not have.
type compiledChange struct {
	*transition
	says  []template
	ends  []compiledEnding
	opens []compiledOpening
	// name and relation are those of the entity.
	name, relation template
	unsaid         *trie   // what forbids it anywhere in the sentence
	said           *trie   // what must stand somewhere in the sentence
	elided         []int32 // the nodes of unless behind the subjects that a sentence may leave out
	forget         string  // "that" or "about": how the person asks to forget
	about
	time *timeSpec
}

// broad tells whether a family counts only where no other one matches.
func (f *compiledFamily) broad() bool {
	return f.change != nil && f.change.transition != nil && f.change.Broad
}

type compiledEnding struct{ attribute, value, name template }

type compiledOpening struct {
	*opening
	says             []template
	attribute, value template
}

// changeScope is before the names of the classes of a table of changes: they hide those of the
// table of facts.
const changeScope = "change."

// changeConfidence is that of what a person tells as a change.
const changeConfidence = 0.95

// compileChanges adds the classes, patterns and times of a table of changes to a table.
func (c *compiler) changeClasses(src *changes) error {
	t := c.t
	t.change = &changeTable{changes: newTrie(usualNodes), mentions: newTrie(1), forget: newTrie(1), times: newTrie(1), english: map[string]string{}, written: src.Written, inside: src.Inside}
	for said, english := range src.English {
		t.change.english[normalize.FoldValue(said)] = english
	}
	for _, f := range []struct {
		name string
		list words
		id   *classID
	}{
		{"beside", src.Beside, &t.change.beside}, {"leads", src.Leads, &t.change.leads}, {"cuts", src.Cuts, &t.change.cuts}, {"adjuncts", src.Adjuncts, &t.change.adjuncts}, {"now", src.Now, &t.change.now}, {"just", src.Just, &t.change.just}, {"parts", src.Parts, &t.change.parts}, {"fronts", src.Fronts, &t.change.fronts}, {"whole", src.Whole, &t.change.whole}, {"links", src.Links, &t.change.links}, {"topics", src.Forget.Topics, &t.change.topics}, {"recurring", src.Recurring, &t.change.recurring}, {"upcoming", src.Upcoming, &t.change.upcoming}, {"lasting", src.Lasting, &t.change.lasting},
		{"months", src.Months, new(classID)}, {"units", src.Units, &t.change.units}, {"weekdays", src.Weekdays, &t.change.weekdays},
	} {
		id, err := c.class(changeScope+f.name, f.list)
		if err != nil {
			return err
		}
		*f.id = id
	}
	for _, name := range sortedKeys(src.Classes) {
		if _, err := c.class(changeScope+name, src.Classes[name]); err != nil {
			return err
		}
	}
	return c.guards(src)
}

// changePatterns compiles the transitions, the requests to forget and the times.
func (c *compiler) changePatterns(src *changes) error {
	c.scope = changeScope
	defer func() { c.scope = "" }()
	var faults []error
	fault := func(name string, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("compile changes/%s.yaml: %s: %w", src.Language, name, err))
		}
	}
	t := c.t
	for i := range src.Transitions {
		tr := &src.Transitions[i]
		ch, err := newChange(tr)
		if err == nil {
			to := &t.change.changes
			if tr.Mention {
				to = &t.change.mentions
			}
			family := len(t.families)
			if err = c.change(to, ch, tr.Name, tr.Patterns, tr.Unless, tr.Without, tr.MaxTokens); err == nil {
				err = c.scatteredPatterns(family, tr.Scattered)
			}
		}
		fault(tr.Name, err)
	}
	for _, f := range []struct { // of two that match as much, the first one counts
		how      string
		patterns []string
	}{{"that", src.Forget.That}, {"about", src.Forget.About}} {
		if len(f.patterns) > 0 {
			fault("forget."+f.how, c.change(&t.change.forget, &compiledChange{transition: &transition{}, forget: f.how}, forgetRule, f.patterns, nil, nil, 24))
		}
	}
	for i := range src.Times {
		spec, err := newTimeSpec(&src.Times[i])
		if err == nil {
			err = c.change(&t.change.times, &compiledChange{transition: &transition{}, time: spec}, "time", src.Times[i].Patterns, nil, nil, 0)
		}
		fault("times: "+src.Times[i].At, err)
	}
	var err error
	t.change.frames, err = c.sentencePatterns(src.Frames)
	fault("frames", err)
	t.change.figures, err = c.sentencePatterns(src.Figures)
	fault("figures", err)
	c.anchors = anchoring{t: t, words: map[wordID]bool{}}
	c.anchors.add(&t.change.changes, append(c.behindSubjects(&t.change.changes), 0)...)
	c.anchors.add(&t.change.forget, 0)
	for _, tr := range []*trie{&t.change.changes, &t.change.mentions, &t.change.forget, &t.change.times} {
		tr.close()
	}
	t.change.elided = c.behindSubjects(&t.change.changes)
	if len(faults) == 0 && len(src.Times) > 0 && len(src.Written.Months) != 12 {
		fault("written", errors.New("it has not the names of twelve months"))
	}
	return errors.Join(faults...)
}

// behindSubjects are the nodes of the changes behind the words that a later clause may leave out,
// and behind classes that have them.
func (c *compiler) behindSubjects(tr *trie) (nodes []int32) {
	t := c.t
	for id := range t.member {
		if !t.member[id].has(t.carry) {
			continue
		}
		if to := tr.behindWord(wordID(id)); to != 0 && !slices.Contains(nodes, to) { //nolint:gosec // a table is small
			nodes = append(nodes, to)
		}
		for k := tr.nodes[0].classes; k != 0; k = tr.classes[k].next {
			if e := &tr.classes[k]; t.member[id].has(e.edge.class) && !slices.Contains(nodes, e.to) {
				nodes = append(nodes, e.to)
			}
		}
	}
	return nodes
}

// change adds the patterns of one change. They stand in a trie of their own, so that they may begin
// as those of families do.
func (c *compiler) change(to *trie, ch *compiledChange, name string, patterns, unless, without []string, maxTokens int) (err error) {
	t := c.t
	number := len(t.families)
	fam := &family{Name: name, Confidence: changeConfidence, Strong: true, Mention: ch.Mention, MaxTokens: maxTokens}
	cf := compiledFamily{family: fam, change: ch}
	for _, w := range without {
		ids := c.phrase(w)
		if len(ids) != 1 {
			return fmt.Errorf("without %q: it is not one word", w)
		}
		if cf.without == nil {
			cf.without = map[wordID]bool{}
		}
		cf.without[ids[0]] = true
	}
	if len(unless) > 0 {
		u := newTrie(1)
		for _, text := range unless {
			if err := c.pattern(&u, text, 0, true); err != nil {
				return fmt.Errorf("unless %q: %w", text, err)
			}
		}
		u.close()
		cf.unless = &u
		ch.elided = c.behindSubjects(&u)
	}
	if ch.unsaid, err = c.sentencePatterns(ch.Unsaid); err != nil {
		return fmt.Errorf("unsaid: %w", err)
	}
	if ch.said, err = c.sentencePatterns(ch.Said); err != nil {
		return fmt.Errorf("said: %w", err)
	}
	if ch.about, err = kindsOf(name); err != nil {
		return err
	}
	t.families = append(t.families, cf)
	for _, text := range patterns {
		t.patterns = append(t.patterns, compiledPattern{family: number})
		c.texts = append(c.texts, text)
		if err := c.pattern(to, text, len(t.patterns)-1, ch.Mention || ch.time != nil); err != nil {
			return fmt.Errorf("pattern %q: %w", text, err)
		}
	}
	return nil
}

// sentencePatterns compiles patterns that are looked for anywhere in a sentence, nil for none.
func (c *compiler) sentencePatterns(texts []string) (*trie, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	tr := newTrie(1)
	for _, text := range texts {
		if err := c.pattern(&tr, text, 0, true); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", text, err)
		}
	}
	tr.close()
	return &tr, nil
}

// newChange parses the templates of a transition.
func newChange(tr *transition) (*compiledChange, error) {
	if tr.Name == "" || len(tr.Patterns)+len(tr.Scattered) == 0 {
		return nil, errors.New("name or patterns are missing")
	}
	if len(tr.Says)+len(tr.Ends)+len(tr.Opens) == 0 && !tr.Corrects {
		return nil, errors.New("it says, ends and opens nothing")
	}
	tr.Type = cmp.Or(tr.Type, "fact")
	kept := *tr // without what only the compiler and the tests read
	kept.Unless, kept.Without, kept.Patterns, kept.Scattered, kept.Examples, kept.Counter = nil, nil, nil, nil, nil, nil
	ch := &compiledChange{transition: &kept}
	var err error
	if ch.says, err = parseTexts(tr.Says); err != nil {
		return nil, err
	}
	for _, e := range expandGroups(tr.Ends) {
		var ce compiledEnding
		attribute, value, valued := strings.Cut(e, "=")
		attribute, name, named := strings.Cut(attribute, "~")
		if valued && named {
			return nil, fmt.Errorf("ends %q: it has both a value and a name", e)
		}
		if ce.attribute, err = parseTemplate(attribute); err == nil {
			if ce.value, err = parseTemplate(value); err == nil {
				ce.name, err = parseTemplate(name)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("ends %q: %w", e, err)
		}
		ch.ends = append(ch.ends, ce)
	}
	for i := range tr.Opens {
		o := &tr.Opens[i]
		o.Type = cmp.Or(o.Type, "fact")
		if !slices.Contains(types, o.Type) || !slices.Contains(kinds, o.Sensitive) {
			return nil, fmt.Errorf("opens: type %q or sensitive %q is unknown", o.Type, o.Sensitive)
		}
		if o.Slot == nil || len(o.Says) == 0 {
			return nil, errors.New("opens: it has no slot or says nothing")
		}
		co := compiledOpening{opening: o}
		if co.says, err = parseTexts(o.Says); err != nil {
			return nil, err
		}
		if co.attribute, err = parseTemplate(o.Slot.Attribute); err == nil {
			co.value, err = parseTemplate(o.Slot.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("opens: %w", err)
		}
		ch.opens = append(ch.opens, co)
	}
	if tr.Entity != "" {
		relation, name, ok := strings.Cut(tr.Entity, "=")
		if !ok {
			return nil, fmt.Errorf("entity %q is not relation=name", tr.Entity)
		}
		if ch.relation, err = parseTemplate(relation); err == nil {
			ch.name, err = parseTemplate(name)
		}
		if err != nil {
			return nil, fmt.Errorf("entity: %w", err)
		}
	}
	if !slices.Contains(types, tr.Type) || !slices.Contains(kinds, tr.Sensitive) {
		return nil, fmt.Errorf("type %q or sensitive %q is unknown", tr.Type, tr.Sensitive)
	}
	return ch, nil
}

func parseTexts(all texts) (out []template, err error) {
	for _, s := range all {
		t, err := parseTemplate(s)
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(s, ".") {
			return nil, fmt.Errorf("%q does not end with a full stop", s)
		}
		out = append(out, t)
	}
	return out, nil
}

// groups are attributes that end together. What a member has behind "=" counts where the ending
// itself names nothing.
var groups = map[string][]string{
	"@work":   {"job", "employer", "work", "past_job"},
	"@school": {"school", "study"},
	"@mates": {"partner", "relative.wife", "relative.husband", "relative.girlfriend", "relative.boyfriend", "relative.partner", "relative.fiance",
		"relative.spouse", "entity.wife", "entity.husband", "entity.girlfriend", "entity.boyfriend", "entity.partner", "entity.fiance", "entity.spouse",
		"marital_status=boyfriend", "marital_status=girlfriend", "marital_status=partner", "marital_status=in a relationship",
		"household=wife", "household=husband", "household=girlfriend", "household=boyfriend", "household=partner", "household=fiance", "household=spouse"},
	"@any": {"habit", "hobby", "plays", "skill", "goal", "study", "sport", "project", "practice", "uses.*", "language", "volunteering", "owns", "pet", "pet.name", "vehicle", "drives", "membership",
		"medication", "diet", "employer", "job", "school", "business", "work", "smoking", "residence.kind", "housing", "past_job", "work_place",
		"interest", "none.fact", "none.identity", "none.skill", "none.environment", "none.project", "none.goal", "none.context"},
	"@does": {"habit", "hobby", "plays", "skill", "goal", "study", "sport", "project", "practice", "uses.*", "language", "volunteering"},
}

// expandGroups writes the attributes of a group in its place.
func expandGroups(ends []string) []string {
	var out []string
	for _, e := range ends {
		i := strings.IndexAny(e, "=~")
		if i < 0 {
			i = len(e)
		}
		members, ok := groups[e[:i]]
		if !ok {
			members = []string{e[:i]}
		}
		for _, m := range members {
			attribute, value, valued := strings.Cut(m, "=")
			if m = attribute + e[i:]; valued && i == len(e) {
				m = attribute + "=" + value
			}
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	return out
}
