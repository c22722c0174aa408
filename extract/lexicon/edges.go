package lexicon

import (
	"maps"
	"math/bits"
	"slices"
)

// Edges lead from a node of a tree by a word to another node. They are a hash table with open
// addressing, its length a power of two.
type Edges struct {
	places []wordEdge
	roots  []int32 // from the first node, by word: every clause begins there
}

// wordEdge is one of them; no edge leads back to node 0, which marks a free place.
type wordEdge struct {
	key uint64
	to  int32
}

// NewEdges takes edges over: by EdgeKey, the node that each leads to.
func NewEdges(words map[uint64]int32) Edges {
	e := Edges{places: make([]wordEdge, 1<<bits.Len(uint(2*len(words))))}
	for _, k := range slices.Sorted(maps.Keys(words)) { // in an order, so that the table is always the same
		to := words[k]
		if k>>32 == 0 {
			id := int(uint32(k)) //nolint:gosec // the lower half is the word
			for len(e.roots) <= id {
				e.roots = append(e.roots, 0)
			}
			e.roots[id] = to
			continue
		}
		e.places[e.search(k)] = wordEdge{k, to}
	}
	return e
}

// Roots gives the nodes behind the words that leave the first node, by word; 0 for words that do
// not.
func (e *Edges) Roots() []int32 { return e.roots }

// Step gives the node behind a word, 0 when there is none.
func (e *Edges) Step(from int32, id ID) int32 {
	if from == 0 {
		if int(id) < len(e.roots) {
			return e.roots[id]
		}
		return 0
	}
	return e.places[e.search(EdgeKey(from, id))].to
}

// search gives the place of a key, or the free one that it would have.
func (e *Edges) search(key uint64) int {
	mask := len(e.places) - 1
	for i := int(key*0x9e3779b97f4a7c15>>32) & mask; ; i = (i + 1) & mask { //nolint:gosec // 32 bits
		if p := &e.places[i]; p.to == 0 || p.key == key {
			return i
		}
	}
}

// EdgeKey is the key of the edge that leaves a node by a word.
func EdgeKey(from int32, id ID) uint64 { return uint64(from)<<32 | uint64(id) } //nolint:gosec // a node is never negative
