package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// AppendFolded appends a word in lower case, without accents, its apostrophes plain or dropped. Of
// a longer word it appends little more than MaxWord bytes.
func (t Tokenizer) AppendFolded(dst []byte, word string) []byte {
	return t.appendUpTo(dst, word, MaxWord)
}

// appendUpTo is AppendFolded up to a length.
func (t Tokenizer) appendUpTo(dst []byte, word string, most int) []byte {
	for i := 0; i < len(word) && len(dst) < most; {
		c := word[i]
		if c < utf8.RuneSelf && lowered[c] != 0 {
			dst = append(dst, lowered[c])
			i++
			continue
		}
		if n := ApostropheLen(word[i:]); n > 0 {
			if t != DropApostrophes {
				dst = append(dst, '\'')
			}
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(word[i:])
		i += n
		r = unicode.ToLower(r)
		if plain, ok := FoldRune(r); ok {
			dst = append(dst, plain...)
			continue
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// NextFolded is NextWord and AppendFolded into buf.
func (t Tokenizer) NextFolded(s string, at int, buf []byte) (start, end int, folded []byte) {
	start = skipGap(s, at)
	end, folded = t.readWord(s, start, buf)
	return start, end, folded
}

// readWord gives the end and the folded form of the word that begins at a byte: most words are
// plain letters alone.
func (t Tokenizer) readWord(s string, start int, buf []byte) (end int, folded []byte) {
	folded = buf[:0]
	for i := start; i < len(s) && i-start < MaxWord; i++ {
		c := lowered[s[i]]
		if c == 0 {
			if s[i] >= utf8.RuneSelf || s[i] == '\'' {
				break
			}
			return i, folded
		}
		folded = append(folded, c)
	}
	end = t.WordEnd(s, start)
	return end, t.AppendFolded(buf[:0], s[start:end])
}

// lowered are the plain letters in lower case and the digits, 0 for all else.
var lowered = func() (t [256]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c, c
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = c
	}
	return t
}()

// FoldRune takes the accent off a Latin letter, in lower case; a combining mark becomes nothing. ok
// is false for a rune that stays as it is.
func FoldRune(r rune) (plain string, ok bool) {
	if r >= 0x300 && r <= 0x36f {
		return "", true
	}
	if r < 0xc0 || r > 0x17f {
		return "", false
	}
	s := latin[r-0xc0]
	return s, s != ""
}

// StripMarks takes the accents off the letters of all scripts, but for the marks that make other
// letters of Japanese ones, and gives letters of another width or shape their usual form. FoldRune
// does the same for Latin letters, which may stay as they are.
func StripMarks(s string) string {
	plain := func(c byte) bool { return c < utf8.RuneSelf }
	for i := 0; i < len(s); i++ {
		if !plain(s[i]) && (s[i] < 0xc3 || s[i] > 0xc5) && s[i] >= 0xc0 {
			return norm.NFC.String(strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Mn, r) && r != '\u3099' && r != '\u309a' {
					return -1
				}
				return r
			}, norm.NFKD.String(s)))
		}
	}
	return s
}

// latin are the letters U+00C0 to U+017F without their accents, "" where there is none to take off.
var latin = func() (t [0x180 - 0xc0]string) {
	for plain, letters := range map[string]string{
		"a": "àáâãåāăąÀÁÂÃÅĀĂĄäÄ", "c": "çćĉċčÇĆĈĊČ", "d": "ďĎ", "e": "èéêëēĕėęěÈÉÊËĒĔĖĘĚ", "g": "ĝğġģĜĞĠĢ", "i": "ìíîïĩīĭįıÌÍÎÏĨĪĬĮİ",
		"l": "ĺļľłĹĻĽŁ", "n": "ñńņňÑŃŅŇ", "o": "òóôõöøōŏőÒÓÔÕÖØŌŎŐ", "r": "ŕŗřŔŖŘ", "s": "śŝşšŚŜŞŠ", "t": "ţťŢŤ", "u": "ùúûüũūŭůűųÙÚÛÜŨŪŬŮŰŲ",
		"y": "ýÿŷÝŸŶ", "z": "źżžŹŻŽ", "ss": "ß", "ae": "æÆ", "oe": "œŒ",
	} {
		for _, r := range letters {
			t[r-0xc0] = plain
		}
	}
	return t
}()
