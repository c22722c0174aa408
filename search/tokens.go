package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a folded word of a text, or a pair of characters in a script without spaces.
type token struct {
	text       string
	start, end int // bytes of the text
	// single: it is the last character of a run, which the pair before has already.
	single bool
}

// longest is how many bytes of a word count: longer ones are encoded data.
const longest = 64

// class is what a character is for cutting a text into words.
type class uint8

const (
	classSpace  class = iota
	classWord         // letters and digits, written with spaces between words
	classPair         // scripts without spaces
	classJoined       // marks, which belong to what is before
)

// unspaced are the scripts that put no space between words, and Hangul, which writes particles
// together with nouns.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Bopomofo, unicode.Yi,
}

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return classWord
		}
		return classSpace
	case r < 0x250 || r >= 0x370 && r < 0x590:
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return classWord
		}
		if unicode.IsMark(r) {
			return classJoined
		}
		return classSpace
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3041 && r <= 0x3096, r >= 0xac00 && r <= 0xd7a3:
		return classPair // most of what is below, found at once
	case unicode.IsMark(r), r >= 0x1160 && r <= 0x11ff, r == 0xff9e, r == 0xff9f, r == 'ـ':
		return classJoined // also the vowels and finals of Hangul, half-wide voice marks, tatweel
	case r == 'ー', r == 'ｰ', r == '々', r == '〇', unicode.In(r, unspaced...):
		return classPair
	case unicode.IsLetter(r), unicode.IsNumber(r):
		return classWord
	}
	return classSpace
}

// eachToken cuts a text into folded words, in their order.
func eachToken(text string, yield func(token)) {
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		switch {
		case r >= utf8.RuneSelf:
			r, size = utf8.DecodeRuneInString(text[i:])
		case asciiKinds[r] == asciiSpace:
			i++
			continue
		default:
			if word, end := asciiWord(text, i); word != "" {
				yield(token{text: truncateWord(word), start: i, end: end})
				i = end
				continue
			}
		}
		switch classOf(r) {
		case classWord:
			end := wordEnd(text, i+size)
			if word := foldWord(text[i:end]); word != "" {
				yield(token{text: truncateWord(word), start: i, end: end})
			}
			i = end
		case classPair:
			i = eachPair(text, i, yield)
		default:
			i += size
		}
	}
}

// Kinds of ASCII characters.
const (
	asciiSpace = iota
	asciiLower // and digits
	asciiUpper
)

// asciiKinds are the kinds of ASCII characters, of which most of most texts are made.
var asciiKinds = func() (kinds [utf8.RuneSelf]uint8) {
	for c := range kinds {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			kinds[c] = asciiLower
		case c >= 'A' && c <= 'Z':
			kinds[c] = asciiUpper
		}
	}
	return kinds
}()

// asciiWord is a folded word of ASCII characters; "" if it has others, too.
func asciiWord(text string, start int) (word string, end int) {
	hasUpper := false
	for end = start; end < len(text) && text[end] < utf8.RuneSelf; end++ {
		kind := asciiKinds[text[end]]
		if kind == asciiSpace {
			break
		}
		hasUpper = hasUpper || kind == asciiUpper
	}
	if end < len(text) && text[end] >= utf8.RuneSelf {
		return "", start
	}
	if word = text[start:end]; hasUpper {
		word = strings.ToLower(word)
	}
	return word, end
}

func wordEnd(text string, i int) int {
	for i < len(text) {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if c := classOf(r); c != classWord && c != classJoined {
			break
		}
		i += size
	}
	return i
}

// eachPair gives the pairs of a run of characters, and its last character by itself: every
// character is the beginning of one token.
func eachPair(text string, i int, yield func(token)) (end int) {
	var last token
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if classOf(r) != classPair {
			break
		}
		start := i
		for i += size; i < len(text); i += size {
			if r, size = utf8.DecodeRuneInString(text[i:]); classOf(r) != classJoined {
				break
			}
		}
		this := token{text: foldWord(text[start:i]), start: start, end: i}
		if last.text != "" {
			yield(token{text: last.text + this.text, start: last.start, end: this.end})
		}
		last = this
	}
	last.single = true
	yield(last)
	return i
}

func truncateWord(word string) string {
	if len(word) <= longest {
		return word
	}
	n := longest
	for !utf8.RuneStart(word[n]) {
		n--
	}
	return word[:n]
}

// shortWord is how many bytes a short word has; in many scripts, a letter has two or three.
const shortWord = 4

// markPair is between the words of a pair: a character for private use, which no text has.
const markPair = "\ue001"

// shortPair is the pair of two words that are so short that most texts have them: a phrase of such
// words is found by its pairs. It is "" for longer words.
func shortPair(a, b string) string {
	if a == "" || len(a) > shortWord || len(b) > shortWord {
		return ""
	}
	return a + markPair + b
}
