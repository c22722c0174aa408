package gate

import (
	"iter"
	"math/bits"
)

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
