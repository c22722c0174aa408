package gate

import (
	"iter"
	"math/bits"
)

// index numbers the words of a book from 1 on. Nearly all words of a text are in no book: a filter by length, first and
// last byte lets those of the book through, and few others.
type index struct {
	ids     map[string]int
	lengths [1 << 11]uint32 // which lengths words with a beginning and an end have, in bytes
}

func (x *index) add(w string) int {
	if x.ids[w] == 0 {
		x.ids[w] = len(x.ids) + 1
		x.lengths[filterKey(w[0], w[len(w)-1])] |= lengthBit(len(w))
	}
	return x.ids[w]
}

// find gives the number of a word that is not empty, 0 when the book has no such word.
func (x *index) find(w []byte) int {
	if x.lengths[filterKey(w[0], w[len(w)-1])]&lengthBit(len(w)) == 0 {
		return 0
	}
	return x.ids[string(w)]
}

func filterKey(first, last byte) int { return int(first)<<5&(1<<11-1) ^ int(last) }

// lengthBit is the bit of a length; all of 31 bytes and more have the same.
func lengthBit(n int) uint32 { return 1 << min(n, 31) }

// idSet is a set of words by their numbers.
type idSet []uint64

func (s *idSet) add(id int) {
	for len(*s) <= id>>6 {
		*s = append(*s, 0)
	}
	(*s)[id>>6] |= 1 << (id & 63)
}

func (s idSet) has(id int) bool { return id>>6 < len(s) && s[id>>6]&(1<<(id&63)) != 0 }

// all yields the words in ascending order.
func (s idSet) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, set := range s {
			for ; set != 0; set &= set - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(set)) {
					return
				}
			}
		}
	}
}
