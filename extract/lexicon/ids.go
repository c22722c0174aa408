package lexicon

// IDs is a set of words by their numbers.
type IDs []uint64

// Add puts a word into the set.
func (s *IDs) Add(id ID) {
	for len(*s) <= int(id>>6) {
		*s = append(*s, 0)
	}
	(*s)[id>>6] |= 1 << (id & 63)
}

// Has tells whether a word is in the set.
func (s IDs) Has(id ID) bool { return int(id>>6) < len(s) && s[id>>6]&(1<<(id&63)) != 0 }
