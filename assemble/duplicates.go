package assemble

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/pamline/pamline/assemble/graph"
	"github.com/pamline/pamline/assemble/near"
	"github.com/pamline/pamline/pamio/extsort"
)

const idSize = 16

// duplicates finds which memories say the same.
type duplicates struct {
	memories *extsort.Sorter // id → facts
	pairs    *extsort.Sorter // two ids, then how they were found: to be compared
	edges    *extsort.Sorter // two ids that say the same
	sorter   func() *extsort.Sorter
}

// How a pair was found, at the end of its key.
const (
	byVector = 0 // their vectors are near enough, so that the wording does not count
	byText   = 1
)

// find gives the members of components of several: memory → representative. buckets is closed.
func (d *duplicates) find(buckets, vectors *extsort.Sorter) (*extsort.Sorter, error) {
	if err := d.match(buckets); err != nil {
		return nil, err
	}
	if err := d.matchVectors(vectors); err != nil {
		return nil, err
	}
	if err := d.verify(); err != nil {
		return nil, err
	}
	return d.members()
}

// match goes through the buckets. A bucket may hold any number of memories, so each is compared
// with the first one and with the one before it only; alike ones are connected all the same.
func (d *duplicates) match(buckets *extsort.Sorter) error {
	var bucket, first, before []byte
	for r, err := range buckets.Sorted() {
		if err != nil {
			return fmt.Errorf("sort buckets: %w", err)
		}
		id := r.Value
		if !bytes.Equal(bucket, r.Key) {
			bucket, first, before = append(bucket[:0], r.Key...), append(first[:0], id...), append(before[:0], id...)
			continue
		}
		if r.Key[0] == valueBucket {
			err = graph.AddEdge(d.edges, first, id)
		} else {
			if err = d.pair(first, id, byText); err == nil && !bytes.Equal(first, before) {
				err = d.pair(before, id, byText)
			}
			before = append(before[:0], id...)
		}
		if err != nil {
			return fmt.Errorf("sort pairs: %w", err)
		}
	}
	return buckets.Close()
}

func (d *duplicates) pair(a, b []byte, how byte) error {
	switch c := bytes.Compare(a, b); {
	case c == 0:
		return nil
	case c > 0:
		a, b = b, a
	}
	var key [2*idSize + 1]byte
	copy(key[:], a)
	copy(key[idSize:], b)
	key[2*idSize] = how
	return d.pairs.Add(key[:], nil)
}

// verify compares the pairs and makes edges of those that say the same.
func (d *duplicates) verify() error {
	meetings := d.sorter() // second id → facts of the first, and how they were found
	err := joinByID(d.memories.Sorted(), distinctPairs(d.pairs), func(pair, _, f []byte) error {
		return meetings.Add(pair[idSize:], append([]byte{pair[2*idSize]}, f...))
	})
	if err != nil {
		return fmt.Errorf("join pairs: %w", err)
	}
	if err := d.pairs.Close(); err != nil {
		return err
	}
	var one, other reading
	var x, y facts
	err = joinByID(d.memories.Sorted(), meetings.Sorted(), func(_, meeting, f []byte) error {
		a, b := unpacker{left: meeting[1:]}, unpacker{left: f}
		a.facts(&x)
		b.facts(&y)
		if a.err != nil || b.err != nil {
			return errRecord
		}
		if !x.comparable(&y) {
			return nil
		}
		s, t := one.get(x.text), other.get(y.text)
		if !s.Alike(t) || meeting[0] == byText && s.Jaccard(t) < near.MinJaccard {
			return nil
		}
		return graph.AddEdge(d.edges, x.id[:], y.id[:])
	})
	if err != nil {
		return fmt.Errorf("compare pairs: %w", err)
	}
	return meetings.Close()
}

// distinctPairs leaves out the pairs that came before, in whichever way they were found.
func distinctPairs(pairs *extsort.Sorter) iter.Seq2[extsort.Record, error] {
	return func(yield func(extsort.Record, error) bool) {
		var last []byte
		for r, err := range pairs.Sorted() {
			if err == nil && len(last) > 0 && bytes.Equal(r.Key[:2*idSize], last) {
				continue
			}
			if !yield(r, err) || err != nil {
				return
			}
			last = append(last[:0], r.Key[:2*idSize]...)
		}
	}
}

// members gives, for each memory of a component of several, the representative: records from id to
// id.
func (d *duplicates) members() (*extsort.Sorter, error) {
	roots, err := graph.Components(d.edges, d.sorter)
	if err != nil {
		return nil, err
	}
	ranked := d.sorter() // root, rank (which ends with the id)
	var key []byte
	var one facts
	err = joinByID(d.memories.Sorted(), roots.Sorted(), func(_, root, f []byte) error {
		u := unpacker{left: f}
		u.facts(&one)
		if u.err != nil {
			return u.err
		}
		key = one.rank(append(key[:0], root...))
		return ranked.Add(key, nil)
	})
	if err != nil {
		return nil, fmt.Errorf("join duplicates: %w", err)
	}
	if err := roots.Close(); err != nil {
		return nil, err
	}
	members := d.sorter()
	var root, representative []byte
	for r, err := range ranked.Sorted() {
		if err != nil {
			return nil, fmt.Errorf("sort duplicates: %w", err)
		}
		id := r.Key[len(r.Key)-idSize:]
		if !bytes.Equal(root, r.Key[:idSize]) {
			root, representative = append(root[:0], r.Key[:idSize]...), append(representative[:0], id...)
		}
		if err := members.Add(id, representative); err != nil {
			return nil, fmt.Errorf("sort duplicates: %w", err)
		}
	}
	return members, ranked.Close()
}
