package segment

// minPasted is the length in bytes from which a text without a word of the first person is taken
// for another's.
const minPasted = 700

// pasted finds long texts in which nobody says I for the first lines. A person who writes much
// about something begins with a question or with themselves.
func (d *draft) pasted() {
	from := d.after(0)
	if from == len(d.lines) {
		return
	}
	if d.isHead(from) {
		_, to := d.paragraph(from)
		if d.lines[to-1].end-d.lines[from].start > 600 {
			to = from + 1
		}
		from = d.after(to)
	}
	for from < len(d.lines) {
		_, to := d.paragraph(from)
		l := d.lines[from]
		tail := d.tail(from)
		end := min(tail, len(d.lines)) - 1
		if d.lines[end].end-l.start < minPasted {
			return
		}
		if d.lines[to-1].end-l.start >= 250 && d.impersonal(from, to) {
			d.paint(from, tail, Pasted)
			return
		}
		from = d.after(to)
	}
}

// impersonal tells whether a paragraph has no word of the first person and does not speak to the
// assistant.
func (d *draft) impersonal(from, to int) bool {
	letters, foreign := int32(0), int32(0)
	for i := from; i < to; i++ {
		if d.lines[i].first > 0 || d.has(i, talk|transform|compose) {
			return false
		}
		letters += d.lines[i].shape.letters
		foreign += d.lines[i].shape.foreign
	}
	// Of languages that are not written in plain Latin letters there are no words of the first
	// person to miss.
	return foreign*6 <= letters
}
