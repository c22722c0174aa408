package inspect

import (
	"strings"
	"unicode"
)

// block makes a text of several lines fit to be shown on a terminal: lines and tabs stay, other
// white space becomes blanks, and what could move the cursor, change colors or turn the direction
// of writing is left out.
func block(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.TrimRight(strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', unicode.IsPrint(r), r == zeroWidthJoiner, r == zeroWidthNonJoiner:
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, strings.ToValidUTF8(s, "\ufffd")), " \t\n")
}

// Characters without a width that spell words and emoji.
const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)
