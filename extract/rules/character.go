package rules

import (
	"unicode"
	"unicode/utf8"
)

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func inWord(r rune) bool { return r == '_' || isLetterRune(r) || unicode.IsDigit(r) }

// isLetterRune is unicode.IsLetter; most letters need no search in tables.
func isLetterRune(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return isLetter(byte(r))
	case r >= 0x4e00 && r < 0xa000, r >= 0x400 && r < 0x482, r >= 0xc0 && r < 0x250 && r != '×' && r != '÷', r >= 0xac00 && r < 0xd7a4:
		return true
	}
	return unicode.IsLetter(r)
}

// lowerOf is unicode.ToLower; most letters need no search in tables.
func lowerOf(r rune) rune {
	switch {
	case r >= 'а' && r <= 'я', r >= 0x2e80 && r < 0xa000:
		return r
	case r >= 'А' && r <= 'Я':
		return r + ('а' - 'А')
	}
	return unicode.ToLower(r)
}

func isApostrophe(r rune) bool {
	return r == '\u2019' || r == '\u02bc' || r == '\u2018' || r == '\u00b4'
}

func isQuote(r rune) bool {
	switch r {
	case '"', '\u201c', '\u201d', '\u201e', '\u00ab', '\u00bb', '「', '」', '『', '』':
		return true
	}
	return false
}

// signOf tells what a sign does to the clause that it stands in.
func signOf(r rune) kind {
	switch r {
	case '.', '!', '\u2026', '\u3002', '\uff01', '\u00a1', '\uff0e', '\uff61', '۔':
		return stop
	case '?', '\uff1f', '؟':
		return query
	case ',', '\u3001', '\uff0c', '،':
		return comma
	case '\'', '/', '%', '$', '\u20ac', '\u00a3', '&', '+', '\u00b0', '\u2019', '\u2018', '#', '-', '\u00bf', '《', '》', '·', '・', '〜', '～':
		return symbol
	}
	if isQuote(r) {
		return symbol
	}
	return pause
}
