package rules

import (
	"encoding/binary"
	"slices"

	"github.com/pamline/pamline/extract/lexicon"
)

// share lets the beginnings of patterns that go on alike share what follows, so that the trie
// becomes a graph without cycles: a pattern with alternatives repeats what stands behind each.
// Walks give the same as before. The first node stays the first.
func (t *trie) share() {
	s := sharer{old: *t, nodes: map[string]int32{}, to: make([]int32, len(t.nodes))}
	s.sortWords()
	for i := len(t.nodes) - 1; i >= 0; i-- { // what follows on a node comes behind it
		s.add(int32(i)) //nolint:gosec // bounded by maxNodes
	}
	s.number()
	s.new.words = map[uint64]int32{}
	for from := range s.new.nodes {
		for _, w := range s.leaving[from] {
			s.new.words[lexicon.EdgeKey(int32(from), w.id)] = w.to //nolint:gosec // bounded by maxNodes
		}
	}
	*t = s.new
}

// sharer makes a graph of a trie, from its ends to its beginning.
type sharer struct {
	old, new trie
	nodes    map[string]int32 // the nodes made so far by all that leaves them
	to       []int32          // what became of each node of the trie
	words    []wordStep       // of the trie, in the order of the nodes that they leave
	leaving  [][]wordStep     // of each node of the graph
	key      []byte

	classes        linkSharer[classEdge]
	opens          linkSharer[openEdge]
	numbers, names linkSharer[int8]
	ends           linkSharer[int32]
}

// wordStep is an edge of a word.
type wordStep struct {
	from int32
	id   wordID
	to   int32
}

func (s *sharer) sortWords() {
	for k, to := range s.old.words {
		s.words = append(s.words, wordStep{int32(k >> 32), wordID(k), to}) //nolint:gosec // as EdgeKey puts them together
	}
	slices.SortFunc(s.words, func(a, b wordStep) int {
		if a.from != b.from {
			return int(a.from) - int(b.from)
		}
		return int(a.id) - int(b.id)
	})
}

// add finds or makes the node of the graph that a node of the trie becomes.
func (s *sharer) add(i int32) {
	n := s.old.nodes[i]
	n.ends = s.ends.share(s.old.ends, n.ends, nil)
	n.free = s.ends.share(s.old.ends, n.free, nil)
	n.classes = s.classes.share(s.old.classes, n.classes, s.to)
	n.opens = s.opens.share(s.old.opens, n.opens, s.to)
	n.numbers = s.numbers.share(s.old.numbers, n.numbers, s.to)
	n.names = s.names.share(s.old.names, n.names, s.to)
	first := len(s.words)
	for first > 0 && s.words[first-1].from == i {
		first--
	}
	var words []wordStep
	for _, w := range s.words[first:] {
		words = append(words, wordStep{id: w.id, to: s.to[w.to]})
	}
	s.words = s.words[:first]
	s.key = s.key[:0]
	for _, k := range [...]int32{n.ends, n.free, n.classes, n.opens, n.numbers, n.names} {
		s.key = binary.AppendVarint(s.key, int64(k))
	}
	for _, w := range words {
		s.key = binary.AppendVarint(binary.AppendUvarint(s.key, uint64(w.id)), int64(w.to))
	}
	to, known := s.nodes[string(s.key)]
	if !known {
		to = int32(len(s.new.nodes)) //nolint:gosec // bounded by maxNodes
		s.nodes[string(s.key)] = to
		s.new.nodes, s.leaving = append(s.new.nodes, n), append(s.leaving, words)
	}
	s.to[i] = to
}

// number turns the order of the nodes around: the first one was made last.
func (s *sharer) number() {
	last := int32(len(s.new.nodes) - 1) //nolint:gosec // bounded by maxNodes
	slices.Reverse(s.new.nodes)
	slices.Reverse(s.leaving)
	for i := range s.leaving {
		for k := range s.leaving[i] {
			s.leaving[i][k].to = last - s.leaving[i][k].to
		}
	}
	s.new.classes, s.new.opens = s.classes.turned(last), s.opens.turned(last)
	s.new.numbers, s.new.names = s.numbers.turned(last), s.names.turned(last)
	s.new.ends = s.ends.links
}

// linkSharer makes chains of which equal ones are one.
type linkSharer[E comparable] struct {
	links chains[E]
	known map[link[E]]int32
}

// share gives the first link of the chain that a chain of the trie becomes. to is what became of
// the nodes, nil for edges that lead to none.
func (l *linkSharer[E]) share(old chains[E], first int32, to []int32) int32 {
	if first == 0 {
		return 0
	}
	if l.links == nil {
		l.links, l.known = make([]link[E], 1), map[link[E]]int32{} // 0 ends a chain
	}
	k := link[E]{edge: old[first].edge, next: l.share(old, old[first].next, to)}
	if to != nil {
		k.to = to[old[first].to]
	}
	at, known := l.known[k]
	if !known {
		at = int32(len(l.links)) //nolint:gosec // bounded by maxNodes
		l.known[k], l.links = at, append(l.links, k)
	}
	return at
}

// turned gives the links when the order of the nodes is turned around.
func (l *linkSharer[E]) turned(last int32) chains[E] {
	for i := 1; i < len(l.links); i++ {
		l.links[i].to = last - l.links[i].to
	}
	return l.links
}
