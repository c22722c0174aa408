package segment

import "strings"

// scripts finds dialogue ("ANNA: I am late."), interviews, curricula vitae and song texts.
func (d *draft) scripts() {
	speakers := map[string]int{}
	resumes, verses := 0, 0
	firstSpeaker, firstResume, firstVerse := -1, -1, -1
	again := false
	for i := range d.lines {
		if !d.talk(i) {
			continue
		}
		if name := speaker(d.of(i), d.lines[i].shape); name != "" {
			speakers[name]++
			again = again || speakers[name] >= 2
			if firstSpeaker < 0 {
				firstSpeaker = i
			}
		}
		if d.heading(i, resume) {
			if resumes++; resumes == 1 {
				firstResume = i
			}
		}
		if d.heading(i, lyrics) {
			if verses++; verses == 1 {
				firstVerse = i
			}
		}
	}
	switch {
	case again && len(speakers) >= 2:
		d.paint(firstSpeaker, d.tail(firstSpeaker), Payload)
	case resumes >= 2:
		from, _ := d.paragraph(firstResume)
		if from < firstResume && d.isHead(from) {
			from++
		}
		d.paint(from, d.tail(from), Payload)
	case verses >= 2:
		d.paint(firstVerse, d.tail(firstVerse), Payload)
	}
}

// speaker is the name that a line of dialogue begins with, "" when it is none: one to three words
// with a capital letter each, a colon, and words behind it.
func speaker(s string, h shape) string {
	s = s[h.indent:]
	n := strings.IndexByte(s, ':')
	if n < 1 || n > 30 || n+3 > len(s) || s[n+1] != ' ' && s[n+1] != '*' {
		return ""
	}
	name := strings.Trim(s[:n], "*_[]() ")
	if name == "" || len(strings.Fields(name)) > 3 || strings.ContainsAny(name, ".,?!\"") {
		return ""
	}
	for _, w := range strings.Fields(name) {
		if c := w[0]; c < 0x80 && byteClass[c]&isUpper == 0 {
			return ""
		}
	}
	return name
}

// heading tells whether a line is a heading of a class: nothing but the phrase, numbers, brackets
// and a colon.
func (d *draft) heading(i int, c class) bool {
	for _, h := range d.hitsOf(i) {
		if h.class&c != 0 && h.opens {
			rest := strings.TrimLeft(d.text[h.end:d.lines[i].end], " 0123456789.)]*_#:-&\t\r")
			return len(rest) < 8
		}
	}
	return false
}
