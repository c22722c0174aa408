package segment

import (
	"strings"

	"github.com/pamline/pamline/extract/lexicon"
)

// voices finds speech under the name of who speaks ("Anna: …", "User: …") and texts under what they
// are ("Poem: …"): from the first of them on, what is said is not the person's.
func (d *draft) voices() {
	for i := range d.lines {
		for n, h := range d.hitsOf(i) {
			if n == maxHits {
				break
			}
			if h.class&voice == 0 {
				continue
			}
			rest := strings.TrimLeft(d.text[h.end:d.lines[i].end], " \u00a0\u202f*_")
			if len(rest) > 1 && rest[0] == ':' && (rest[1] == ' ' || rest[1] == '*') {
				d.paintBetween(i, d.startOf(i, h), d.tail(i+1), Payload)
				return
			}
		}
	}
}

// lastingOrder finds an order that holds for what the person writes from then on: "correct
// everything I write".
func (d *draft) lastingOrder() (line int, h hit, ok bool) {
	for i := range d.lines {
		order := -1 // the end of the last order in this sentence
		for _, h := range d.hitsOf(i) {
			if h.class&transform != 0 {
				order = h.end
			}
			if h.class&lasting == 0 {
				continue
			}
			if order >= 0 && nextSentence(d.text[:h.start], order) == h.start || d.ordered(i, h) {
				return i, h, true
			}
			order = -1
		}
	}
	return 0, hit{}, false
}

// ordered tells whether the word right before a phrase is an order, wherever in its sentence: "…,
// correct all my sentences".
func (d *draft) ordered(i int, h hit) bool {
	at := d.wordBefore(i, h.start)
	start, stop := tokenizer.NextWord(d.text[:h.start], at)
	if start == stop {
		return false
	}
	s := cues().lookup.Scan(d.text)
	defer s.Release()
	c, _ := cues().match(s, start)
	return c&transform != 0
}

// wordBefore is where the word before a place begins, on the same line. Behind the longest word of
// the tables it does not look on.
func (d *draft) wordBefore(i, at int) int {
	from := max(d.lines[i].start, at-lexicon.MaxWord-2)
	before := strings.TrimRight(d.text[from:at], " \t")
	return from + strings.LastIndexAny(before, " \t,.;:!?(\"") + 1
}

// exercises takes out what follows on an order that lasts, in the same message.
func (d *draft) exercises() {
	i, h, ok := d.lastingOrder()
	if !ok {
		return
	}
	l, tail := &d.lines[i], d.tail(i+1)
	if at := nextSentence(d.text[:l.end], h.end); at < l.end {
		d.cut(at, l.next, Payload)
	}
	d.paint(i+1, tail, Payload)
}

// hitOf tells whether a phrase of one of the classes was found in the message.
func (d *draft) hitOf(c class) bool {
	for i := range d.hits {
		if d.hits[i].class&c != 0 {
			return true
		}
	}
	return false
}
