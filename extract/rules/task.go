package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/extract/lexicon"
	"github.com/pamline/pamline/extract/segment"
)

// isWork tells whether a message gives a text to work on, in a language whose table names the words
// for that. What such a message says in the first person may be anybody's.
func (t *table) isWork(text string) bool { return hasAny(text, t.works) }

// isPlay tells whether a message begins a make-believe.
func (t *table) isPlay(text string) bool { return hasAny(text, t.plays) }

// hasAny tells whether one of some phrases is in a text. Of languages with spaces, a phrase begins
// at a word.
func hasAny(text string, phrases []string) bool {
	if len(phrases) == 0 {
		return false
	}
	text = strings.ToLower(text)
	for _, p := range phrases {
		for rest, at := text, 0; ; {
			i := strings.Index(rest, p)
			if i < 0 {
				break
			}
			if at += i; startsWord(text, at) {
				return true
			}
			at += len(p)
			rest = text[at:]
		}
	}
	return false
}

// isForeign tells whether a passage is in another language of the same script.
func (t *table) isForeign(text string) bool { return t.script && neighbors[segment.Language(text)] }

// neighbors are languages without a table that share a script, and most of their letters, with one
// that has a table.
var neighbors = map[string]bool{"uk": true, "be": true, "sr": true, "fa": true, "ur": true}

// startsWord tells whether no letter of a spaced script is right before a place.
func startsWord(text string, at int) bool {
	if at == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	return lexicon.IsSign(before) || !unicode.IsLetter(before)
}
