package rules

import (
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/extract/lexicon"
	"github.com/pamline/pamline/extract/segment"
)

// isWork tells whether a message gives a text to work on, in a language whose table names the words
// for that. What such a message says in the first person may be anybody's.
func (t *table) isWork(text string) bool { return t.works.isIn(text) }

// isPlay tells whether a message begins a make-believe.
func (t *table) isPlay(text string) bool { return t.plays.isIn(text) }

// sayings are phrases that are looked for in a text. Of languages with spaces, a phrase begins at a
// word.
type sayings struct {
	// list are the phrases by their first letter, in small letters; leads the lower bytes of these
	// letters, small and capital.
	list  map[rune][]string
	leads [4]uint64
}

func newSayings(phrases []string) (s sayings) {
	for _, p := range phrases {
		first, _ := utf8.DecodeRuneInString(p)
		if s.list == nil {
			s.list = map[rune][]string{}
		}
		s.list[first] = append(s.list[first], p)
		for _, r := range []rune{first, unicode.ToUpper(first), unicode.ToTitle(first)} {
			s.leads[byte(r)>>6] |= 1 << (byte(r) & 63)
		}
	}
	return s
}

// isIn tells whether one of the phrases is in a text, in letters of either case.
func (s *sayings) isIn(text string) bool {
	if len(s.list) == 0 {
		return false
	}
	for at, r := range text {
		if s.leads[byte(r)>>6]&(1<<(byte(r)&63)) == 0 || !startsWord(text, at) {
			continue
		}
		for _, p := range s.list[lowerOf(r)] {
			if beginsLower(text[at:], p) {
				return true
			}
		}
	}
	return false
}

// beginsLower tells whether a text begins with a phrase, its letters made small.
func beginsLower(text, phrase string) bool {
	for _, want := range phrase {
		r, n := utf8.DecodeRuneInString(text)
		if n == 0 || lowerOf(r) != want {
			return false
		}
		text = text[n:]
	}
	return true
}

// isForeign tells whether a passage is in another language of the same script.
func (r *reader) isForeign(t *table, start, end int) bool {
	return t.script && neighbors[r.lettersOf(start, end)]
}

// lettersOf gives the language of a passage by its letters.
func (r *reader) lettersOf(start, end int) string {
	if l := &r.letters; l.start != start || l.end != end {
		*l = lettered{start, end, segment.Language(r.msg.Text[start:end])}
	}
	return r.letters.language
}

// lettered is the language of the passage of a message that was asked for last.
type lettered struct {
	start, end int
	language   string
}

// neighbors are languages without a table that share a script, and most of their letters, with one
// that has a table.
var neighbors = map[string]bool{"uk": true, "be": true, "sr": true, "fa": true, "ur": true}

// startsWord tells whether no letter of a spaced script is right before a place.
func startsWord(text string, at int) bool {
	if at == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	return lexicon.IsSign(before) || !isLetterRune(before)
}
