package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// keyFilter finds the objects that may have a key twice while they are parsed, without coming back
// to their keys: nearly all have none, and only the others are looked at in full.
type keyFilter struct {
	suspect bool
	n       int
	bits    uint64 // one for each key so far, by its print
	prints  [filtered]uint64
}

// filtered is the number of keys up to which an object is filtered; one with more is always
// suspect.
const filtered = 16

func (k *keyFilter) reset() { k.suspect, k.n, k.bits = false, 0, 0 }

// note takes the next key, whose text stands between the two offsets.
func (k *keyFilter) note(src []byte, start, end int, f Flag) {
	if f&Escaped != 0 || k.n == filtered {
		k.suspect = true // an escaped key may equal one that is written otherwise
		return
	}
	p := keyPrint(src, start, end)
	bit := uint64(1) << (p * 0x9E3779B97F4A7C15 >> 58)
	if k.bits&bit != 0 && slices.Contains(k.prints[:k.n], p) {
		k.suspect = true
	}
	k.bits |= bit
	k.prints[k.n] = p
	k.n++
}

// keyPrint is a number that equal keys share and others rarely do: a key of up to eight bytes
// itself, of a longer one its ends and its length.
func keyPrint(src []byte, start, end int) uint64 {
	n := end - start
	switch {
	case n > 8:
		return binary.LittleEndian.Uint64(src[start:]) ^ bits.RotateLeft64(binary.LittleEndian.Uint64(src[end-8:]), 29) + uint64(n)
	case start+8 <= len(src):
		return binary.LittleEndian.Uint64(src[start:]) << (64 - 8*n)
	}
	var p uint64
	for _, c := range src[start:end] {
		p = p>>8 | uint64(c)<<56
	}
	return p
}
