package gate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// plainText is the form in which values and phrases are looked for: composed letters, ASCII signs
// for the quotes, dashes, spaces and full-width forms of other scripts, no characters without a
// width. Text that is so already is not copied.
func plainText(text string) string {
	if isPlain(text) {
		return text
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
			return r
		case r >= 0xFF01 && r <= 0xFF5E: // full-width forms
			return r - 0xFF01 + '!'
		case invisible(r), r == 0x00AD:
			return -1
		case unicode.Is(unicode.Zs, r):
			return ' '
		case r == 0x2028, r == 0x2029, r == 0x0085:
			return '\n'
		case unicode.Is(unicode.Pd, r), r == 0x2212:
			return '-'
		}
		switch r {
		case '\u2018', '\u2019', '\u02BC', '\u2032', '\u00B4':
			return '\''
		case '\u201C', '\u201D', '\u201E', '\u00AB', '\u00BB', '\u2033':
			return '"'
		case '\u2236', '\uA789':
			return ':'
		}
		return r
	}, text))
}

// isPlain tells whether a text is all ASCII and composed Latin letters, as nearly all texts in our
// languages are.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf && (c < 0x80|0x40 && !continues(text, i) || c == 0xC2 || c > 0xC9) {
			return false
		}
	}
	return true
}

// continues tells whether the byte at i is the second of a letter from U+00C0 to U+027F.
func continues(text string, i int) bool {
	return i > 0 && text[i-1] >= 0xC3 && text[i-1] <= 0xC9
}
