package segment

import (
	"slices"
	"strings"

	"github.com/pamline/pamline/extract"
)

// draft is a message on its way to segments. Each step turns lines, or ranges of lines, from Prose
// into another kind; what is no Prose any more is left alone by the steps after it.
type draft struct {
	text  string
	lines []line
	hits  []hit
	// cuts are ranges inside lines that are no Prose, while the rest of their lines may be.
	cuts []Segment
	// quotes are those that orders point at; asked for from front to back.
	quotes quotes
	// play tells that roles are handed out to play with, not a profession to help with.
	play bool
	// Most messages are a line or two, and need no more than this.
	fewLines [3]line
	fewHits  [8]hit
}

// line is a line, or the part of one before, in or after a range of foreign text.
type line struct {
	start, end int // without the line feed
	next       int // where the next line starts
	kind       Kind
	look       look
	shape      shape
	first      int // words of the first person
	hits       [2]int
}

// body is where the words of a line begin, from its start.
func (l *line) body() int { return int(l.shape.indent) }

// hit is a phrase of the tables in the text.
type hit struct {
	start, end int
	class      class
	opens      bool // nothing but fillers and bullets stand before it on its line
}

// begin takes the steps that go before all others: lines, layout, phrases, and what is
// make-believe.
func begin(text string, opaque []extract.Span) *draft {
	d := &draft{text: text, quotes: quotes{text: text}}
	d.cutLines(foreign(text, opaque))
	d.fences()
	d.layout()
	d.findCues()
	d.roleplay()
	d.actions()
	return d
}

// finish takes the steps that are left.
func (d *draft) finish() []Segment {
	d.mails()
	d.scripts()
	d.tasks()
	d.foreignHeads()
	d.letters()
	d.introduced()
	d.pasted()
	d.quotations()
	parts := d.segments()
	d.drafts(parts)
	return parts
}

// cutLines makes the lines, none of which crosses the edge of a foreign range. The ranges are in
// order and apart.
func (d *draft) cutLines(foreign []Segment) {
	d.lines, d.hits = d.fewLines[:0], d.fewHits[:0]
	if n := 1 + min(strings.Count(d.text, "\n"), min(len(d.text), 2*edge)/8) + 2*len(foreign); n > len(d.fewLines) {
		d.lines = make([]line, 0, n)
	}
	at := 0
	for _, f := range foreign {
		at = d.addLines(at, f.Start, Prose)
		at = d.addLines(at, f.End, f.Kind)
	}
	d.addLines(at, len(d.text), Prose)
}

func (d *draft) addLines(at, end int, kind Kind) int {
	for at < end {
		l := line{start: at, end: end, next: end, kind: kind}
		if i := strings.IndexByte(d.text[at:end], '\n'); i >= 0 && kind != Pasted { // the middle is one line
			l.end, l.next = at+i, at+i+1
		}
		if kind == Prose {
			l.shape = shapeOf(d.text[l.start:l.end])
		}
		// Blank lines in a row are one.
		if n := len(d.lines); l.shape.blank && n > 0 && d.lines[n-1].shape.blank && d.lines[n-1].kind == kind {
			d.lines[n-1].end, d.lines[n-1].next = l.end, l.next
			at = l.next
			continue
		}
		d.lines = append(d.lines, l)
		at = l.next
	}
	return at
}

// of is the text of a line.
func (d *draft) of(i int) string { return d.text[d.lines[i].start:d.lines[i].end] }

// talk tells whether a line is still thought to be the person's talk and is not blank.
func (d *draft) talk(i int) bool { return d.lines[i].kind == Prose && !d.lines[i].shape.blank }

// paint turns the prose among lines [from, to) into a kind.
func (d *draft) paint(from, to int, kind Kind) {
	for i := from; i < to; i++ {
		if d.lines[i].kind == Prose {
			d.lines[i].kind = kind
		}
	}
}

// cut takes a range out of the prose of its line.
func (d *draft) cut(start, end int, kind Kind) {
	if start < end {
		d.cuts = append(d.cuts, Segment{kind, start, end})
	}
}

// hitsOf are the phrases found in a line.
func (d *draft) hitsOf(i int) []hit { return d.hits[d.lines[i].hits[0]:d.lines[i].hits[1]] }

// has tells whether a phrase of a class was found in a line.
func (d *draft) has(i int, c class) bool {
	return slices.ContainsFunc(d.hitsOf(i), func(h hit) bool { return h.class&c != 0 })
}

// paragraph is the range of lines around i without a blank one.
func (d *draft) paragraph(i int) (from, to int) {
	for from = i; from > 0 && d.talk(from-1); from-- {
	}
	for to = i + 1; to < len(d.lines) && d.talk(to); to++ {
	}
	return from, to
}

// after is the first line at or behind i that is talk; the number of lines when there is none.
func (d *draft) after(i int) int {
	for i < len(d.lines) && !d.talk(i) {
		i++
	}
	return i
}

// segments reads the kinds off the lines. Blank lines belong to what stands before them.
func (d *draft) segments() []Segment {
	slices.SortFunc(d.cuts, func(a, b Segment) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	var out []Segment
	add := func(kind Kind, start, end int) {
		switch {
		case start >= end:
		case len(out) > 0 && out[len(out)-1].Kind == kind:
			out[len(out)-1].End = end
		default:
			out = append(out, Segment{kind, start, end})
		}
	}
	c := 0
	for i := range d.lines {
		l := &d.lines[i]
		kind, at := l.kind, l.start
		if kind == Prose && l.shape.blank && len(out) > 0 {
			kind = out[len(out)-1].Kind
		}
		for ; c < len(d.cuts) && d.cuts[c].Start < l.next; c++ {
			cut := d.cuts[c]
			if kind != Prose || cut.End <= at {
				continue
			}
			cut.Start, cut.End = max(cut.Start, at), min(cut.End, l.next)
			add(Prose, at, cut.Start)
			add(cut.Kind, cut.Start, cut.End)
			at = cut.End
		}
		add(kind, at, l.next)
	}
	return out
}
