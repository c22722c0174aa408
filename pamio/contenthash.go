package pamio

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ContentHash is the content_hash of a memory: "sha256:" and the lower-case hex SHA-256 of the
// normalized content (PAM §6).
func ContentHash(content string) string {
	var buf [512]byte // long enough for most contents
	if out, ok := appendNormalizedASCII(buf[:0], content); ok {
		return Digest(sha256.Sum256(out))
	}
	return Digest(sha256.Sum256([]byte(NormalizeContent(content))))
}

// HasContentHash tells whether hash is the [ContentHash] of the content.
func HasContentHash(content, hash string) bool {
	var buf [512]byte
	out, ok := appendNormalizedASCII(buf[:0], content)
	if !ok {
		return ContentHash(content) == hash
	}
	text := digestText(sha256.Sum256(out))
	return string(text[:]) == hash
}

// Digest writes a SHA-256 as PAM does: "sha256:" and 64 lower-case hex digits.
func Digest(sum [sha256.Size]byte) string {
	text := digestText(sum)
	return string(text[:])
}

func digestText(sum [sha256.Size]byte) (text [len("sha256:") + 2*sha256.Size]byte) {
	hex.Encode(text[copy(text[:], "sha256:"):], sum[:])
	return text
}

// NormalizeContent is the text that is hashed (PAM §6.1, Appendix C): trimmed, lower-cased by the
// full Unicode rules without a locale (final sigma, İ), in NFC, each run of white space one space.
// White space is what Unicode calls so and U+001C–U+001F; U+200B and U+FEFF are not. Character data
// are those of Unicode 15.0.
func NormalizeContent(content string) string {
	if out, ok := appendNormalizedASCII(make([]byte, 0, len(content)), content); ok {
		return string(out)
	}
	// Splitting commutes with the other steps: neither lower-casing nor NFC makes or removes white
	// space, and what is cased or case-ignorable is decided on the text before it is split.
	s := composed(lower(strings.TrimFunc(content, isSpace)))
	return strings.Join(strings.FieldsFunc(s, isSpace), " ")
}

func isSpace(r rune) bool { return r >= 0x1C && r <= 0x1F || unicode.IsSpace(r) }

// appendNormalizedASCII is for the texts that need no tables; it gives up at the first other byte.
func appendNormalizedASCII(dst []byte, s string) (out []byte, ok bool) {
	start, space := len(dst), false
	for i := 0; i < len(s); i++ {
		c := normalASCII[s[i]]
		if c == ' ' {
			space = true
			continue
		}
		if c >= utf8.RuneSelf {
			return dst[:start], false
		}
		if space && len(dst) > start {
			dst = append(dst, ' ')
		}
		space = false
		dst = append(dst, c)
	}
	return dst, true
}

// normalASCII are the lower-case forms of ASCII characters, a space for all white space; other
// bytes are themselves.
var normalASCII = func() (t [256]byte) {
	for i := range t {
		switch b := byte(i); {
		case b == ' ' || b >= '\t' && b <= '\r' || b >= 0x1C && b <= 0x1F:
			t[i] = ' '
		case b >= 'A' && b <= 'Z':
			t[i] = b + 'a' - 'A'
		default:
			t[i] = b
		}
	}
	return t
}()
