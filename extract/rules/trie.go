package rules

import "github.com/pamline/pamline/extract/lexicon"

// trie holds patterns by their common beginnings. Each node has one way to it.
type trie struct {
	nodes []node
	words map[uint64]int32 // node and word to the next node, while it is made
	edges lexicon.Edges    // the same, once it is closed
}

type node struct {
	classes []classEdge
	opens   []openEdge
	numbers []captureEdge
	names   []captureEdge
	ends    []int32 // patterns that are complete here
	free    []int32 // the same, whatever follows
	leaf    bool    // no edge leaves it
	// any are the classes of its edges, words has the bit of each word that leaves it (bitOf), byKind tells that a number or a
	// name does.
	any    classSet
	words  uint64
	byKind bool
}

type classEdge struct {
	class   classID
	capture int8 // index of its name in table.captures, -1 for none
	to      int32
}

type openEdge struct {
	capture  int8
	min, max int
	to       int32
}

type captureEdge struct {
	capture int8
	to      int32
}

func newTrie() trie { return trie{nodes: make([]node, 1), words: map[uint64]int32{}} }

func (t *trie) add() int32 {
	t.nodes = append(t.nodes, node{})
	return int32(len(t.nodes) - 1) //nolint:gosec // bounded by maxNodes
}

func (t *trie) word(from int32, id wordID) int32 {
	k := lexicon.EdgeKey(from, id)
	to, ok := t.words[k]
	if !ok {
		to = t.add()
		t.words[k] = to
	}
	return to
}

func (t *trie) class(from int32, c classID, capture int8) int32 {
	for _, e := range t.nodes[from].classes {
		if e.class == c && e.capture == capture {
			return e.to
		}
	}
	to := t.add()
	t.nodes[from].classes = append(t.nodes[from].classes, classEdge{c, capture, to})
	return to
}

func (t *trie) open(from int32, capture int8, low, high int) int32 {
	for _, e := range t.nodes[from].opens {
		if e.capture == capture && e.min == low && e.max == high {
			return e.to
		}
	}
	to := t.add()
	t.nodes[from].opens = append(t.nodes[from].opens, openEdge{capture, low, high, to})
	return to
}

func (t *trie) number(from int32, capture int8) int32 {
	n := t.capture(t.nodes[from].numbers, capture)
	if n == 0 {
		n = t.add()
		t.nodes[from].numbers = append(t.nodes[from].numbers, captureEdge{capture, n})
	}
	return n
}

func (t *trie) name(from int32, capture int8) int32 {
	n := t.capture(t.nodes[from].names, capture)
	if n == 0 {
		n = t.add()
		t.nodes[from].names = append(t.nodes[from].names, captureEdge{capture, n})
	}
	return n
}

func (t *trie) capture(edges []captureEdge, capture int8) int32 {
	for _, e := range edges {
		if e.capture == capture {
			return e.to
		}
	}
	return 0
}

// bitOf is the bit of a word in the filter of a node; 0 for the word that no table knows.
func bitOf(id wordID) uint64 {
	if id == 0 {
		return 0
	}
	return 1 << (id & 63)
}

// close makes the trie ready for walks; nothing is added to it any more.
func (t *trie) close() {
	for k := range t.words {
		t.nodes[k>>32].words |= bitOf(wordID(k)) //nolint:gosec // the lower half is the word
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		n.byKind = len(n.numbers)+len(n.names) > 0
		n.leaf = n.words == 0 && !n.byKind && len(n.classes)+len(n.opens) == 0
		for _, e := range n.classes {
			n.any.add(e.class)
		}
	}
	t.edges, t.words = lexicon.NewEdges(t.words), nil
}
