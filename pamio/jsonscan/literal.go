package jsonscan

import (
	"encoding/binary"
	"math/bits"

	simd "github.com/bytedance/sonic/utf8"
)

const (
	ones = 0x0101010101010101
	tops = 0x80 * ones
)

// str reads the string whose opening quote is at i: end is behind its closing quote. Eight bytes
// are looked at at a time: one that is a quote, a backslash or a control character is there exactly
// if one of the three differences borrows into the top bit of its byte, and the first such bit is
// exact.
func str(src []byte, i int) (end int, f Flag, err error) {
	i++
	start := i
	var high uint64 // has a top bit when not all is ASCII
	for {
		for i+8 <= len(src) {
			w := binary.LittleEndian.Uint64(src[i:])
			q, s := w^('"'*ones), w^('\\'*ones)
			m := ((w-0x20*ones)&^w | (q-ones)&^q | (s-ones)&^s) & tops
			if m != 0 {
				high |= w & (m ^ (m - 1))
				i += bits.TrailingZeros64(m) >> 3
				goto found
			}
			high |= w
			i += 8
		}
		for i < len(src) && src[i] >= 0x20 && src[i] != '"' && src[i] != '\\' {
			high |= uint64(src[i])
			i++
		}
		if i == len(src) {
			return 0, 0, fail(i, "unterminated string")
		}
	found:
		switch c := src[i]; {
		case c == '"':
			if high&tops != 0 && !simd.Validate(src[start:i]) {
				f |= BadUTF8
			}
			return i + 1, f, nil
		case c < 0x20:
			return 0, 0, fail(i, "control character in a string")
		}
		n, flag := escape(src, i)
		if n == 0 {
			return 0, 0, fail(i, "malformed escape")
		}
		i += n
		f |= flag
	}
}

// escape is the length of the escape at i, with a surrogate pair as one; 0 when it is malformed.
func escape(src []byte, i int) (n int, f Flag) {
	if i+1 >= len(src) {
		return 0, 0
	}
	if src[i+1] != 'u' {
		if unescaped[src[i+1]] == 0 {
			return 0, 0
		}
		return 2, Escaped
	}
	r, ok := hex4(src, i+2)
	switch {
	case !ok:
		return 0, 0
	case r < 0xD800 || r >= 0xE000:
		return 6, Escaped
	case r < 0xDC00 && lowSurrogate(src, i+6) != 0:
		return 12, Escaped
	}
	return 6, Escaped | LoneSurrogate
}

// lowSurrogate is the second half of a pair if its escape stands at i, else 0.
func lowSurrogate(b []byte, i int) rune {
	if i+6 > len(b) || b[i] != '\\' || b[i+1] != 'u' {
		return 0
	}
	if r, ok := hex4(b, i+2); ok && r >= 0xDC00 && r < 0xE000 {
		return r
	}
	return 0
}

func hex4(b []byte, i int) (rune, bool) {
	if i+4 > len(b) {
		return 0, false
	}
	r := hexDigits[b[i]]<<12 | hexDigits[b[i+1]]<<8 | hexDigits[b[i+2]]<<4 | hexDigits[b[i+3]]
	return r, r >= 0
}

// hexDigits are the values of digits, negative for other bytes.
var hexDigits = func() (t [256]rune) {
	for i := range t {
		t[i] = -1
	}
	for i, c := range "0123456789abcdef" {
		t[c] = rune(i)
	}
	for i, c := range "ABCDEF" {
		t[c] = rune(10 + i)
	}
	return t
}()
