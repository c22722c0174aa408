package lexicon

import (
	"unicode"
	"unicode/utf8"
)

// Tokenizer finds the words of a text: runs of letters and digits. Tokenizers differ in what an
// apostrophe inside a word does.
type Tokenizer uint8

const (
	// KeepApostrophes reads "don't" as one word of five characters.
	KeepApostrophes Tokenizer = iota
	// DropApostrophes reads it as "dont". Behind a short word of French or Italian the apostrophe
	// ends a word: "l'assistant" is "l" and "assistant".
	DropApostrophes
	// SplitApostrophes reads "don" and "t". Each sign of a script without spaces is a word
	// (IsSign).
	SplitApostrophes
)

// MaxWord is the length from which on a folded word is too long for a table, in bytes. More of a
// longer word is not folded.
const MaxWord = 40

// elided are words that an apostrophe joins to the next one.
var elided = map[string]bool{"l": true, "d": true, "j": true, "m": true, "t": true, "s": true, "n": true, "c": true, "qu": true, "dell": true, "all": true, "un": true, "nell": true, "sull": true, "dall": true, "quell": true, "dev": true}

// longestElided is how long such a word is at most in bytes, with accents that stand alone.
const longestElided = 12

// NextWord finds the first word at or behind a byte. Both results are len(s) if there is none.
func (t Tokenizer) NextWord(s string, at int) (start, end int) {
	at = skipGap(s, at)
	return at, t.WordEnd(s, at)
}

// skipGap goes to the first letter or digit at or behind a byte.
func skipGap(s string, at int) int {
	for at < len(s) && lowered[s[at]] == 0 {
		if s[at] >= utf8.RuneSelf && LetterLen(s, at) > 0 {
			break
		}
		at += CharLen(s, at)
	}
	return at
}

// WordEnd gives the end of the word that begins at a byte.
func (t Tokenizer) WordEnd(s string, start int) int {
	at := start
	for at < len(s) {
		c := s[at]
		if lowered[c] != 0 {
			at++
			continue
		}
		if c < utf8.RuneSelf && c != '\'' {
			break
		}
		n := LetterLen(s, at)
		if n >= 3 && t == SplitApostrophes {
			if r, _ := utf8.DecodeRuneInString(s[at:]); IsSign(r) {
				if at == start {
					return at + n
				}
				return at
			}
		}
		if n == 0 {
			n = t.joinLen(s, start, at)
		}
		if n == 0 {
			break
		}
		at += n
	}
	return at
}

// joinLen gives the length of a mark or apostrophe inside the word that begins at start, 0 for what
// ends the word.
func (t Tokenizer) joinLen(s string, start, at int) int {
	n := ApostropheLen(s[at:])
	if n == 0 {
		if r, size := utf8.DecodeRuneInString(s[at:]); r >= utf8.RuneSelf && unicode.IsMark(r) {
			return size
		}
		return 0
	}
	if t == SplitApostrophes || at+n >= len(s) || LetterLen(s, at+n) == 0 {
		return 0
	}
	if t == DropApostrophes {
		if next, _ := utf8.DecodeRuneInString(s[at+n:]); n > 1 || !unicode.IsLetter(next) || t.isElided(s[start:at]) {
			return 0
		}
	}
	return n
}

// isElided tells whether an apostrophe behind a word joins it to the next one.
func (t Tokenizer) isElided(word string) bool {
	var buf [longestElided + utf8.UTFMax]byte
	return len(word) <= longestElided && elided[string(t.AppendFolded(buf[:0], word))]
}

// CharLen gives the length of the character at a byte, 1 for a byte that is none.
func CharLen(s string, at int) int {
	if s[at] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRuneInString(s[at:])
	return n
}

// LetterLen gives the length of the letter or digit at a byte, else 0.
func LetterLen(s string, at int) int {
	c := s[at]
	if c < utf8.RuneSelf {
		if lowered[c] != 0 {
			return 1
		}
		return 0
	}
	r, n := utf8.DecodeRuneInString(s[at:])
	switch {
	case r >= 0xc0 && r < 0x250 && r != '×' && r != '÷', r >= 0x400 && r < 0x482, r >= 0x4e00 && r < 0xa000, r >= 0xac00 && r < 0xd7a4:
		return n // most of what there is, without a search in tables
	}
	if r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
		return 0
	}
	return n
}

// IsSign tells whether a letter is a word by itself: of scripts that are written without spaces,
// and of Korean, whose words carry their particles.
func IsSign(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3041 && r <= 0x30ff && r != '・', r >= 0xac00 && r <= 0xd7a3:
		return true
	}
	return r >= 0x3400 && r <= 0x4dbf || r >= 0x20000 && r <= 0x3134f || r == '々' || r == '〇'
}

// ApostropheLen gives the length of an apostrophe at the start of a text, else 0: ', U+2019 or
// U+02BC.
func ApostropheLen(s string) int {
	switch {
	case s[0] == '\'':
		return 1
	case len(s) >= 3 && s[0] == 0xe2 && s[1] == 0x80 && s[2] == 0x99:
		return 3
	case len(s) >= 2 && s[0] == 0xca && s[1] == 0xbc:
		return 2
	}
	return 0
}
