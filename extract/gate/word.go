package gate

import (
	"unicode/utf8"

	"github.com/pamline/pamline/extract/lexicon"
)

// nextWord finds the first word from a byte on and folds it into buf: lower case, no accents, no
// apostrophes. ok is false when there is none.
func nextWord(text string, at int, buf []byte) (start, end int, folded []byte, ok bool) {
	start, end, folded = lexicon.DropApostrophes.NextFolded(text, at, buf)
	return start, end, folded, start < end
}

// set is a set of ASCII characters.
type set [128]bool

// class makes a set of single characters and ranges: "a-z0-9_-"; a minus at the end stands for
// itself.
func class(s string) *set {
	var c set
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) && s[i+1] == '-' {
			for b := s[i]; b <= s[i+2]; b++ {
				c[b] = true
			}
			i += 2
			continue
		}
		c[s[i]] = true
	}
	return &c
}

func (c *set) has(b byte) bool { return b < utf8.RuneSelf && c[b] }
