package jsonscan

import (
	"bytes"
	"hash/maphash"
	"math/bits"
)

// keySet is a hash table of entry indexes, kept from one object to the next. Its seed is drawn by
// chance, so that nobody can choose keys that collide; nothing that comes out of a Doc depends on
// it.
type keySet struct {
	seed  maphash.Seed
	slots []uint32 // entry index + 1; 0 is free
}

// duplicates tells whether the object at entry at, closed now, has a key twice.
func (d *Doc) duplicates(entries []entry, at uint32) bool {
	n := 0
	for k := at + 1; k < uint32(len(entries)); k = entries[k+1].next {
		n++
	}
	size := 1 << bits.Len(uint(2*n))
	t := &d.keys
	if t.seed == (maphash.Seed{}) {
		t.seed = maphash.MakeSeed()
	}
	if cap(t.slots) < size {
		t.slots = make([]uint32, size)
	}
	t.slots = t.slots[:size]
	clear(t.slots)
	for k := at + 1; k < uint32(len(entries)); k = entries[k+1].next {
		key := keyText(d.src, &entries[k])
		slot := int(maphash.Bytes(t.seed, key)) & (size - 1)
		for t.slots[slot] != 0 {
			if bytes.Equal(keyText(d.src, &entries[t.slots[slot]-1]), key) {
				return true
			}
			slot = (slot + 1) & (size - 1)
		}
		t.slots[slot] = k + 1
	}
	return false
}

// keyText is the decoded key of an entry.
func keyText(src []byte, e *entry) []byte {
	text := src[e.start+1 : e.end-1]
	if e.flags()&Escaped != 0 {
		return appendUnescaped(nil, text, true)
	}
	return text
}
