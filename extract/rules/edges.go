package rules

import "math/bits"

// edges leads from a node by a word to another node. It is a hash table with open addressing, its length a power of two.
type edges struct {
	places []wordEdge
	roots  []int32 // from the first node, by word: every clause begins there
}

// wordEdge is one of them; no edge leads back to node 0, which marks a free place.
type wordEdge struct {
	key uint64
	to  int32
}

func newEdges(words map[uint64]int32) edges {
	e := edges{places: make([]wordEdge, 1<<bits.Len(uint(2*len(words))))}
	for k, to := range words {
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

// step gives the node behind a word, 0 when there is none.
func (e *edges) step(from int32, id wordID) int32 {
	if from == 0 {
		if int(id) < len(e.roots) {
			return e.roots[id]
		}
		return 0
	}
	return e.places[e.search(edgeKey(from, id))].to
}

// search gives the place of a key, or the free one that it would have.
func (e *edges) search(key uint64) int {
	mask := len(e.places) - 1
	for i := int(key*0x9e3779b97f4a7c15>>32) & mask; ; i = (i + 1) & mask { //nolint:gosec // 32 bits
		if p := &e.places[i]; p.to == 0 || p.key == key {
			return i
		}
	}
}

func edgeKey(from int32, id wordID) uint64 { return uint64(from)<<32 | uint64(id) } //nolint:gosec // a node is never negative
