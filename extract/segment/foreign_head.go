package segment

import "unicode/utf8"

// minSwitch is how many bytes of Latin letters have to follow a head in another script, for the
// text to be a payload.
const minSwitch = 60

// foreignHeads finds messages that begin in a script other than Latin and go on in Latin letters:
// whoever writes "润色:" or "переведи" before an English text wants that text worked on. It needs no
// words of that language.
func (d *draft) foreignHeads() {
	from := d.after(0)
	if from == len(d.lines) || d.lines[from].shape.foreign == 0 {
		return
	}
	l := &d.lines[from]
	head, at := 0, l.start
	for at < l.end {
		if c := d.text[at]; c < utf8.RuneSelf {
			if byteClass[c]&isLetter != 0 && head >= 4 && d.latinFrom(from, at) {
				d.paintFrom(from, at, Payload)
				return
			}
			at++
			continue
		}
		r, n := utf8.DecodeRuneInString(d.text[at:])
		if r >= 0x370 && r < 0x1e00 || r >= 0x3040 && r < 0xfe00 {
			head++
		} else if r >= 0xc0 && r < 0x250 {
			return // it begins in Latin letters with accents
		}
		at += n
	}
	next := d.after(from + 1)
	if head >= 4 && next < len(d.lines) && d.latinFrom(next, d.lines[next].start) {
		d.paint(next, len(d.lines), Payload)
	}
}

// latinFrom tells whether a longer text in Latin letters begins at a place on a line, and none of
// another script comes between.
func (d *draft) latinFrom(i, at int) bool {
	letters := 0
	for ; i < len(d.lines); i++ {
		for ; at < d.lines[i].end; at++ {
			switch c := d.text[at]; {
			case c >= 0xcd && c <= 0xdf || c == 0xe0 || c >= 0xe3 && c < 0xef:
				return false
			case byteClass[c]&isLetter != 0:
				if letters++; letters >= minSwitch {
					return true
				}
			}
		}
		if i+1 < len(d.lines) {
			at = d.lines[i+1].start
		}
	}
	return false
}
