package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// letters are what NFKD does not take apart, or what is another spelling of the same.
var letters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ħ': "h", 'ŧ': "t", 'ſ': "s", 'ς': "σ",
	'й': "й", 'ї': "ї", 'ў': "ў", // letters of their own, not accented ones
	'أ': "ا", 'إ': "ا", 'آ': "ا", 'ٱ': "ا", 'ى': "ي", 'ئ': "ي", 'ؤ': "و", 'ة': "ه", 'ک': "ك", 'ی': "ي", 'ـ': "",
}

// marked are the scripts whose marks are accents or vowel signs that writers leave out. In other
// scripts, marks are letters.
var marked = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew}

// foldWord is a word without what writers may leave out: case, accents, vowel signs, width.
func foldWord(word string) string {
	if isASCII(word) {
		return strings.ToLower(word)
	}
	if isFolded(word) {
		return withoutArticle(word)
	}
	var b strings.Builder
	dropMarks := false
	for _, r := range strings.ToLower(norm.NFKC.String(word)) {
		if unicode.Is(unicode.Mn, r) {
			if !dropMarks {
				b.WriteRune(r)
			}
			continue
		}
		dropMarks = unicode.In(r, marked...)
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Mc, r) { // NFKC may give brackets and spaces
			foldLetter(&b, r)
		}
	}
	return withoutArticle(b.String())
}

func foldLetter(b *strings.Builder, r rune) {
	if r < utf8.RuneSelf {
		b.WriteByte(byte(r))
		return
	}
	if s, ok := letters[r]; ok {
		b.WriteString(s)
		return
	}
	if n := digitValue(r); n >= 0 {
		b.WriteByte('0' + byte(n))
		return
	}
	if !unicode.In(r, marked...) {
		b.WriteRune(r)
		return
	}
	var space [utf8.UTFMax]byte
	for _, part := range string(norm.NFKD.Append(nil, space[:utf8.EncodeRune(space[:], r)]...)) {
		if s, ok := letters[part]; ok {
			b.WriteString(s)
		} else if !unicode.Is(unicode.Mn, part) {
			b.WriteRune(part)
		}
	}
}

// digitValue is the value of a decimal digit of any script, else -1. The digits of a script follow one
// another in Unicode, and each script's zero is the only digit before which there is none.
func digitValue(r rune) int {
	if !unicode.Is(unicode.Nd, r) {
		return -1
	}
	n := 0
	for n < 9 && unicode.Is(unicode.Nd, r-1) {
		r--
		n++
	}
	return n
}

// articles are what Arabic writes together with the noun that follows.
var articles = []string{"وال", "بال", "كال", "فال", "ال"}

// leastNoun is how many letters are left when an article is cut off.
const leastNoun = 3

func withoutArticle(word string) string {
	if word == "" || word[0] < 0xd8 || word[0] > 0xd9 { // not Arabic
		return word
	}
	for _, a := range articles {
		if rest, ok := strings.CutPrefix(word, a); ok && utf8.RuneCountInString(rest) >= leastNoun {
			return rest
		}
	}
	return word
}

// isFolded tells at once of many words that folding leaves them as they are, but for an article:
// lower-case Cyrillic, Arabic without marks, Chinese, and Korean that is composed.
func isFolded(word string) bool {
	for _, r := range word {
		switch {
		case r >= 'а' && r <= 'я', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3:
		case r == 'ا', r == 'ب', r >= 'ت' && r <= 'غ', r >= 'ف' && r <= 'و', r == 'ي':
		default:
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
