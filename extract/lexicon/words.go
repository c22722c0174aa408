package lexicon

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
)

// ID is the number of a word in a lexicon, from 1 on; 0 is a word that it does not have.
type ID uint32

// Words finds the number of a word: each word of each message is looked up, and most are not in it.
// It is a hash table with open addressing, its length a power of two. Words of up to packed bytes
// lie in its places themselves, so that no other memory is read; the few longer ones are in a map.
// The zero value has no words.
type Words struct {
	places []place
	long   map[string]ID
}

// packed is how many bytes a place holds.
const packed = 16

type place struct {
	head, tail uint64 // the first eight bytes, and the last eight of a word that has more
	length     uint32 // 0: no word is here
	id         ID
}

// NewWords takes the words over. The empty word is none.
func NewWords(words map[string]ID) Words {
	l := Words{places: make([]place, 1<<bits.Len(uint(2*len(words)))), long: map[string]ID{}}
	for _, w := range slices.Sorted(maps.Keys(words)) { // in an order, so that the table is always the same
		id := words[w]
		switch {
		case len(w) > packed:
			l.long[w] = id
		case w != "":
			p := pack([]byte(w))
			i := l.search(&p)
			p.id = id
			l.places[i] = p
		}
	}
	return l
}

// Find gives the number of a word, 0 for one that is not there.
func (l *Words) Find(word []byte) ID {
	if len(word) > packed {
		return l.long[string(word)]
	}
	if len(l.places) == 0 || len(word) == 0 {
		return 0
	}
	p := pack(word)
	return l.places[l.search(&p)].id
}

// search gives the place of a word, or the free one that it would have.
func (l *Words) search(p *place) int {
	mask := len(l.places) - 1
	h := (p.head*0x9e3779b97f4a7c15 ^ bits.RotateLeft64(p.tail*0xc2b2ae3d27d4eb4f, 31) ^ uint64(p.length)) * 0x9fb21c651e98df25
	for i := int(h>>32) & mask; ; i = (i + 1) & mask { //nolint:gosec // 32 bits
		if o := &l.places[i]; o.length == 0 || o.head == p.head && o.tail == p.tail && o.length == p.length {
			return i
		}
	}
}

// pack makes a place of a word of 1 to packed bytes.
func pack(word []byte) place {
	n := len(word)
	p := place{length: uint32(n)} //nolint:gosec // at most packed
	switch {
	case n >= 8:
		p.head, p.tail = binary.LittleEndian.Uint64(word), binary.LittleEndian.Uint64(word[n-8:])
	case cap(word) >= 8: // what lies behind the word is cut off
		p.head = binary.LittleEndian.Uint64(word[:8]) & (1<<(8*n) - 1)
	default:
		for i := range word {
			p.head |= uint64(word[i]) << (8 * i)
		}
	}
	return p
}
