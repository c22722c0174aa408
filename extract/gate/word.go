package gate

import (
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/extract/lexicon"
)

// token is a word of a text: a run of letters and digits, in which an apostrophe may stand.
type token struct {
	start, end int
	id         int  // of its folded form in a book; 0 when the book has no such word
	clause     bool // a comma, colon, bracket or stronger stands between it and the word before, or nothing
	sentence   bool // the end of a sentence or a line does
	first      bool // it is the first word of the text
}

// elided are words that an apostrophe joins to the next one, which is a word of its own.
var elided = map[string]bool{"l": true, "d": true, "j": true, "m": true, "t": true, "s": true, "n": true, "c": true, "qu": true, "dell": true, "all": true, "un": true, "nell": true, "sull": true, "dall": true, "quell": true, "dev": true}

// longestWord is how many bytes of a word are folded; what is longer is in no book.
const longestWord = 40

// nextWord finds the first word from at on and folds it into buf: lower case, no accents, no
// apostrophes. ok is false when there is none. gap are the bytes before it.
func nextWord(text string, at int, buf []byte) (start, end int, folded []byte, ok bool) {
	folded = buf[:0]
	start = -1
	i := at
	for i < len(text) {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		switch {
		case r < utf8.RuneSelf && wordByte[r], r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if start < 0 {
				start = i
			}
			folded = appendFolded(folded, r)
		case start >= 0 && r >= 0x300 && r <= 0x36f:
			// an accent that stands by itself, behind its letter
		case start >= 0 && r == '\'' && i+1 < len(text) && wordStart(text[i+1:]) && !elided[string(folded)]:
			// "don't" is one word
		case start >= 0:
			return start, i, folded, true
		}
		i += n
	}
	return start, i, folded, start >= 0
}

func appendFolded(b []byte, r rune) []byte {
	if len(b) >= longestWord {
		return b
	}
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			r |= 0x20
		}
		return append(b, byte(r))
	}
	r = unicode.ToLower(r)
	if plain, ok := lexicon.FoldRune(r); ok {
		return append(b, plain...)
	}
	return utf8.AppendRune(b, r)
}

func wordStart(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

// wordByte has the ASCII letters and digits.
var wordByte = class("a-zA-Z0-9")

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

// breaks tells what stands between two words.
func breaks(gap string) (clause, sentence bool) {
	for i := range len(gap) {
		switch gap[i] {
		case '.', '!', '?', ';', '\n':
			return true, true
		case ',', ':', '(', ')', '[', ']', '"', '<', '>', '|', '=':
			clause = true
		}
	}
	return clause, false
}
