package segment

import (
	"strings"

	"github.com/pamline/pamline/extract/lexicon"
)

// tasks finds what is given to be worked on. The order ("translate this to German:") is the
// person's; what follows it, or stands before it when it comes last, is a payload.
func (d *draft) tasks() {
	for i := 0; i < len(d.lines); i++ {
		if !d.talk(i) {
			continue
		}
		for n, h := range d.hitsOf(i) {
			if n == maxHits {
				break
			}
			if h.class&given != 0 && d.handsOver(i, h) {
				h.class |= transform
			}
			if h.class&(transform|compose|command) == 0 {
				continue
			}
			if next := d.task(i, h); next > i {
				i = next - 1
				break
			}
		}
	}
	d.taskBehind()
}

// maxHits is how many phrases of one line are looked at; orders come first.
const maxHits = 48

// handsOver tells whether a word that points stands right before a colon near the start of a line
// ("check this:"), and nothing before it is about the person.
func (d *draft) handsOver(i int, h hit) bool {
	l := &d.lines[i]
	rest := strings.TrimLeft(d.text[h.end:l.end], " ")
	return rest != "" && rest[0] == ':' && h.end-l.start < 70 && !hasFirstPerson(d.text[l.start:h.start])
}

// task takes the payload of one order out. It gives the line behind the payload, or i when there is
// none.
func (d *draft) task(i int, h hit) int {
	l := &d.lines[i]
	rest := d.text[h.end:l.end]
	if rest != "" && (rest[0] == ',' || rest[0] == '!') {
		return i // "Correct, I am a nurse": an answer
	}
	tail := d.tail(i + 1)
	if h.class&(compose|transform) != 0 && d.near(i, h, fiction) {
		// What is asked for is made up, and so is all that is told about it.
		d.paintBetween(i, d.startOf(i, h), len(d.lines), Payload)
		return len(d.lines)
	}
	if h.class&transform != 0 {
		if start, end, ok := d.quotes.next(h.end, l.end); ok && words(d.text[start:end]) >= 2 {
			return d.takeQuoted(i, start, end)
		}
	}
	if colon := payloadColon(rest); colon >= 0 {
		at := h.end + colon + 1
		same := strings.TrimSpace(d.text[at:l.end]) != ""
		if h.class&transform != 0 || (!same || d.near(i, h, given|essay)) && d.impersonalOrder(i) || d.near(i, h, answered) {
			d.cut(at, l.next, Payload)
			d.paint(i+1, tail, Payload)
			return tail
		}
	}
	if h.class&transform == 0 && !(d.near(i, h, given|essay) && d.impersonalOrder(i)) && !d.near(i, h, answered) {
		return i
	}
	// The payload begins on the next line, or with the next sentence when the order points at it.
	if sentence := nextSentence(d.text[:l.end], h.end); sentence < l.end && h.class&transform != 0 && d.near(i, h, given) && !d.talksAt(i, sentence) {
		d.cut(sentence, l.next, Payload)
		d.paint(i+1, tail, Payload)
		return tail
	}
	// A letter that is to be answered may ask, too: "Could you postpone the payment?"
	if next := d.after(i + 1); next < tail && (d.near(i, h, answered) || !d.talksAt(next, d.lines[next].start)) {
		d.paint(i+1, tail, Payload)
		return tail
	}
	return i
}

// impersonalOrder tells whether neither an order nor the first line of what it hands over is about
// the person: who asks for a plan and tells their age and weight speaks of themselves.
func (d *draft) impersonalOrder(i int) bool {
	next := d.after(i + 1)
	return d.lines[i].first == 0 && (next == len(d.lines) || d.lines[next].first == 0)
}

// near tells whether a phrase of a class stands in the same sentence behind an order, or in the
// order itself.
func (d *draft) near(i int, h hit, c class) bool {
	if h.class&c != 0 {
		return true
	}
	stop := nextSentence(d.text[:d.lines[i].end], h.end)
	for _, o := range d.hitsOf(i) {
		if o.start >= h.start && o.start < stop && o.class&c != 0 {
			return true
		}
	}
	return false
}

// isHead tells whether a line is the person's own before what they hand over: it speaks to the
// assistant, or asks.
func (d *draft) isHead(i int) bool {
	last := d.lines[i].shape.last
	return last == '?' || last == ':' || d.talksAt(i, d.lines[i].start)
}

// talksAt tells whether the words at a place on a line speak to the assistant or give an order.
func (d *draft) talksAt(i, at int) bool {
	l := &d.lines[i]
	for at < l.end && lexicon.LetterLen(d.text, at) == 0 {
		at += lexicon.CharLen(d.text, at)
	}
	for _, h := range d.hitsOf(i) {
		if h.start >= at {
			return h.class&(talk|transform|compose|command) != 0 && h.start-at < 30
		}
	}
	return false
}

// tail is where a last short paragraph begins that speaks to the assistant ("can you shorten it?"),
// behind a longer text; else the number of lines.
func (d *draft) tail(from int) int {
	last := len(d.lines)
	for last > from && !d.talk(last-1) {
		last--
	}
	if last <= from+1 {
		return len(d.lines)
	}
	start := last - 1
	for start > from && last-start < 4 && d.talk(start-1) {
		start--
	}
	if last-start >= 4 || start <= from { // no blank line before it: the last line alone
		start = last - 1
	}
	if d.lines[last-1].end-d.lines[start].start > 300 || !d.talksAt(start, d.lines[start].start) {
		return len(d.lines)
	}
	return start
}

// takeQuoted takes out a quoted payload that may go over lines. It gives the line behind it.
func (d *draft) takeQuoted(i, start, end int) int {
	for ; i < len(d.lines) && d.lines[i].start < end; i++ {
		l := &d.lines[i]
		d.cut(max(start, l.start), min(end, l.next), Payload)
	}
	return i
}

// payloadColon is where a colon stands that hands over what follows, -1 when there is none. Those
// in times, links and words are passed over, and so is one that lies far behind the order.
func payloadColon(s string) int {
	for i := 0; i < len(s) && i < 240; i++ {
		if s[i] == ':' && (i+1 == len(s) || s[i+1] != '/' && byteClass[s[i+1]]&isDigit == 0) {
			return i
		}
	}
	return -1
}

// nextSentence is where the sentence behind the one at a place begins; the end of the text when
// that is the last.
func nextSentence(text string, at int) int {
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '.', '!', '?':
			if i+1 < len(text) && text[i+1] == ' ' {
				return i + 2
			}
		}
	}
	return len(text)
}
