package pamio

import (
	"math/bits"
	"unicode/utf8"

	simd "github.com/bytedance/sonic/utf8"
)

// AppendString appends s as a JSON string with the escapes of RFC 8785 §3.2.2.2: only the quote,
// the backslash and the control characters are escaped. Bytes that are not UTF-8 become U+FFFD, one
// for each.
func AppendString(dst []byte, s string) []byte {
	start := len(dst)
	dst = append(dst, '"')
	ascii := true
	for rest := s; ; {
		n := plainPrefix(rest, &ascii)
		dst = append(dst, rest[:n]...)
		if n == len(rest) {
			break
		}
		dst = appendEscape(dst, rest[n])
		rest = rest[n+1:]
	}
	if !ascii && !validUTF8(s) {
		return AppendString(dst[:start], replaceInvalid(s))
	}
	return append(dst, '"')
}

// validUTF8 is utf8.ValidString, several times as fast on text that is not all ASCII.
func validUTF8(s string) bool { return simd.ValidateString(s) }

// plainPrefix is the number of bytes at the start of s that need no escape; it clears ascii when
// one of them is 0x80 or above. Eight bytes are tested at a time: a byte below 0x20, a quote or a
// backslash is there exactly if one of the three differences borrows into the top bit of its byte,
// and the lowest such bit is that of the first.
func plainPrefix[T string | []byte](s T, ascii *bool) int {
	const (
		ones = 0x0101010101010101
		tops = 0x80 * ones
	)
	i := 0
	var seen uint64
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote, slash := w^('"'*ones), w^('\\'*ones)
		if m := ((w-0x20*ones)&^w | (quote-ones)&^quote | (slash-ones)&^slash) & tops; m != 0 {
			if (seen|w&(m^(m-1)))&tops != 0 {
				*ascii = false
			}
			return i + bits.TrailingZeros64(m)>>3
		}
		seen |= w
	}
	for i < len(s) && s[i] >= 0x20 && s[i] != '"' && s[i] != '\\' {
		seen |= uint64(s[i])
		i++
	}
	if seen&tops != 0 {
		*ascii = false
	}
	return i
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

func replaceInvalid(s string) string {
	out := make([]byte, 0, len(s)+8)
	for _, r := range s {
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}
