package segment

import "math"

// A text is taken for the person's own draft when it is as long as minDraft bytes and has minOwn
// words of the first person, one in each perOwn bytes at least. What is called a sentence is an
// exercise unless it is as long as minAnswer.
const (
	minDraft  = 100
	minAnswer = 200
	minOwn    = 2
	perOwn    = 200
)

// drafts finds what the person wrote about themselves and wants improved: a bio, an essay, a
// statement. The order works on a text, and nothing in it says that the text is somebody else's,
// made up, or an exercise.
func (d *draft) drafts(parts []Segment) {
	shortest := d.shortestDraft(parts)
	if d.play || shortest == 0 {
		return
	}
	for i := range parts {
		p := &parts[i]
		if p.Kind != Payload && p.Kind != Letter || p.End-p.Start < shortest || d.isSigned(p) {
			continue
		}
		if n := d.firstPersons(p.Start, p.End); n >= minOwn && n*perOwn >= p.End-p.Start {
			p.Kind = Draft
		}
	}
}

// isSigned tells whether a range is a letter: whoever signs it need not be who asks to have it
// improved.
func (d *draft) isSigned(p *Segment) bool {
	for i := range d.hits {
		if h := &d.hits[i]; h.start >= p.Start && h.end <= p.End && h.opens && h.class&(greeting|closing) != 0 {
			return true
		}
	}
	return false
}

// shortestDraft is the length in bytes from which a text may be a draft: the prose around it has an
// order to improve it, and no sign that it is not the person's own. 0: no text is.
func (d *draft) shortestDraft(parts []Segment) int {
	orders, shortest := false, minDraft
	k := 0
	for i := range d.hits {
		h := &d.hits[i]
		for k < len(parts) && parts[k].End <= h.start {
			k++
		}
		if k == len(parts) || parts[k].Kind != Prose {
			continue
		}
		if h.class&(others|fiction|role|roleAny|roleWeak|voice|lasting) != 0 {
			return 0
		}
		orders = orders || h.class&transform != 0
		if h.class&sentence != 0 {
			shortest = minAnswer
		}
	}
	if !orders {
		return 0
	}
	return shortest
}

// firstPersons counts words of the first person in a range.
func (d *draft) firstPersons(start, end int) int {
	return cues().countFirst(d.text[start:end], math.MaxInt)
}
