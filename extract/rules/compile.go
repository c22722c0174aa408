package rules

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pamline/pamline/extract/lexicon"
	"github.com/pamline/pamline/normalize"
)

const (
	// maxWays is how many ways one pattern may be read in, maxNodes how large the patterns of a
	// table may be together.
	maxWays  = 2048
	maxNodes = 1 << 20
)

// compileTable makes a table of its source.
func compileTable(src *source) (*table, error) {
	t := &table{language: src.Language, elisions: map[string]bool{}, words: map[string]wordID{}, named: map[string]classID{}, stands: []string{""}, trie: newTrie(usualNodes),
		mentions: newTrie(1)}
	if src.Language == "" {
		return nil, errors.New("compile table: language is missing")
	}
	for _, e := range src.Elisions {
		t.elisions[e] = true
	}
	t.fullStop, t.enumerates, t.script, t.chains = cmp.Or(src.FullStop, "."), src.Enumerates, src.Script, src.Chains
	t.works, t.plays, t.suffixed, t.proclitic = newSayings(src.Works), newSayings(src.Plays), src.Suffixed, src.Proclitic
	c := &compiler{t: t, stands: map[string]int32{"": 0}, phrases: map[uint64][]phrase{}, meanings: map[uint64]int32{}}
	c.id(nil) // 0 is no word
	if err := c.aliases(src.Aliases); err != nil {
		return nil, fmt.Errorf("compile tables/%s.yaml: %w", src.Language, err)
	}
	if src.changes != nil {
		src.Tails.list = append(src.Tails.list, src.changes.Tails.list...)
	}
	if err := src.listVerbs(); err != nil {
		return nil, fmt.Errorf("compile tables/%s.yaml: %w", src.Language, err)
	}
	if err := c.classes(src); err != nil {
		return nil, err
	}
	if src.changes != nil {
		if err := c.changeClasses(src.changes); err != nil {
			return nil, err
		}
	}
	var faults []error
	for i := range src.Families {
		f := &src.Families[i]
		if err := c.family(f); err != nil {
			faults = append(faults, fmt.Errorf("compile tables/%s.yaml: family %s: %w", src.Language, f.Name, err))
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	t.trie.close()
	t.mentions.close()
	t.carried = c.beginnings(src.Carry)
	t.copulas = c.beginnings(src.Copula)
	if src.changes != nil {
		if err := c.changePatterns(src.changes); err != nil {
			return nil, err
		}
		if err := c.lightVerbs(src); err != nil {
			return nil, err
		}
	}
	var frequent []wordID
	for _, w := range src.Marks.list {
		frequent = append(frequent, c.phrase(w.said)...)
	}
	c.plain(src.Letters)
	if t.change != nil {
		t.change.anchored = c.anchors.hashes()
	}
	t.firsts()
	t.frequent = make([]bool, len(t.member))
	for _, id := range frequent {
		t.frequent[id] = true
	}
	t.lexicon, t.words = lexicon.NewWords(t.words), nil
	t.sortWords()
	t.phrases, t.meanings = newPhraseIndex(c.phrases), lexicon.NewEdges(c.meanings)
	t.counts = len(src.Ordinals.list) > 0
	t.euphony, t.mends, t.predicates = src.Euphony, src.Mends, map[string]bool{}
	for _, p := range src.Predicates {
		t.predicates[p] = true
	}
	t.singular, t.premodifies, t.copulaSaid = src.Singular, src.Premodify, src.CopulaSaid
	if err := t.persons(src); err != nil {
		return nil, fmt.Errorf("compile tables/%s.yaml: %w", src.Language, err)
	}
	return t, nil
}

// beginnings gives the nodes behind the words, and behind the classes ("@im"), that patterns begin
// with.
func (c *compiler) beginnings(list words) (nodes []int32) {
	root := &c.t.trie.nodes[0]
	for _, w := range list.list {
		if name, isClass := strings.CutPrefix(w.said, "@"); isClass {
			for k := root.classes; k != 0; k = c.t.trie.classes[k].next {
				if e := &c.t.trie.classes[k]; e.edge.class == c.t.named[name] {
					nodes = append(nodes, e.to)
				}
			}
		} else if ids := c.phrase(w.said); len(ids) == 1 {
			if n := c.t.trie.edges.Step(0, ids[0]); n != 0 {
				nodes = append(nodes, n)
			}
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// unionClass makes a class of the words of a list, and of the classes that the list names.
func (c *compiler) unionClass(name string, list words, classes map[string]words) (classID, error) {
	all := words{}
	for _, w := range list.list {
		if named, isClass := strings.CutPrefix(w.said, "@"); isClass {
			all.list = append(all.list, classes[named].list...)
		} else {
			all.list = append(all.list, w)
		}
	}
	return c.class(name, all)
}

type compiler struct {
	t *table
	// scope is before the names of classes that hide others.
	scope string
	scan  scanner
	found []wordID // of phrase
	texts []string // of the patterns
	// stands are the places of what entries of classes stand for; phrases and meanings are those of
	// the table, by lexicon.EdgeKey of class and word.
	stands   map[string]int32
	phrases  map[uint64][]phrase
	meanings map[uint64]int32
	// anchors are those of the changes.
	anchors anchoring
}

// id numbers a word.
func (c *compiler) id(folded []byte) wordID {
	t := c.t
	id, ok := t.words[string(folded)]
	if !ok {
		id = wordID(len(t.member)) //nolint:gosec // a table is small
		t.words[string(folded)] = id
		t.member, t.opens = append(t.member, classSet{}), append(t.opens, classSet{})
	}
	return id
}

// phrase cuts a text as messages are cut and numbers its words.
func (c *compiler) phrase(text string) []wordID {
	c.scan.reset(text, 0, len(text), c.t)
	c.found = c.found[:0]
	c.scan.meet = func(folded []byte) { c.found = append(c.found, c.id(folded)) }
	for c.scan.next() {
	}
	c.scan.meet = nil
	return slices.Clone(c.found)
}

// knows tells whether the table has each word of a text.
func (c *compiler) knows(text string) bool {
	all := true
	c.scan.reset(text, 0, len(text), c.t)
	c.scan.meet = func(folded []byte) { all = all && c.t.words[string(folded)] != 0 }
	for c.scan.next() {
	}
	c.scan.meet = nil
	return all
}

func (c *compiler) classes(src *source) error {
	t := c.t
	verbs := words{}
	for _, said := range sortedKeys(src.Verbs) {
		verbs.list = append(verbs.list, pair{said, src.Verbs[said]})
	}
	turn, others := words{}, words{}
	for _, said := range sortedKeys(src.Turn) {
		turn.list = append(turn.list, pair{said, src.Turn[said]})
	}
	for _, said := range sortedKeys(src.Others) {
		others.list = append(others.list, pair{said, src.Others[said]})
	}
	fixed := []struct {
		name string
		list words
		id   *classID
	}{
		{"fillers", src.Fillers, &t.fillers}, {"skips", src.Skips, &t.skips}, {"stops", src.Stops, &t.stops}, {"joins", src.Joins, &t.joins},
		{"subjects", src.Subjects, &t.subjects}, {"carry", src.Carry, &t.carry}, {"degrees", src.Degrees, &t.degrees}, {"dangling", src.Dangling, &t.dangling}, {"frequency", src.Frequency, &t.frequency}, {"pointers", src.Pointers, &t.pointers}, {"definite", src.Definite, &t.definite}, {"alternatives", src.Alternate, &t.alternatives}, {"having", src.Having, &t.having}, {"restricts", src.Restricts, &t.restricts}, {"relatives", src.Relatives, &t.relatives}, {"runon", src.Runon, &t.runon}, {"binds", src.Binds, &t.binds},
		{"infinitives", src.Infinitive, &t.infinitives}, {"tails", src.Tails, &t.tails}, {"lessens", src.Lessens, &t.lessens}, {"asks_back", src.AsksBack, &t.back}, {"hypothetical", src.Hypothesis, &t.hypothesis}, {"certain", src.Certain, &t.certain},
		{"reported", src.Reported, &t.reported}, {"negators", src.Negators, &t.negators}, {"vague", src.Vague, &t.vague},
		{"articles", src.Articles, &t.articles}, {"tasks", src.Tasks, &t.tasks}, {"numbers", src.Numbers, &t.numbers}, {"ordinals", src.Ordinals, &t.ordinals}, {"faint", src.Faint, &t.faint}, {"homonyms", src.Homonyms, &t.homonyms},
		{"doubts", src.Doubts, &t.doubts}, {"completed", src.Completed, &t.completed}, {"completes", src.Completes, &t.completes}, {"finite", src.Finite, &t.finite}, {"boilerplate", src.Boilerplate, &t.boilerplate}, {"timed", src.Timed, &t.timed},
		{"turn", turn, &t.turn}, {"others", others, &t.others}, {"verb", verbs, new(classID)},
	}
	for _, f := range fixed {
		id, err := c.class(f.name, f.list)
		if err != nil {
			return err
		}
		*f.id = id
	}
	t.digits = map[string]string{}
	for _, n := range src.Numbers.list {
		// A word for one is an article, too, as often as not.
		if said := normalize.FoldValue(n.said); n.canonical != "1" && n.canonical != "" && !strings.Contains(said, " ") {
			t.digits[said] = n.canonical
		}
	}
	var err error
	for _, f := range []struct {
		name string
		list words
		id   *classID
	}{
		{"copula", src.Copula, &t.copula}, {"typed", src.Typed, &t.typed}, {"counted", src.Counted, &t.counted}, {"proper", src.Proper, &t.proper}, {"describing", src.Describing, &t.describing},
	} {
		if *f.id, err = c.unionClass(f.name, f.list, src.Classes); err != nil {
			return err
		}
	}
	if err := c.lexicon(src); err != nil {
		return fmt.Errorf("compile tables/%s.yaml: %w", src.Language, err)
	}
	for _, name := range sortedKeys(src.Classes) {
		if _, err := c.class(name, src.Classes[name]); err != nil {
			return err
		}
	}
	return nil
}

// lexicon makes the classes of verbs that patterns refer to.
func (c *compiler) lexicon(src *source) error {
	if src.Lexicon == nil {
		return nil
	}
	all, err := src.Lexicon.classes()
	if err != nil {
		return err
	}
	used := map[string]bool{}
	refer := func(lists ...[]string) {
		for _, p := range slices.Concat(lists...) {
			for _, m := range classReference.FindAllStringSubmatch(p, -1) {
				used[m[1]] = true
			}
		}
	}
	for i := range src.Families {
		refer(src.Families[i].Patterns, src.Families[i].Unless)
	}
	for i := 0; src.changes != nil && i < len(src.changes.Transitions); i++ {
		tr := &src.changes.Transitions[i]
		refer(tr.Patterns, tr.Unless, tr.Scattered)
	}
	for _, name := range sortedKeys(all) {
		if used[name] {
			if _, err := c.class(name, all[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// classReference finds the references to classes of the lexicon in a pattern.
var classReference = regexp.MustCompile(`@([a-z_]+\.[a-z_]+)`)

func (c *compiler) class(name string, list words) (classID, error) {
	t := c.t
	if _, twice := t.named[name]; twice {
		return 0, fmt.Errorf("compile tables/%s.yaml: class %s: the name is taken", t.language, name)
	}
	if len(t.classes) == maxClasses {
		return 0, fmt.Errorf("compile tables/%s.yaml: class %s: there are more than %d classes", t.language, name, maxClasses)
	}
	id := classID(len(t.classes)) //nolint:gosec // at most maxClasses
	canonical, phrases := make(map[wordID]string, len(list.list)), map[wordID][]phrase{}
	for _, p := range list.list {
		ids := c.phrase(p.said)
		switch len(ids) {
		case 0:
			return 0, fmt.Errorf("compile tables/%s.yaml: class %s: %q has no word", t.language, name, p.said)
		case 1:
			t.member[ids[0]].add(id)
			canonical[ids[0]] = p.canonical
		default:
			t.opens[ids[0]].add(id)
			phrases[ids[0]] = append(phrases[ids[0]], phrase{ids, c.stand(p.canonical)})
		}
	}
	for _, first := range sortedKeys(phrases) {
		slices.SortStableFunc(phrases[first], func(a, b phrase) int { return len(b.words) - len(a.words) })
		c.phrases[lexicon.EdgeKey(int32(id), first)] = phrases[first]
	}
	for _, word := range sortedKeys(canonical) {
		if stands := c.stand(canonical[word]); stands != 0 {
			c.meanings[lexicon.EdgeKey(int32(id), word)] = stands
		}
	}
	t.named[name] = id
	t.classes = append(t.classes, class{name: name, words: len(canonical)})
	return id, nil
}

// stand gives the place in t.stands of what an entry stands for.
func (c *compiler) stand(canonical string) int32 {
	place, known := c.stands[canonical]
	if !known {
		place = int32(len(c.t.stands)) //nolint:gosec // a table is small
		c.stands[canonical], c.t.stands = place, append(c.t.stands, canonical)
	}
	return place
}

// firsts collects the words that mentions begin with and those that clauses end before.
func (t *table) firsts() {
	t.cuts = make([]bool, len(t.member))
	for id := range t.member {
		for _, c := range []classID{t.joins, t.stops, t.runon} {
			t.cuts[id] = t.cuts[id] || t.member[id].has(c) || t.opens[id].has(c)
		}
	}
	t.mentioned = t.begins(&t.mentions)
	if t.change != nil {
		t.change.mentioned, t.change.timed = t.begins(&t.change.mentions), t.begins(&t.change.times)
		t.scatteredFirsts()
	}
}

// begins gives the words that a pattern of a trie begins with.
func (t *table) begins(tr *trie) []bool {
	begun := make([]bool, len(t.member))
	for id := range tr.edges.Firsts() {
		begun[id] = true
	}
	first := &tr.nodes[0]
	for id := range t.member {
		begun[id] = begun[id] || tr.hasEdgeOf(first, &t.member[id]) || tr.hasEdgeOf(first, &t.opens[id])
	}
	return begun
}
