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

// evidence finds the quotes of a memory. Those that are not found are left out as long as one is; a quote of a turn that is
// not the person's own voids the memory. With a reason, the evidence names the first turn that is one, without a span.
func (j *judge) evidence(quotes []quotation) ([]normalize.Evidence, []place, string) {
	var found []place
	var named []normalize.Evidence
	for _, q := range quotes[:min(len(quotes), maxQuotes)] {
		i := q.turn - 1
		if i < 0 || i >= len(j.chunk.windows) {
			return named, nil, RejectTurn
		}
		w := &j.chunk.windows[i]
		turn := &j.chunk.turns[w.turn]
		if named == nil {
			named = []normalize.Evidence{{Conversation: j.chunk.doc.ID, Message: turn.ID, ObservedAt: turn.ObservedAt}}
		}
		if !w.evidence {
			return named, nil, RejectTurn
		}
		for _, s := range j.find(i, q.quote) {
			found = appendPlace(found, s)
		}
	}
	if len(found) == 0 {
		return named, nil, RejectQuote
	}
	evidence := make([]normalize.Evidence, len(found))
	for i, p := range found {
		w := &j.chunk.windows[p.window]
		turn := &j.chunk.turns[w.turn]
		start := w.codePoints(turn.Text, p.Start)
		quote := turn.Text[p.Start:p.End]
		evidence[i] = normalize.Evidence{
			Conversation: j.chunk.doc.ID, Message: turn.ID, Start: start, End: start + utf8.RuneCountInString(quote), Quote: quote,
			ObservedAt: turn.ObservedAt, AccountID: j.chunk.doc.Provider.AccountID,
		}
	}
	return evidence, found, ""
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

// longQuote is from how many bytes on a quote is looked for in the other turns, when the number of the turn is wrong: shorter
// ones stand in many.
const longQuote = 16

// find looks for a quote in the window that it is said to be from, then as it is in the other windows with evidence. Of a quote
// that goes on into what the person pasted, their own part counts if it is most of it.
func (j *judge) find(at int, quote string) []place {
	var out []place
	w := &j.chunk.windows[at]
	text := j.chunk.turns[w.turn].Text
	own := w.prose()
	for _, s := range locate(text, own, quote) {
		out = append(out, place{at, s})
	}
	if len(out) > 0 {
		return out
	}
	for _, s := range locate(text, w.joined(func(part) bool { return true }), quote) {
		for _, r := range own {
			if c := (extract.Span{Start: max(s.Start, r.Start), End: min(s.End, r.End)}); 10*(c.End-c.Start) >= 6*(s.End-s.Start) {
				out = append(out, place{at, trim(text, c)})
			}
		}
	}
	if len(out) > 0 || len(quote) < longQuote {
		return out
	}
	for i := range j.chunk.windows {
		other := &j.chunk.windows[i]
		if i == at || !other.evidence {
			continue
		}
		text := j.chunk.turns[other.turn].Text
		for _, r := range other.prose() {
			if s, ok := exact(text, r, strings.TrimSpace(quote)); ok {
				return []place{{i, s}}
			}
		}
	}
	return nil
}

// trim takes white space off the ends of a span.
func trim(text string, s extract.Span) extract.Span {
	s.End -= len(text[s.Start:s.End]) - len(strings.TrimRightFunc(text[s.Start:s.End], unicode.IsSpace))
	s.Start += len(text[s.Start:s.End]) - len(strings.TrimLeftFunc(text[s.Start:s.End], unicode.IsSpace))
	return s
}

// prose are the ranges of a window that are evidence.
func (w *window) prose() []extract.Span {
	return w.joined(func(p part) bool { return p.prose })
}

// joined are the ranges of some parts. Neighbours are joined, so that a quote may lie across a cut.
func (w *window) joined(take func(part) bool) []extract.Span {
	var out []extract.Span
	for _, p := range w.shown {
		switch n := len(out); {
		case !take(p):
		case n > 0 && out[n-1].End == p.Start:
			out[n-1].End = p.End
		default:
			out = append(out, p.Span)
		}
	}
	return out
}

// How many windows before and after a quote count as said with it: a name is mostly said once, and before.
const (
	nearBefore = 8
	nearAfter  = 3
)

// near is what the person said around some places.
func (c chunk) near(places []place) string {
	var b strings.Builder
	for i := range c.windows {
		w := &c.windows[i]
		beside := false
		for _, p := range places {
			beside = beside || i >= p.window-nearBefore && i <= p.window+nearAfter
		}
		if !beside || !w.evidence {
			continue
		}
		for _, s := range w.prose() {
			b.WriteString(c.turns[w.turn].Text[s.Start:s.End])
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// spoken is how many characters of the person's own words a chunk holds.
func (c chunk) spoken() int {
	n := 0
	for i := range c.windows {
		if w := &c.windows[i]; w.evidence {
			for _, s := range w.prose() {
				n += utf8.RuneCountInString(c.turns[w.turn].Text[s.Start:s.End])
			}
		}
	}
	return n
}

// pretended tells whether one of the places lies in a turn in which the person plays a part.
func (j *judge) pretended(places []place) bool {
	for _, p := range places {
		if j.chunk.pretends[j.chunk.windows[p.window].turn] {
			return true
		}
	}
	return false
}
