package lexicon

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Step is one step of a phrase: a word out of several, with others before it.
type Step struct {
	Words    []ID
	Gap      int  // most other words before it; they do not pass the end of a sentence
	Optional bool // the word may be missing
	End      bool // the end of a clause will do, too
}

// isWord tells whether a step is the next word and nothing else.
func (s *Step) isWord() bool { return len(s.Words) == 1 && s.Gap == 0 && !s.Optional && !s.End }

// Builder compiles phrases. Phrases of words alone share the nodes of their common beginnings; from
// its first other step on, a phrase has nodes of its own.
type Builder struct {
	Tokenizer Tokenizer
	// Proclitics are written together with the word behind them, in the order in which they are
	// tried. A word is looked up without them if three letters are left.
	Proclitics []string
	words      map[string]ID
	open       []openWord
	edges      map[uint64]int32
	nodes      []node
	steps      []step
	count      int32
}

// NewBuilder gives an empty builder.
func NewBuilder(t Tokenizer) *Builder {
	return &Builder{Tokenizer: t, words: map[string]ID{}, edges: map[uint64]int32{}, nodes: make([]node, 1), steps: make([]step, 1)}
}

// SplitText gives the words of a text as phrases are compared with them.
func (b *Builder) SplitText(text string) (words []string) {
	for at := 0; ; {
		start, end, folded := b.Tokenizer.NextFolded(text, at, nil)
		if start == end {
			return words
		}
		words = append(words, string(cutProclitic(folded, b.Proclitics)))
		at = end
	}
}

// Word gives the number of a folded word.
func (b *Builder) Word(folded string) ID {
	id, ok := b.words[folded]
	if !ok {
		id = b.nextID()
		b.words[folded] = id
	}
	return id
}

// OpenWord gives the number of all words that have a folded text at their end (front), at their
// beginning (back) or anywhere inside.
func (b *Builder) OpenWord(text string, front, back bool) ID {
	for _, o := range b.open {
		if o.text == text && o.front == front && o.back == back {
			return o.id
		}
	}
	b.open = append(b.open, openWord{text, front, back, b.nextID()})
	return b.open[len(b.open)-1].id
}

func (b *Builder) isOpen(id ID) bool {
	return slices.ContainsFunc(b.open, func(o openWord) bool { return o.id == id })
}

func (b *Builder) nextID() ID { return ID(len(b.words) + len(b.open) + 1) } //nolint:gosec // bounded by the tables

// AddWords adds a phrase of words side by side.
func (b *Builder) AddWords(words []ID) int {
	steps := make([]Step, len(words))
	for i := range words {
		steps[i].Words = words[i : i+1]
	}
	n, _ := b.Add(steps)
	return n
}

// Add gives the number of a phrase, from 1 on; phrases of the same words alone have the same. A
// phrase that spans more words than a scan has at hand is an error, and so is an open word in a
// step that is more than the next word.
func (b *Builder) Add(steps []Step) (int, error) {
	span := 0
	for i := range steps {
		span += steps[i].Gap + 1
		if !steps[i].isWord() && slices.ContainsFunc(steps[i].Words, b.isOpen) {
			return 0, errors.New("an open word stands alone in its step, without a gap before it")
		}
	}
	if span > maxSpan {
		return 0, fmt.Errorf("the phrase spans more than %d words", maxSpan)
	}
	at, plain := int32(0), 0
	for plain < len(steps) && steps[plain].isWord() {
		at, plain = b.follow(at, steps[plain].Words[0]), plain+1
	}
	if plain == len(steps) && b.nodes[at].phrase > 0 {
		return int(b.nodes[at].phrase), nil
	}
	b.count++
	switch {
	case plain == len(steps):
		b.nodes[at].phrase = b.count
	case plain > 0:
		b.link(at, compileStep(&steps[plain], b.next()))
		b.addRest(steps[plain+1:])
	default:
		// The first word leads to the rest, and so does that of a step before which all may be
		// missing.
		rest := b.next()
		b.addRest(steps[1:])
		for i := range steps {
			for _, id := range steps[i].Words {
				b.link(b.follow(0, id), step{optional: true, to: rest + int32(i)}) //nolint:gosec // few steps
			}
			if !steps[i].Optional {
				break
			}
		}
	}
	return int(b.count), nil
}

// addRest adds a node and those behind it, one for each step; the phrase is complete at the last.
func (b *Builder) addRest(steps []Step) {
	at := b.addNode()
	for i := range steps {
		to := b.addNode()
		b.link(at, compileStep(&steps[i], to))
		at = to
	}
	b.nodes[at].phrase = b.count
}

func compileStep(s *Step, to int32) step {
	c := step{gap: int32(s.Gap), optional: s.Optional, end: s.End, to: to} //nolint:gosec // bounded by maxSpan
	for _, id := range s.Words {
		c.any.Add(id)
	}
	return c
}

// next is the node that is added next.
func (b *Builder) next() int32 { return int32(len(b.nodes)) } //nolint:gosec // bounded by the tables

func (b *Builder) addNode() int32 {
	b.nodes = append(b.nodes, node{})
	return b.next() - 1
}

// follow gives the node behind a word.
func (b *Builder) follow(from int32, id ID) int32 {
	key := EdgeKey(from, id)
	if b.edges[key] == 0 {
		b.edges[key] = b.addNode()
	}
	return b.edges[key]
}

// link adds a step at the end of those of a node.
func (b *Builder) link(from int32, s step) {
	next := &b.nodes[from].steps
	for *next != 0 {
		next = &b.steps[*next].next
	}
	*next = int32(len(b.steps)) //nolint:gosec // bounded by the tables
	b.steps = append(b.steps, s)
}

// Phrases gives what was added, ready for scans. The builder is not used any more.
func (b *Builder) Phrases() Phrases {
	p := Phrases{tokenizer: b.Tokenizer, proclitics: b.Proclitics, nodes: b.nodes, steps: b.steps, words: NewWords(b.words), edges: NewEdges(b.edges), open: newOpenWords(b.open)}
	for i := range p.nodes {
		p.nodes[i].leaf = p.nodes[i].steps == 0
	}
	for key := range b.edges {
		p.nodes[key>>32].leaf = false
	}
	return p
}

// cutProclitic takes the first of some prefixes that a word has off it.
func cutProclitic(word []byte, proclitics []string) []byte {
	for _, p := range proclitics {
		if len(word) > len(p) && strings.HasPrefix(string(word[:len(p)]), p) && utf8.RuneCount(word[len(p):]) >= 3 {
			return word[len(p):]
		}
	}
	return word
}
