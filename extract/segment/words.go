package segment

import (
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/extract/lexicon"
)

// maxWord is the longest word of a table in bytes, folded.
const maxWord = 40

// nextWord finds the next word at or after a place: letters and digits, with apostrophes inside.
// Both are len(s) when there is none.
func nextWord(s string, at int) (start, end int) {
	for at < len(s) {
		if n := wordRune(s, at); n > 0 {
			break
		}
		at += step(s, at)
	}
	return at, wordEnd(s, at)
}

// wordEnd is the end of the word that begins at a place.
func wordEnd(s string, at int) int {
	for at < len(s) {
		if byteClass[s[at]]&(isLetter|isDigit) != 0 {
			at++
			continue
		}
		if n := wordRune(s, at); n > 0 {
			at += n
			continue
		}
		n := apostrophe(s[at:])
		if n == 0 || at+n >= len(s) || wordRune(s, at+n) == 0 {
			break
		}
		at += n
	}
	return at
}

// step is the length of the character at a place, 1 for a byte that is none.
func step(s string, at int) int {
	if s[at] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRuneInString(s[at:])
	return n
}

// wordRune is the length of the letter or digit at a place, else 0.
func wordRune(s string, at int) int {
	c := s[at]
	if c < utf8.RuneSelf {
		if byteClass[c]&(isLetter|isDigit) != 0 {
			return 1
		}
		return 0
	}
	r, n := utf8.DecodeRuneInString(s[at:])
	switch {
	case r >= 0xc0 && r < 0x250 && r != '×' && r != '÷', r >= 0x400 && r < 0x482, r >= 0x4e00 && r < 0xa000, r >= 0xac00 && r < 0xd7a4:
		return n // most of what there is, without a search in tables
	}
	if r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
		return 0
	}
	return n
}

// apostrophe is the length of an apostrophe at the start of s: ', U+2019 or U+02BC.
func apostrophe(s string) int {
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

// foldWord appends a word in lower case, without accents, with plain apostrophes. It tells whether
// the word fits.
func foldWord(dst []byte, word string) ([]byte, bool) {
	for i := 0; i < len(word); {
		c := word[i]
		if len(dst) >= maxWord-4 {
			return dst, false
		}
		if c < utf8.RuneSelf {
			dst = append(dst, lower[c])
			i++
			continue
		}
		if n := apostrophe(word[i:]); n > 0 {
			dst = append(dst, '\'')
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(word[i:])
		i += n
		if plain, ok := lexicon.FoldRune(r); ok {
			dst = append(dst, plain...)
			continue
		}
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst, len(dst) > 0
}

// The bits of byteClass.
const (
	isLetter = 1 << iota
	isDigit
	isBlank  // space, tab, carriage return
	isSymbol // stands in program text more often than in talk
	isUpper
)

var byteClass, lower = func() (t, low [256]byte) {
	for i := range low {
		low[i] = byte(i)
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c] |= isLetter
		t[c-32] |= isLetter | isUpper
		low[c-32] = byte(c)
	}
	for c := '0'; c <= '9'; c++ {
		t[c] |= isDigit
	}
	for _, c := range []byte(" \t\r") {
		t[c] |= isBlank
	}
	for _, c := range []byte("{}()[]<>=;$#&|\\/_+^~%@`") {
		t[c] |= isSymbol
	}
	return t, low
}()
