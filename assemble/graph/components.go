// Package graph finds the connected components of graphs that do not fit in memory.
//
// Edges lie in sorters ([extsort]), and so does the result. The method is that of Kiveris and
// others ("Connected Components in MapReduce and Beyond", 2014): two steps take turns, each of
// which is one sort over the edges, until every node hangs on the smallest node of its component. A
// path of a million nodes takes some ten turns. Nothing is held but what the sorters hold.
package graph

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/pamline/pamline/pamio/extsort"
)

// NodeSize is the length of a node's name in bytes.
const NodeSize = 16

// AddEdge adds an edge between two nodes. An edge from a node to itself is left out.
func AddEdge(s *extsort.Sorter, a, b []byte) error {
	switch c := bytes.Compare(a, b); {
	case c == 0:
		return nil
	case c < 0:
		a, b = b, a
	}
	var key [2 * NodeSize]byte
	copy(key[:], a)
	copy(key[NodeSize:], b)
	return s.Add(key[:], nil)
}

// Components gives, for each node that has an edge, the smallest node of its component: records
// with the node as key and the smallest one as value, ascending. edges was filled by [AddEdge] and
// is closed. sorter makes the sorters that are needed, two of them at a time; the caller closes the
// result.
func Components(edges *extsort.Sorter, sorter func() *extsort.Sorter) (*extsort.Sorter, error) {
	before, err := digest(edges)
	for err == nil {
		if edges, err = largeStar(edges, sorter); err != nil {
			break
		}
		if edges, err = smallStar(edges, sorter); err != nil {
			break
		}
		var now [sha256.Size]byte
		if now, err = digest(edges); err != nil {
			break
		}
		if now == before {
			return stars(edges, sorter)
		}
		before = now
	}
	return nil, fmt.Errorf("find connected components: %w", err)
}

// walk gives the edges in order, each once.
func walk(edges *extsort.Sorter, visit func(from, to []byte) error) error {
	var last [2 * NodeSize]byte
	some := false
	for r, err := range edges.Sorted() {
		if err != nil {
			return err
		}
		if some && bytes.Equal(r.Key, last[:]) {
			continue
		}
		some = true
		copy(last[:], r.Key)
		if err := visit(last[:NodeSize:NodeSize], last[NodeSize:]); err != nil {
			return err
		}
	}
	return nil
}

func digest(edges *extsort.Sorter) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	err = walk(edges, func(from, to []byte) error {
		h.Write(from)
		h.Write(to)
		return nil
	})
	return [sha256.Size]byte(h.Sum(nil)), err
}

// largeStar hangs the greater neighbours of each node on the smallest node around it.
func largeStar(edges *extsort.Sorter, sorter func() *extsort.Sorter) (*extsort.Sorter, error) {
	both := sorter()
	var back [2 * NodeSize]byte
	err := walk(edges, func(from, to []byte) error {
		copy(back[:], to)
		copy(back[NodeSize:], from)
		if err := both.Add(back[:], nil); err != nil {
			return err
		}
		copy(back[:], from)
		copy(back[NodeSize:], to)
		return both.Add(back[:], nil)
	})
	if err != nil {
		return nil, err
	}
	if err := edges.Close(); err != nil {
		return nil, err
	}
	out := sorter()
	var node, least [NodeSize]byte
	some := false
	err = walk(both, func(from, to []byte) error {
		if !some || !bytes.Equal(node[:], from) {
			some = true
			copy(node[:], from)
			copy(least[:], from)
			if bytes.Compare(to, from) < 0 {
				copy(least[:], to) // the first neighbour is the smallest
			}
		}
		if bytes.Compare(to, from) < 0 {
			return nil
		}
		return AddEdge(out, to, least[:])
	})
	if err != nil {
		return nil, err
	}
	return out, both.Close()
}

// smallStar hangs each node and its smaller neighbours on the smallest of them.
func smallStar(edges *extsort.Sorter, sorter func() *extsort.Sorter) (*extsort.Sorter, error) {
	out := sorter()
	var node, least [NodeSize]byte
	some := false
	err := walk(edges, func(from, to []byte) error {
		if !some || !bytes.Equal(node[:], from) {
			some = true
			copy(node[:], from)
			copy(least[:], to)
			return AddEdge(out, from, to)
		}
		return AddEdge(out, to, least[:])
	})
	if err != nil {
		return nil, err
	}
	return out, edges.Close()
}

// stars turns edges that all lead to the smallest node of their component into the result.
func stars(edges *extsort.Sorter, sorter func() *extsort.Sorter) (*extsort.Sorter, error) {
	roots := sorter()
	err := walk(edges, func(_, to []byte) error { return roots.Add(to, nil) })
	if err != nil {
		return nil, fmt.Errorf("find connected components: %w", err)
	}
	out := sorter()
	var last []byte
	for r, err := range roots.Sorted() {
		if err == nil && !bytes.Equal(r.Key, last) {
			last = append(last[:0], r.Key...)
			err = out.Add(last, last)
		}
		if err != nil {
			return nil, fmt.Errorf("find connected components: %w", err)
		}
	}
	if err := roots.Close(); err != nil {
		return nil, fmt.Errorf("find connected components: %w", err)
	}
	err = walk(edges, func(from, to []byte) error { return out.Add(from, to) })
	if err == nil {
		err = edges.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("find connected components: %w", err)
	}
	return out, nil
}
