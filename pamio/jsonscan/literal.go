package jsonscan

import (
	"encoding/binary"
	"unicode/utf8"
)

// str reads a string whose opening quote is at p.i.
func (p *parser) str() (Flag, error) {
	start := p.i + 1
	i, f := start, Flag(0)
	var high uint64
	for {
		i = p.plain(i, &high)
		if i >= len(p.src) {
			p.i = len(p.src)
			return 0, p.fail("unterminated string")
		}
		if c := p.src[i]; c == '"' {
			break
		} else if c < 0x20 {
			p.i = i
			return 0, p.fail("control character in a string")
		}
		n, flag := p.escape(i)
		if n == 0 {
			p.i = i
			return 0, p.fail("malformed escape")
		}
		i += n
		f |= flag
	}
	if high&tops != 0 && !utf8.Valid(p.src[start:i]) {
		f |= BadUTF8
	}
	p.i = i + 1
	return f, nil
}

const (
	ones = 0x0101010101010101
	tops = 0x80 * ones
)

// plain passes over bytes of a string that are neither a quote, nor a backslash, nor a control character, eight at a
// time: one of them is there exactly if one of the three differences borrows into the top bit of its byte. The bytes are
// gathered in high, to know whether all are ASCII.
func (p *parser) plain(i int, high *uint64) int {
	seen := *high
	for b := p.src; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		q, s := w^('"'*ones), w^('\\'*ones)
		if ((w-0x20*ones)&^w|(q-ones)&^q|(s-ones)&^s)&tops != 0 {
			break
		}
		seen |= w
	}
	for i < len(p.src) {
		c := p.src[i]
		if c < 0x20 || c == '"' || c == '\\' {
			break
		}
		seen |= uint64(c)
		i++
	}
	*high = seen
	return i
}

// escape is the length of the escape at i, with a surrogate pair as one; 0 when it is malformed.
func (p *parser) escape(i int) (n int, f Flag) {
	if i+1 >= len(p.src) {
		return 0, 0
	}
	switch p.src[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, Escaped
	case 'u':
		r, ok := hex4(p.src, i+2)
		switch {
		case !ok:
			return 0, 0
		case r < 0xD800 || r >= 0xE000:
			return 6, Escaped
		case r < 0xDC00 && lowSurrogate(p.src, i+6) != 0:
			return 12, Escaped
		}
		return 6, Escaped | LoneSurrogate
	}
	return 0, 0
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
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
