package htmlmd

import (
	"bytes"
	"strings"
	"unicode"
)

// taken tells whether a character of text would be taken for markup: next is the one behind it in
// its word, 0 at the end; first is true for the first one of a line, which word starts.
func (in *inline) taken(r, next rune, first bool, word string) bool {
	switch r {
	case '`':
		return true
	case '*':
		return emphasises(in.last, next) || first && next == 0
	case '_':
		// Between letters it is a part of a name.
		return emphasises(in.last, next) && !(isWord(in.last) && isWord(next))
	case '<':
		return next == '/' || next == '!' || next < unicode.MaxASCII && unicode.IsLetter(next)
	case '[', ']':
		return in.link != nil
	case '|':
		return in.cell
	case '#':
		return first && strings.Trim(word, "#") == "" && len(word) <= 6
	case '>':
		return first
	case '-', '+':
		return first && (next == 0 || strings.Trim(word, string(r)) == "" && len(word) >= 3)
	case '~':
		return in.last == '~' || next == '~'
	case '.', ')':
		return next == 0 && in.lineIsNumber()
	}
	return false
}

// class is what a byte of text may be.
type class uint8

const (
	plain  class = iota
	white        // what HTML collapses: a no-break space is not among it
	markup       // what may be taken for markup wherever it stands
	null         // behind it, a line counts as empty
)

// classes are those of all bytes.
var classes = func() (of [256]class) {
	of[0] = null
	for _, c := range []byte(" \t\n\r\f") {
		of[c] = white
	}
	for _, c := range []byte("`*_<[]|~") {
		of[c] = markup
	}
	return of
}()

// suspicious tells whether a word may have a character in it that would be taken for markup.
func suspicious(word string, first bool) bool {
	for i := range len(word) {
		if classes[word[i]] == markup {
			return true
		}
	}
	if end := word[len(word)-1]; (end == '.' || end == ')') && (first || len(word) == 1) {
		return true
	}
	return first && strings.IndexByte("#>-+", word[0]) >= 0
}

// emphasises tells whether a delimiter between these characters touches text.
func emphasises(last, next rune) bool {
	return last != 0 && last != ' ' && last != '\n' || next != 0
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// atLineStart tells whether nothing stands in the line yet.
func (in *inline) atLineStart() bool { return in.last == 0 || in.last == '\n' }

// maxNumber is how long a number at the start of a line may be to be taken for that of a list item.
const maxNumber = 9

// lineIsNumber tells whether the open line is a number and nothing else.
func (in *inline) lineIsNumber() bool {
	s := in.buf.Bytes()
	s = s[max(0, len(s)-maxNumber-1):]
	s = s[bytes.LastIndexByte(s, '\n')+1:]
	return len(s) > 0 && len(s) <= maxNumber && len(bytes.Trim(s, "0123456789")) == 0
}
