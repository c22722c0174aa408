package jsonscan

import (
	"bytes"
	"unicode/utf8"
)

// CanonicalButNumbers tells that the text of a value is in RFC 8785 canonical form if its numbers
// are, for each of which number is asked. It says no for some values that are: it looks at what
// parsing has found, and gives up where there is an escape, or a key that is not ASCII.
func (n Node) CanonicalButNumbers(number func(raw []byte) bool) bool {
	if !n.Exists() || n.Flags() != 0 {
		return false
	}
	return n.d.inOrder(n.i, number)
}

// inOrder looks at the keys and numbers of the value at entry i.
func (d *Doc) inOrder(i uint32, number func([]byte) bool) bool {
	e := &d.entries[i]
	switch e.kind() {
	case String:
		return e.flags() == 0 // containers do not tell of escapes
	case Number:
		return number(d.src[e.start:e.end])
	case Array:
		for k := i + 1; k < e.next; k = d.entries[k].next {
			if !d.inOrder(k, number) {
				return false
			}
		}
	case Object:
		var last []byte
		for k := i + 1; k < e.next; k = d.entries[k+1].next {
			key := d.src[d.entries[k].start+1 : d.entries[k].end-1]
			if k > i+1 && bytes.Compare(last, key) >= 0 || !isASCII(key) || d.entries[k].flags() != 0 {
				return false
			}
			last = key
			if !d.inOrder(k+1, number) {
				return false
			}
		}
	}
	return true
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
