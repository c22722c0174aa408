package rules

import (
	"unicode"
	"unicode/utf8"
)

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func inWord(r rune) bool {
	return r == '_' || r < utf8.RuneSelf && (isLetter(byte(r)) || isDigit(byte(r))) || r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
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
