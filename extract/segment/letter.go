package segment

import "strings"

// mails finds heads of mails ("From: … Subject: …"): two fields or more close together, and what
// follows.
func (d *draft) mails() {
	start, count, last := -1, 0, 0
	for i := range d.lines {
		if !d.talk(i) || !d.field(i, header) {
			continue
		}
		if start < 0 || i-last > 3 {
			start, count = i, 0
		}
		last = i
		if count++; count == 2 {
			d.paint(start, d.tail(start), Letter)
			return
		}
	}
}

// letters finds letters by their salutation, by phrases that letters open with, and by their
// closing. A letter goes to its closing and the name under it, else to the end.
func (d *draft) letters() {
	at := 0
	for i := 0; i < len(d.lines); i++ {
		if !d.talk(i) {
			continue
		}
		start, ok := d.letterHead(i)
		if ok {
			to := d.letterEnd(i)
			d.paintBetween(i, start, to, Letter)
			i, at = to-1, to
			continue
		}
		if d.isClosing(i) {
			// No head was found: all behind the person's own first words belongs to it.
			from := d.after(at)
			if from < i && d.isHead(from) {
				from++
			}
			to := d.letterEnd(i)
			d.paint(from, to, Letter)
			i, at = to-1, to
		}
	}
}

// letterHead tells whether a letter begins on a line, and where.
func (d *draft) letterHead(i int) (start int, ok bool) {
	l := &d.lines[i]
	for _, h := range d.hitsOf(i) {
		switch {
		case h.class&opening != 0 && d.longEnough(i, h.start):
			return d.startOf(i, h), true
		case h.class&greeting != 0 && h.start == l.start+l.body() && d.salutation(i, h, false):
			return l.start, true
		case h.class&greeting != 0 && strings.HasSuffix(strings.TrimRight(d.text[l.start:h.start], " "), ":") && d.longEnough(i, h.start) && d.salutation(i, h, false):
			return h.start, true // "this is the final version: Dear Sir,"
		case h.class&hello != 0 && h.opens && d.salutation(i, h, true):
			return l.start, true
		}
	}
	return 0, false
}

// minLetter is the shortest letter in bytes that is told by its first words alone.
const minLetter = 130

// longEnough tells whether enough follows a place for a letter, or it is closed as one.
func (d *draft) longEnough(i, at int) bool {
	if d.lines[len(d.lines)-1].end-at >= minLetter {
		return true
	}
	for ; i < len(d.lines); i++ {
		if d.isClosing(i) {
			return true
		}
	}
	return false
}

// salutation tells whether a greeting is that of a letter: a short line of its own, or a name and a
// comma or colon behind it. A weak one needs a name with a capital letter, and a longer text below.
func (d *draft) salutation(i int, h hit, weak bool) bool {
	l := &d.lines[i]
	rest := strings.TrimSpace(d.text[h.end:l.end])
	for _, o := range d.hitsOf(i) {
		if o.class&assistant != 0 && o.start-h.end <= 2 {
			return false
		}
	}
	name := rest
	if n := strings.IndexAny(rest, ",:!"); n >= 0 {
		name = rest[:n]
	} else if len(rest) > 40 || weak {
		return false
	}
	if len(name) > 60 || strings.ContainsAny(name, ".?") {
		return false
	}
	if !weak {
		return rest == "" || len(rest) <= 60 || len(name) < len(rest)
	}
	alone := len(rest)-len(name) <= 1
	return name != "" && name[0] < 0x80 && byteClass[name[0]]&isUpper != 0 && alone && words(name) <= 3 &&
		d.lines[len(d.lines)-1].end-l.end > 200
}

// isClosing tells whether a line is the end of a letter.
func (d *draft) isClosing(i int) bool {
	l := &d.lines[i]
	for _, h := range d.hitsOf(i) {
		if h.class&closing != 0 && h.opens {
			rest := strings.TrimSpace(d.text[h.end:l.end])
			return rest == "" || rest[0] == ',' || rest[0] == '.' || rest[0] == '!' || len(rest) < 30 && l.end-l.start < 60
		}
	}
	return false
}

// letterEnd is the line behind a letter that goes through line i.
func (d *draft) letterEnd(i int) int {
	for j := i; j < len(d.lines); j++ {
		if !d.talk(j) || !d.isClosing(j) {
			continue
		}
		// The name, the position and the address are short lines.
		for k := 0; k < 6 && j+1 < len(d.lines); k++ {
			s := d.lines[j+1].shape
			if s.width > 50 || s.last == '?' || !s.blank && d.talksAt(j+1, d.lines[j+1].start) {
				break
			}
			j++
		}
		return j + 1
	}
	return d.tail(i)
}
