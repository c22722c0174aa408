package jsonscan

import (
	"bytes"
	"sync"
	"unicode/utf8"
)

// scratch holds texts while they are decoded: what is kept of them is then exactly as long as it
// must be.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// keptScratch is the size of scratch memory up to which it is used again.
const keptScratch = 1 << 20

// unescape is the text of the inside of a string literal that Parse accepted.
func unescape(s []byte, badUTF8 bool) string {
	mem := scratch.Get().(*[]byte)
	b := appendUnescaped((*mem)[:0], s, false)
	var text string
	if badUTF8 {
		text = toValid(b)
	} else {
		text = string(b)
	}
	if cap(b) <= keptScratch {
		*mem = b
		scratch.Put(mem)
	}
	return text
}

// isEscaped tells whether the inside of a string literal that Parse accepted, in UTF-8, is a text.
func isEscaped(s []byte, text string) bool {
	var mem [4]byte
	for len(s) > 0 {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return string(s) == text
		}
		if i > len(text) || string(s[:i]) != text[:i] {
			return false
		}
		end := i + 2
		if s[i+1] == 'u' {
			end = i + 6
			if r, _ := hex4(s, i+2); r >= 0xD800 && r < 0xDC00 && lowSurrogate(s, end) != 0 {
				end += 6
			}
		}
		char := appendUnescaped(mem[:0], s[i:end], false)
		if text = text[i:]; len(text) < len(char) || text[:len(char)] != string(char) {
			return false
		}
		s, text = s[end:], text[len(char):]
	}
	return text == ""
}

// appendUnescaped appends the decoded form of the inside of a string literal that Parse accepted.
// Half of a surrogate pair becomes U+FFFD, or, with halves, the three bytes that would encode it,
// so that different halves stay different.
func appendUnescaped(dst, s []byte, halves bool) []byte {
	for len(s) > 0 {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		c := s[i+1]
		if c != 'u' {
			dst = append(dst, unescaped[c])
			s = s[i+2:]
			continue
		}
		r, _ := hex4(s, i+2)
		i += 6
		if r >= 0xD800 && r < 0xE000 {
			low := lowSurrogate(s, i)
			switch {
			case r < 0xDC00 && low != 0:
				r = (r-0xD800)<<10 | (low - 0xDC00) + 0x10000
				i += 6
			case halves:
				dst = append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
				s = s[i:]
				continue
			}
		}
		dst = utf8.AppendRune(dst, r) // half a pair is not a valid rune and becomes U+FFFD
		s = s[i:]
	}
	return dst
}

var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// toValid replaces each byte that is not UTF-8 by U+FFFD.
func toValid(b []byte) string {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return string(out)
}
