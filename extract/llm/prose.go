package llm

import (
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/segment"
)

// part is a range of bytes of a turn that is of one kind.
type part struct {
	extract.Span
	// before is how many characters of the turn stand before it: counting them anew for each quote
	// would be slow in long turns.
	before int
	voice  voice
}

// voice is whose words a part is made of.
type voice uint8

const (
	foreign voice = iota // words of others, code, output of programs: context
	handed               // a text that the person hands over to be worked on: weak evidence, if it is theirs
	draft                // such a text that tells of the person and is to be improved: a bio, an application
	own                  // the person's own plain talk
)

// voices maps the kinds of segments. A kind without an entry is foreign.
var voices = map[segment.Kind]voice{
	segment.Prose: own, segment.Draft: draft, segment.Letter: handed, segment.Payload: handed, segment.Table: handed,
}

// isEvidence tells whether a part may be quoted.
func (p part) isEvidence() bool { return p.voice != foreign }

func (p part) isOwn() bool { return p.voice == own }

func (p part) isDraft() bool { return p.voice == draft }

func (p part) isHanded() bool { return p.voice == handed }

// isMarked tells whether marks stand around a part, which say that it is to be worked on.
func (p part) isMarked() bool { return p.isDraft() || p.isHanded() }

// cut divides a part at a byte of the turn's text.
func (p part) cut(text string, at int) (head, tail part) {
	head, tail = p, p
	head.End, tail.Start = at, at
	tail.before += utf8.RuneCountInString(text[p.Start:at])
	return head, tail
}

// saysSomething tells whether a text has a letter at all.
func saysSomething(text string) bool {
	for _, r := range text {
		if unicode.IsLetter(r) {
			return true
		}
	}
	return false
}

// cutAt gives the best place to cut a text at or before byte max: behind a paragraph, a line, a
// sentence, a word, else a character. It is never in the first half, and on the border of a
// character.
func cutAt(text string, max int) int {
	if len(text) <= max {
		return len(text)
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	best, rank := max, 0
	for i := max - 1; i >= max/2; i-- {
		r := 0
		switch c := text[i]; {
		case c == '\n' && i > 0 && text[i-1] == '\n':
			return i + 1
		case c == '\n':
			r = 3
		case c == ' ' && i > 0 && (text[i-1] == '.' || text[i-1] == '!' || text[i-1] == '?'):
			r = 2
		case c == ' ':
			r = 1
		}
		if r > rank {
			best, rank = i+1, r
		}
	}
	return best
}

// bytesOf gives the length in bytes of the first n characters.
func bytesOf(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
