package rules

import (
	"slices"

	"github.com/pamline/pamline/extract/lexicon"
)

// trie holds patterns by their common beginnings, and once it is closed also by what follows on
// them (share). Nodes and edges hold no pointers: there are thousands in a table, and the
// garbage collector would follow each.
type trie struct {
	nodes []node
	words map[uint64]int32 // node and word to the next node, while it is made
	edges lexicon.Edges    // the same, once it is closed
	sets  []classSet       // those of the nodes, each once; the first is empty

	classes        chains[classEdge]
	opens          chains[openEdge]
	numbers, names chains[int8]  // by the capture
	ends           chains[int32] // the patterns that are complete at a node
}

// node has the first link of each of its chains, 0 for none.
type node struct {
	classes, opens, numbers, names int32
	ends                           int32
	free                           int32  // of ends: those that match whatever follows
	any                            int32  // in sets: the classes of its edges
	leaf                           bool   // no edge leaves it
	byKind                         bool   // an edge of a number or a name does
	words                          uint64 // the bit of each word that leaves it (bitOf)
}

// hasEdgeOf tells whether one of some classes leaves a node.
func (t *trie) hasEdgeOf(n *node, by *classSet) bool { return n.any != 0 && by.meets(&t.sets[n.any]) }

type classEdge struct {
	class   classID
	capture int8 // index of its name in table.captures, -1 for none
}

type openEdge struct {
	capture  int8
	min, max int32
}

// chains are the edges of one kind of all nodes. Those of a node are linked in the order in which
// they were added.
type chains[E comparable] []link[E]

type link[E comparable] struct {
	edge     E
	to, next int32
}

// add gives the node behind an edge of the chain that begins at first. If the chain does not have
// the edge, it leads to the node to from now on.
func (c *chains[E]) add(first *int32, edge E, to int32) int32 {
	if *c == nil {
		*c = make([]link[E], 1) // 0 ends a chain
	}
	next := first
	for *next != 0 {
		l := &(*c)[*next]
		if l.edge == edge {
			return l.to
		}
		next = &l.next
	}
	*next = int32(len(*c)) //nolint:gosec // bounded by maxNodes
	*c = append(*c, link[E]{edge: edge, to: to})
	return to
}

// usualNodes is about how many nodes the patterns of a language have.
const usualNodes = 8 << 10

// newTrie gives an empty trie with room for nodes; more are added when they are needed.
func newTrie(room int) trie { return trie{nodes: make([]node, 1, room), words: map[uint64]int32{}} }

// next is the number of the node that is added next.
func (t *trie) next() int32 { return int32(len(t.nodes)) } //nolint:gosec // bounded by maxNodes

// reach gives a node that is in the trie, or is the next one and added.
func (t *trie) reach(to int32) int32 {
	if to == t.next() {
		if len(t.nodes) == cap(t.nodes) {
			t.nodes = slices.Grow(t.nodes, len(t.nodes)) // append alone copies a large trie many times
		}
		t.nodes = append(t.nodes, node{})
	}
	return to
}

// behindWord gives the node that a word leads to from the first one, 0 for none.
func (t *trie) behindWord(id wordID) int32 {
	if t.words != nil { // it is not closed
		return t.words[lexicon.EdgeKey(0, id)]
	}
	return t.edges.Step(0, id)
}

func (t *trie) word(from int32, id wordID) int32 {
	k := lexicon.EdgeKey(from, id)
	to, ok := t.words[k]
	if !ok {
		to = t.reach(t.next())
		t.words[k] = to
	}
	return to
}

func (t *trie) class(from int32, c classID, capture int8) int32 {
	return t.reach(t.classes.add(&t.nodes[from].classes, classEdge{c, capture}, t.next()))
}

func (t *trie) open(from int32, capture int8, low, high int) int32 {
	edge := openEdge{capture, int32(low), int32(high)} //nolint:gosec // lengths of clauses
	return t.reach(t.opens.add(&t.nodes[from].opens, edge, t.next()))
}

func (t *trie) number(from int32, capture int8) int32 {
	return t.reach(t.numbers.add(&t.nodes[from].numbers, capture, t.next()))
}

func (t *trie) name(from int32, capture int8) int32 {
	return t.reach(t.names.add(&t.nodes[from].names, capture, t.next()))
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
	t.share()
	for k := range t.words {
		t.nodes[k>>32].words |= bitOf(wordID(k)) //nolint:gosec // the lower half is the word
	}
	numbers := map[classSet]int32{{}: 0}
	t.sets = make([]classSet, 1)
	for i := range t.nodes {
		n := &t.nodes[i]
		var left classSet
		n.byKind = n.numbers != 0 || n.names != 0
		n.leaf = n.words == 0 && !n.byKind && n.classes == 0 && n.opens == 0
		for k := n.classes; k != 0; k = t.classes[k].next {
			left.add(t.classes[k].edge.class)
		}
		number, known := numbers[left]
		if !known {
			number = int32(len(t.sets)) //nolint:gosec // fewer than nodes
			numbers[left], t.sets = number, append(t.sets, left)
		}
		n.any = number
	}
	t.nodes = slices.Clone(t.nodes) // without room for more
	t.edges, t.words = lexicon.NewEdges(t.words), nil
}
