package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
)

// place is a quote that was found.
type place struct {
	window int // index in the chunk
	extract.Span
}

// proof is what the quotes of a memory come to.
type proof struct {
	evidence []normalize.Evidence
	places   []place
	doubts   doubts
}

// locateEvidence finds the quotes of a memory. Those that are not found are left out as long as one
// is; a quote that only others said voids the memory. With a reason, the evidence names the first
// turn that is one, without a span.
func (j *judge) locateEvidence(quotes []quotation) (proof, string) {
	var p proof
	var named []normalize.Evidence
	for _, q := range quotes[:min(len(quotes), maxQuotes)] {
		at := q.turn - 1
		exists := at >= 0 && at < len(j.chunk.windows)
		if exists && named == nil {
			turn := &j.chunk.turns[j.chunk.windows[at].turn]
			named = []normalize.Evidence{{Conversation: j.chunk.doc.ID, Message: turn.ID, ObservedAt: turn.ObservedAt}}
		}
		found, d := j.findQuote(at, q.quote)
		if len(found) == 0 && (!exists || !j.chunk.windows[at].evidence) {
			return proof{evidence: named}, RejectTurn
		}
		p.doubts |= d
		for _, one := range found {
			p.places = appendPlace(p.places, one)
		}
	}
	if len(p.places) == 0 {
		return proof{evidence: named}, RejectQuote
	}
	for _, one := range p.places {
		p.evidence = append(p.evidence, j.evidenceAt(one))
	}
	return p, ""
}

// evidenceAt is the evidence of a place.
func (j *judge) evidenceAt(p place) normalize.Evidence {
	w := &j.chunk.windows[p.window]
	turn := &j.chunk.turns[w.turn]
	start := w.codePoints(turn.Text, p.Start)
	quote := turn.Text[p.Start:p.End]
	return normalize.Evidence{
		Conversation: j.chunk.doc.ID, Message: turn.ID, Start: start, End: start + utf8.RuneCountInString(quote),
		Quote: quote, ObservedAt: turn.ObservedAt, AccountID: j.chunk.doc.Provider.AccountID,
	}
}

// codePoints turns a byte of a turn that the window shows into a number of code points.
func (w *window) codePoints(text string, at int) int {
	n := 0
	for _, p := range w.shown {
		if p.Start <= at {
			n = p.before + utf8.RuneCountInString(text[p.Start:at])
		}
	}
	return n
}

// appendPlace adds a place that is not in the list yet.
func appendPlace(all []place, p place) []place {
	for _, q := range all {
		if q == p {
			return all
		}
	}
	return append(all, p)
}

// findQuote looks for a quote: in the plain talk of the window that it is said to be from, in its
// drafts, across its parts, then in the other windows, and at last piece by piece. at may be
// outside the chunk.
func (j *judge) findQuote(at int, quote string) ([]place, doubts) {
	if at >= 0 && at < len(j.chunk.windows) && j.chunk.windows[at].evidence {
		w := &j.chunk.windows[at]
		text := j.chunk.turns[w.turn].Text
		if found := placesIn(at, locate(text, w.ranges(part.isOwn), quote)); found != nil {
			return found, 0
		}
		if found := placesIn(at, locate(text, w.ranges(part.isDraft), quote)); found != nil {
			return found, inDraft
		}
		if found := placesIn(at, locate(text, w.ranges(part.isHanded), quote)); found != nil {
			return found, inHanded
		}
		if found := j.findAcross(at, quote); found != nil {
			return found, partial
		}
	}
	if found, d := j.findElsewhere(at, quote); found != nil {
		return found, d | misplaced
	}
	return j.findPieces(at, quote)
}

func placesIn(at int, spans []extract.Span) []place {
	var out []place
	for _, s := range spans {
		out = append(out, place{at, s})
	}
	return out
}

// findAcross finds a quote that goes on into what the person pasted: their own part counts if it is
// most of the quote.
func (j *judge) findAcross(at int, quote string) []place {
	w := &j.chunk.windows[at]
	text := j.chunk.turns[w.turn].Text
	var out []place
	for _, s := range locate(text, w.ranges(func(part) bool { return true }), quote) {
		for _, r := range w.ranges(part.isOwn) {
			c := extract.Span{Start: max(s.Start, r.Start), End: min(s.End, r.End)}
			if 10*(c.End-c.Start) >= 6*(s.End-s.Start) {
				out = append(out, place{at, trim(text, c)})
			}
		}
	}
	return out
}

// longQuote is from how many bytes on a quote is looked for in the other turns, when the number of
// the turn is wrong: shorter ones stand in many.
const longQuote = 16

// findElsewhere finds a quote in the windows beside the one that was named.
func (j *judge) findElsewhere(at int, quote string) ([]place, doubts) {
	quote = trimQuote(quote)
	if len(quote) < longQuote {
		return nil, 0
	}
	q := foldText(quote)
	for _, v := range []struct {
		has func(part) bool
		doubts
	}{{part.isOwn, 0}, {part.isDraft, inDraft}, {part.isHanded, inHanded}} {
		for i := range j.chunk.windows {
			w := &j.chunk.windows[i]
			if i == at || !w.evidence {
				continue
			}
			text := j.chunk.turns[w.turn].Text
			for _, r := range w.ranges(v.has) {
				f := fold(text, r.Start, r.End)
				if s, ok := f.find(text, q, 0); ok {
					return []place{{i, s}}, v.doubts
				}
			}
		}
	}
	return nil, 0
}

// findPieces finds what is found of a quote with gaps ("I moved here ... with my sister"), in any
// order and any window, if that is half of it or more.
func (j *judge) findPieces(at int, quote string) ([]place, doubts) {
	pieces := splitAtGaps(quote)
	if len(pieces) < 2 || len(pieces) > maxQuotes {
		return nil, 0
	}
	var out []place
	d := partial
	all, held := 0, 0
	for _, piece := range pieces {
		all += len(piece)
		if len(piece) < longQuote {
			continue
		}
		found, more := j.findQuote(at, piece) // a piece has no gaps: this goes one level deep
		if found != nil {
			held += len(piece)
			d |= more
			out = append(out, found...)
		}
	}
	if 2*held < all {
		return nil, 0
	}
	return out, d
}

// trim takes white space off the ends of a span.
func trim(text string, s extract.Span) extract.Span {
	s.End -= len(text[s.Start:s.End]) - len(strings.TrimRightFunc(text[s.Start:s.End], unicode.IsSpace))
	s.Start += len(text[s.Start:s.End]) - len(strings.TrimLeftFunc(text[s.Start:s.End], unicode.IsSpace))
	return s
}

// ranges are the ranges of some parts. Neighbors are joined, so that a quote may lie across a cut.
func (w *window) ranges(has func(part) bool) []extract.Span {
	var out []extract.Span
	for _, p := range w.shown {
		switch n := len(out); {
		case !has(p):
		case n > 0 && out[n-1].End == p.Start:
			out[n-1].End = p.End
		default:
			out = append(out, p.Span)
		}
	}
	return out
}

// How many windows before and after a quote count as said with it: a name is mostly said once, and
// before.
const (
	nearBefore = 8
	nearAfter  = 3
)

// saidNear is what the person said around some places.
func (c chunk) saidNear(places []place) string {
	return c.textOf(func(i int) bool {
		for _, p := range places {
			if i >= p.window-nearBefore && i <= p.window+nearAfter {
				return c.windows[i].evidence
			}
		}
		return false
	}, part.isEvidence)
}

// written is all that the model was shown of what the person wrote or pasted.
func (c chunk) written() string {
	return c.textOf(func(i int) bool { return c.turns[c.windows[i].turn].Own }, func(part) bool { return true })
}

// textOf is the text of some parts of some windows.
func (c chunk) textOf(within func(window int) bool, has func(part) bool) string {
	var b strings.Builder
	for i := range c.windows {
		if !within(i) {
			continue
		}
		for _, s := range c.windows[i].ranges(has) {
			b.WriteString(c.turns[c.windows[i].turn].Text[s.Start:s.End])
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// spoken is how many characters a chunk holds that may be quoted.
func (c chunk) spoken() int {
	n := 0
	for i := range c.windows {
		if w := &c.windows[i]; w.evidence {
			for _, s := range w.ranges(part.isEvidence) {
				n += utf8.RuneCountInString(c.turns[w.turn].Text[s.Start:s.End])
			}
		}
	}
	return n
}

// isPretended tells whether one of the places lies in a turn in which the person plays a part.
func (j *judge) isPretended(places []place) bool {
	for _, p := range places {
		if j.chunk.pretends[j.chunk.windows[p.window].turn] {
			return true
		}
	}
	return false
}
