package lexicon

import (
	"fmt"
	"iter"
	"maps"
	"math/bits"
	"slices"
)

// Edges lead from a node of a tree by a word to another node. They are a hash table with open
// addressing, its length a power of two.
type Edges struct {
	places []wordEdge
	// roots are those from the first node, by word, if many leave it: every clause begins there.
	roots []int32
}

const (
	nodeBits, wordBits = 24, 16
	nodeMask           = 1<<nodeBits - 1
)

// wordEdge is one of them in eight bytes: the node that it leaves and the word in the upper part,
// the node that it leads to in the lower. No edge leads back to node 0, which marks a free place.
type wordEdge uint64

func (e wordEdge) to() int32   { return int32(e & nodeMask) } //nolint:gosec // 24 bits
func (e wordEdge) key() uint64 { return uint64(e >> nodeBits) }

// NewEdges takes edges over: by EdgeKey, the node that each leads to. It panics for numbers of
// nodes or words that edges have no room for: tables are part of the program.
func NewEdges(words map[uint64]int32) Edges {
	var e Edges
	first, last := 0, uint64(0)
	for k, to := range words {
		if k>>32 > nodeMask || k&(1<<32-1) >= 1<<wordBits || to > nodeMask {
			panic(fmt.Sprintf("lexicon: no room for an edge from node %d by word %d to node %d", k>>32, uint32(k), to)) //nolint:gosec // the word
		}
		if k>>32 == 0 {
			first, last = first+1, max(last, k)
		}
	}
	rest := len(words)
	if uint64(first)*8 > last { //nolint:gosec // never negative
		e.roots, rest = make([]int32, last+1), rest-first
	}
	e.places = make([]wordEdge, 1<<bits.Len(uint(2*rest)))
	for _, k := range slices.Sorted(maps.Keys(words)) { // in an order, so that the table is always the same
		if k>>32 == 0 && e.roots != nil {
			e.roots[k] = words[k]
			continue
		}
		short := shortenKey(k)
		e.places[e.searchPlace(short)] = wordEdge(short<<nodeBits | uint64(words[k])) //nolint:gosec // a node is never negative
	}
	return e
}

// Step gives the node behind a word, 0 when there is none.
func (e *Edges) Step(from int32, id ID) int32 {
	if from == 0 && e.roots != nil {
		if int(id) < len(e.roots) {
			return e.roots[id]
		}
		return 0
	}
	return e.places[e.searchPlace(shortenKey(EdgeKey(from, id)))].to()
}

// Firsts gives the words that leave the first node.
func (e *Edges) Firsts() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for id, to := range e.roots {
			if to != 0 && !yield(ID(id)) { //nolint:gosec // a word
				return
			}
		}
		for _, p := range e.places {
			if k := p.key(); p.to() != 0 && k < 1<<wordBits && !yield(ID(k)) {
				return
			}
		}
	}
}

// searchPlace gives the place of a short key, or the free one that it would have.
func (e *Edges) searchPlace(short uint64) int {
	mask := len(e.places) - 1
	for i := int(short*0x9e3779b97f4a7c15>>32) & mask; ; i = (i + 1) & mask { //nolint:gosec // 32 bits
		if p := e.places[i]; p.to() == 0 || p.key() == short {
			return i
		}
	}
}

// EdgeKey is the key of the edge that leaves a node by a word.
func EdgeKey(from int32, id ID) uint64 { return uint64(from)<<32 | uint64(id) } //nolint:gosec // a node is never negative

// shortenKey gives the key as it lies in a place.
func shortenKey(key uint64) uint64 { return key>>32<<wordBits | key&(1<<wordBits-1) }
