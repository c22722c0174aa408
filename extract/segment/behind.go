package segment

// minBehind is the shortest text in bytes that an order behind it can point back at.
const minBehind = 40

// taskBehind finds orders that come last and point back: at the text above, or at the sentences
// before on their line.
func (d *draft) taskBehind() {
	last := len(d.lines) - 1
	for last >= 0 && !d.talk(last) {
		last--
	}
	if last < 0 {
		return
	}
	if tail := d.tail(0); tail < len(d.lines) && d.pointsBack(tail) && d.lines[tail].start >= minBehind {
		from := d.after(0)
		if from < tail && d.isHead(from) {
			from++
		}
		d.paint(from, tail, Payload)
		return
	}
	hits := d.hitsOf(last)
	for k := len(hits) - 1; k >= 0 && k >= len(hits)-maxHits; k-- {
		h := hits[k]
		if h.class&transform == 0 || h.opens {
			continue
		}
		l := &d.lines[last]
		// It is the last sentence, and there is nothing behind it to be worked on.
		if l.end-h.start > 90 || nextSentence(d.text[:l.end], h.end) < l.end || h.start-l.start < minBehind {
			return
		}
		at := sentenceBefore(d.text, l.start, h.start)
		if at-l.start >= minBehind && l.first > 0 {
			d.cut(l.start, at, Payload)
			d.paint(d.after(0), last, Payload)
		}
		return
	}
}

// pointsBack tells whether the order in the last lines is about what stands above.
func (d *draft) pointsBack(tail int) bool {
	for i := tail; i < len(d.lines); i++ {
		for n, h := range d.hitsOf(i) {
			if n == maxHits {
				break
			}
			if h.class&transform != 0 && (h.opens || d.near(i, h, given)) || h.class&(command|talk) != 0 && d.near(i, h, given) && d.near(i, h, essay) {
				return true
			}
		}
	}
	return false
}

// sentenceBefore is where the sentence with a place in it begins.
func sentenceBefore(text string, from, at int) int {
	for i := at - 1; i > from; i-- {
		switch text[i-1] {
		case '.', '!', '?', '"', ':':
			if text[i] == ' ' {
				return i + 1
			}
		}
	}
	return from
}
