package normalize

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// FoldValue gives the form of a slot's value in which equal values are equal texts: lower case,
// without accents, its words separated by one space. Signs are dropped but those that tell names
// apart: C++, C#.
func FoldValue(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.Mc, r), r == '+', r == '#':
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(unicode.ToLower(r))
		case r == '\'' || r == '\u2019': // "o'brien" is one word
		default:
			gap = true
		}
	}
	return b.String()
}
