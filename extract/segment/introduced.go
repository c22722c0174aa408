package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxIntroduction is the length in bytes of the longest line that introduces what somebody else
// wrote.
const maxIntroduction = 160

// introduced finds what a line ending in a colon hands over: "A colleague sent this:", "On Monday
// Ann wrote:". Who speaks of themselves in that line goes on speaking ("Some facts about me:"),
// unless it is about a text.
func (d *draft) introduced() {
	for i := d.after(0); i < len(d.lines); i = d.after(i + 1) {
		from := d.after(i + 1)
		if from == len(d.lines) {
			return
		}
		if d.introduces(i) {
			d.paint(from, d.tail(from), Pasted)
			return
		}
	}
}

func (d *draft) introduces(i int) bool {
	text := strings.TrimRightFunc(d.of(i), unicode.IsSpace)
	if last, _ := utf8.DecodeLastRuneInString(text); last != ':' && last != '：' || len(text) > maxIntroduction {
		return false
	}
	if strings.Contains(text, "@") { // the line above a quoted mail has its address
		return true
	}
	at := lastSentence(text)
	if at > 0 && hasFirstPerson(text[at:]) && !d.hasFrom(i, d.lines[i].start+at, given|essay) {
		return false // "Write a letter for me. Here is my story:"
	}
	return d.has(i, given|essay) || d.lines[i].first == 0 && len(strings.Fields(text)) >= 3
}

// lastSentence is where the last sentence of a text begins.
func lastSentence(text string) int {
	at := 0
	for next := nextSentence(text, 0); next < len(text); next = nextSentence(text, next) {
		at = next
	}
	return at
}

// hasFrom tells whether a phrase of a class stands at or behind a place on a line.
func (d *draft) hasFrom(i, at int, c class) bool {
	for _, h := range d.hitsOf(i) {
		if h.start >= at && h.class&c != 0 {
			return true
		}
	}
	return false
}
