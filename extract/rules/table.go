package rules

import "github.com/pamline/pamline/extract/lexicon"

// wordID numbers the words of a table; 0 is a word that the table does not know.
type wordID = lexicon.ID

// classID numbers the classes of a table, at most maxClasses.
type classID uint16

const maxClasses = 512

// classSet is a set of classes.
type classSet [maxClasses / 64]uint64

func (s *classSet) has(c classID) bool { return s[c>>6]&(1<<(c&63)) != 0 }

// meets tells whether a class is in both sets.
func (s *classSet) meets(o *classSet) bool {
	return s[0]&o[0]|s[1]&o[1]|s[2]&o[2]|s[3]&o[3]|s[4]&o[4]|s[5]&o[5]|s[6]&o[6]|s[7]&o[7] != 0
}

func (s *classSet) add(c classID) { s[c>>6] |= 1 << (c & 63) }

// table is a compiled language: read by any number of goroutines, never changed.
type table struct {
	// digits are the words for numbers from two on, folded: in slots they are written in digits.
	digits   map[string]string
	language string
	elisions map[string]bool
	words    map[string]wordID // while it is made
	lexicon  lexicon.Words     // the same, once it is made
	comma    wordID            // stands for a comma in patterns; no text has it as a word
	// member are the classes that a word is an entry of, opens those that have a phrase which
	// begins with it, while it is made; sorts and sorted are the same once it is made.
	member, opens []classSet
	sorts         []uint16   // of each word: its place in sorted
	sorted        []wordSort // each once
	classes       []class
	phrases       phraseIndex
	// stands are what entries of classes stand for, each once; the first is "". meanings lead from
	// a class by a word that is an entry of it to its place there.
	stands   []string
	meanings lexicon.Edges
	named    map[string]classID
	families []compiledFamily
	patterns []compiledPattern
	captures []string
	trie     trie
	// mentions are the patterns that match anywhere, mentioned the words that one of them begins
	// with.
	mentions  trie
	mentioned []bool
	// cuts are the words that a clause may end before: those of joins, stops and runon.
	cuts []bool
	// singular is what a word or, behind a hyphen, an ending becomes where slots compare things.
	singular map[string]string
	// carried are the nodes behind the words that a later clause of a sentence may leave out,
	// copulas those behind "I am".
	carried, copulas []int32
	// change is the table of changes, nil for none.
	change *changeTable
	// frequent are the words that tell the language.
	frequent []bool

	fillers, skips, stops, joins, subjects, carry, copula, runon, binds, infinitives, tails                       classID
	degrees, dangling, frequency, pointers, definite, restricts, relatives, negators, alternatives, having        classID
	back, hypothesis, certain, reported, vague, articles, numbers, turn, ordinals, faint, homonyms, typed         classID
	doubts, completed, completes, finite, timed, proper, boilerplate, counted, describing, others, lessens, tasks classID
	// fullStop ends a content; enumerates tells that "、" joins things and not clauses; script that
	// the letters tell the language. chains tells that the clauses behind a comma have the subject
	// of the first.
	fullStop                   string
	enumerates, script, chains bool
	// suffixed tells that an apostrophe stands before the ending of a name, which is a word by
	// itself.
	suffixed bool
	// proclitic is the "and" that is written together with the next word, "" for none.
	proclitic string
	// works are words of messages that give a text to work on, plays those of make-believe.
	works, plays sayings
	// thirdOf leads from verbs in the first person to the third, firstOf the other way round.
	thirdOf, firstOf map[string]string
	// toldOf leads from infinitives and gerunds to the third person, whole words and endings behind
	// a hyphen: "joggen" to "joggt".
	toldOf map[string]string
	// counts tells that the language writes ordinals with a full stop.
	counts bool
	// euphony is what an article of a template becomes before a vowel: "an" of "a".
	euphony map[string]string
	// mends is the indefinite article that is put before what is counted behind one of the predicates
	// where the person left it out, "" for none.
	mends      string
	predicates map[string]bool
	// copulaSaid is what a content begins with that says what the person is, behind which a degree
	// stands: "Is ".
	copulaSaid string
	// premodifies tells that adjectives stand before what they say something about.
	premodifies bool
}

// class is a list of words and phrases with what they stand for.
type class struct {
	name  string
	words int // how many entries of one word it has
}

type phrase struct {
	words  []wordID
	stands int32 // in table.stands
}

type compiledPattern struct{ family int }

type compiledFamily struct {
	*family
	says   []statement
	change *compiledChange // nil for a family of the table of facts
	unless *trie
	// without are words that no capture may have.
	without map[wordID]bool
	// used are the captures that a template has.
	used [maxCaptures]bool
}

// denies tells whether a pattern is of a family whose statements deny something: what is joined to
// that is denied, too.
func (t *table) denies(pattern int32) bool { return t.families[t.patterns[pattern].family].Negative }

// elides tells whether a word ends behind this apostrophe.
func (t *table) elides(folded []byte) bool {
	return len(t.elisions) > 0 && t.elisions[string(folded[:len(folded)-1])]
}

// elidesWord is elides for what stands before the apostrophe: "j' ai" with a space, and the words
// of a table alone.
func (t *table) elidesWord(folded []byte) bool {
	return len(t.elisions) > 0 && t.elisions[string(folded)]
}

// memberOf are the classes that a word is an entry of.
func (t *table) memberOf(id wordID) *classSet { return &t.sorted[t.sorts[id]].member }

// opensOf are the classes that have a phrase which begins with a word.
func (t *table) opensOf(id wordID) *classSet { return &t.sorted[t.sorts[id]].opens }

func (t *table) is(tok *token, c classID) bool {
	return tok.kind == word && t.memberOf(tok.id).has(c)
}

// entry gives the longest entry of a class at tokens[i]: how many tokens it has, 0 for none, and
// what it stands for.
func (t *table) entry(tokens []token, i int, c classID) (n int, stands string) {
	n, place := t.find(tokens, i, c)
	return n, t.stands[place]
}

// find is entry with the place in t.stands.
func (t *table) find(tokens []token, i int, c classID) (n int, stands int32) {
	if n, stands = t.phrase(tokens, i, c); n == 0 && i < len(tokens) && t.is(&tokens[i], c) {
		return 1, t.meanings.Step(int32(c), tokens[i].id)
	}
	return n, stands
}

// span is entry without what the entry stands for.
func (t *table) span(tokens []token, i int, c classID) int {
	if i >= len(tokens) || tokens[i].kind != word || tokens[i].id == 0 {
		return 0
	}
	if n, _ := t.phrase(tokens, i, c); n > 0 {
		return n
	}
	if t.memberOf(tokens[i].id).has(c) {
		return 1
	}
	return 0
}

// phrase is find for those of more than one word.
func (t *table) phrase(tokens []token, i int, c classID) (n int, stands int32) {
	if i >= len(tokens) || tokens[i].kind != word || !t.opensOf(tokens[i].id).has(c) {
		return 0, 0
	}
	for _, p := range t.phrases.of(c, tokens[i].id) {
		if phraseAt(tokens, i, p.words) {
			return len(p.words), p.stands
		}
	}
	return 0, 0
}

func phraseAt(tokens []token, i int, ids []wordID) bool {
	if i+len(ids) > len(tokens) {
		return false
	}
	for k, id := range ids {
		if tok := &tokens[i+k]; tok.kind != word || tok.id != id {
			return false
		}
	}
	return true
}

// run gives where a run of entries of a class that begins at i ends.
func (t *table) run(tokens []token, i int, c classID) int {
	for {
		n := t.span(tokens, i, c)
		if n == 0 {
			return i
		}
		i += n
	}
}
