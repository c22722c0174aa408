package segment

import "strings"

// fences finds blocks between ``` or ~~~; one that is not closed goes on to the end.
func (d *draft) fences() {
	open := -1
	var mark byte
	for i := range d.lines {
		l := &d.lines[i]
		if l.kind != Prose {
			continue
		}
		s := strings.TrimLeft(d.of(i), " \t")
		fence := len(s) >= 3 && (s[0] == '`' || s[0] == '~') && s[1] == s[0] && s[2] == s[0]
		switch {
		case open < 0 && fence && strings.Count(s, s[:3]) == 1:
			open, mark = i, s[0]
		case open >= 0 && fence && s[0] == mark:
			d.paint(open, i+1, Code)
			open = -1
		}
	}
	if open >= 0 {
		d.paint(open, len(d.lines), Code)
	}
}

// layout finds what shows by its form alone, line by line: first what each line looks like, then
// runs of such lines.
func (d *draft) layout() {
	var seen look
	for i := range d.lines {
		if d.talk(i) {
			l := &d.lines[i]
			l.look = lookOf(d.of(i), l.shape)
			seen |= l.look
		}
	}
	for _, r := range [...]struct {
		kind   Kind
		sign   look
		weight int // what a run has to reach; a line that is certain counts 3, any other 1
		gap    int // blank or doubtful lines that do not end a run
	}{
		{Log, logLine, 3, 6},
		{Pasted, chatLine, 2, 3},
		{Quote, quoteLine, 1, 0},
		{Code, codeLine, 3, 4},
		{Table, tableLine, 2, 1},
	} {
		if seen&r.sign != 0 {
			d.runs(r.kind, r.sign, r.weight, r.gap)
		}
	}
}

// runs paints stretches of lines that look alike.
func (d *draft) runs(kind Kind, sign look, need, gap int) {
	start, end, weight := -1, 0, 0
	flush := func() {
		if start >= 0 && weight >= need {
			for kind == Code && end < len(d.lines) && d.lines[end].look&maybe != 0 && d.lines[end].shape.indent >= 2 {
				end++ // the last lines of a block may be plain words
			}
			d.paint(start, end, kind)
		}
		start, weight = -1, 0
	}
	for i := range d.lines {
		l := d.lines[i].look
		if d.lines[i].kind != Prose {
			flush()
			continue
		}
		if l&sign == 0 {
			// Plain words end a run at once; what may belong to it waits for the next sure line.
			if start >= 0 && (i-end >= gap || !d.lines[i].shape.blank && l&maybe == 0) {
				flush()
			}
			continue
		}
		if start < 0 {
			start = i
		}
		end = i + 1
		weight++
		if l&certain != 0 {
			weight += 2
		}
	}
	flush()
}
