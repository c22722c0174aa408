package pamio

import (
	"encoding/binary"
	"unicode/utf8"
)

// AppendString appends s as a JSON string with the escapes of RFC 8785 §3.2.2.2: only the quote, the backslash and the
// control characters are escaped. Bytes that are not UTF-8 become U+FFFD, one for each.
func AppendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = replaceInvalid(s)
	}
	dst = append(dst, '"')
	for {
		n := plainPrefix(s)
		dst = append(dst, s[:n]...)
		if n == len(s) {
			return append(dst, '"')
		}
		dst = appendEscape(dst, s[n])
		s = s[n+1:]
	}
}

// plainPrefix is the number of bytes at the start of s that need no escape. Eight bytes are tested at a time: a byte is
// below 0x20, a quote or a backslash exactly if one of the three differences borrows into its top bit.
func plainPrefix(s string) int {
	const (
		ones = 0x0101010101010101
		tops = 0x80 * ones
	)
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote, slash := w^('"'*ones), w^('\\'*ones)
		if ((w-0x20*ones)&^w|(quote-ones)&^quote|(slash-ones)&^slash)&tops != 0 {
			break
		}
	}
	for i < len(s) && s[i] >= 0x20 && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// plainPrefixBytes is plainPrefix for bytes; it clears ascii when the prefix has a byte of 0x80 or above.
func plainPrefixBytes(b []byte, ascii *bool) int {
	const (
		ones = 0x0101010101010101
		tops = 0x80 * ones
	)
	i := 0
	var seen uint64
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, slash := w^('"'*ones), w^('\\'*ones)
		if ((w-0x20*ones)&^w|(quote-ones)&^quote|(slash-ones)&^slash)&tops != 0 {
			break
		}
		seen |= w
	}
	for i < len(b) && b[i] >= 0x20 && b[i] != '"' && b[i] != '\\' {
		seen |= uint64(b[i])
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
