package llm

import (
	"unicode/utf8"

	"github.com/pamline/pamline/extract"
)

// How many characters of a turn a model is shown.
const (
	maxAssistant = 400  // of a turn that is context
	maxWindow    = 2000 // of the person's turn at a time; a longer one becomes several windows
	maxForeign   = 200  // of what the person pasted, each piece
	maxDraft     = 1500 // of a text that the person wants worked on
)

// longest is how many characters of a part are shown. Plain talk has no limit.
var longest = map[voice]int{foreign: maxForeign, handed: maxDraft, draft: maxDraft}

// window is what a model is shown of one turn: ranges of its text, with what lies between them left
// out.
type window struct {
	turn int // index in the talk
	// evidence tells that words are in it from which quotes may be taken: plain talk, or a draft.
	evidence bool
	shown    []part
}

// windows cuts one turn. A turn of the person gives one or more windows without a word of their own
// talk left out; any other turn gives its beginning.
func windows(turns []extract.Turn, index int, parts []part) []window {
	t := &turns[index]
	if !t.Own {
		head := extract.Span{End: cutAt(t.Text, bytesOf(t.Text, maxAssistant))}
		return []window{{turn: index, shown: []part{{Span: head}}}}
	}
	var all []window
	w := window{turn: index}
	room := maxWindow
	flush := func() {
		if len(w.shown) > 0 {
			all = append(all, w)
		}
		w, room = window{turn: index}, maxWindow
	}
	at, before := 0, 0
	for _, p := range parts {
		before += utf8.RuneCountInString(t.Text[at:p.Start])
		at, p.before = p.Start, before
		if most, limited := longest[p.voice]; limited {
			p.End = p.Start + cutAt(t.Text[p.Start:p.End], bytesOf(t.Text[p.Start:p.End], most))
		}
		for p.Start < p.End {
			if room <= maxForeign {
				flush()
			}
			text := t.Text[p.Start:p.End]
			head, tail := p.cut(t.Text, p.Start+cutAt(text, bytesOf(text, room)))
			text = t.Text[head.Start:head.End]
			w.shown = append(w.shown, head)
			w.evidence = w.evidence || p.isEvidence() && saysSomething(text)
			room -= tail.before - head.before
			p = tail
		}
	}
	flush()
	return all
}

// halves divides a window with evidence in two, at a good place near its middle. ok is false when
// it is too short for that.
func (w window) halves(text string) (a, b window, ok bool) {
	total := 0
	for _, p := range w.shown {
		total += p.End - p.Start
	}
	if total < minHalf*2 {
		return a, b, false
	}
	a, b = window{turn: w.turn}, window{turn: w.turn}
	left := total / 2
	for _, p := range w.shown {
		size := p.End - p.Start
		switch {
		case left <= 0:
			b.shown = append(b.shown, p)
		case size <= left:
			a.shown = append(a.shown, p)
		default:
			head, tail := p.cut(text, p.Start+cutAt(text[p.Start:p.End], left))
			if head.End > head.Start {
				a.shown = append(a.shown, head)
			}
			if tail.End > tail.Start {
				b.shown = append(b.shown, tail)
			}
		}
		left -= size
	}
	for _, h := range [...]*window{&a, &b} {
		for _, p := range h.shown {
			h.evidence = h.evidence || p.isEvidence() && saysSomething(text[p.Start:p.End])
		}
	}
	return a, b, len(a.shown) > 0 && len(b.shown) > 0
}

// minHalf is the least number of bytes in a half: what is shorter is not divided.
const minHalf = 250
