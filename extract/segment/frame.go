package segment

import (
	"slices"

	"github.com/pamline/pamline/extract"
)

// Frame follows a conversation and tells whether it is make-believe: once the person has handed out
// roles it stays so until they leave it. A profession given to the assistant ("act as a
// translator") is no make-believe: the person stays who they are. An order that lasts ("from now on
// correct everything I write") makes an exercise of the bare sentences that follow, until the
// person asks for something else. The zero value is ready; it is for one conversation and one
// goroutine.
type Frame struct {
	pretending bool
	working    bool // an order that lasts was given
	exercise   bool // and the last turn is a text to be worked on
	asks       bool // the last turn gives an order
	self       bool // the last turn has a word of the first person
}

// Begun is a turn of the person that was looked at once and is cut later. Each is for one
// [Frame.Finish].
type Begun struct{ draft *draft }

// Begin is See, and what was found out about the turn is kept, so that cutting it finds out no more
// than the rest. It is for turns without opaque parts.
func (f *Frame) Begin(text string) Begun {
	b := Begun{begin(text, nil)}
	f.take(b.draft)
	return b
}

// Finish is Cut of a turn that another frame has begun.
func (f *Frame) Finish(b Begun) []Segment {
	f.take(b.draft)
	return b.draft.finish()
}

// See takes in a turn, in order. A turn changes the frame that it stands in itself. Only the
// person's turns do; an assistant offers roles that nobody has to take.
func (f *Frame) See(role, text string) {
	if role == "user" && text != "" {
		f.take(begin(text, nil))
	}
}

// Cut is See and Message of one turn of the person, for little more than the price of one.
func (f *Frame) Cut(text string, opaque []extract.Span) []Segment {
	if text == "" {
		return nil
	}
	d := begin(text, opaque)
	f.take(d)
	return d.finish()
}

func (f *Frame) take(d *draft) {
	if d.hitOf(leave) {
		*f = Frame{}
		return
	}
	f.pretending = f.pretending || d.play
	f.asks = d.hitOf(transform | compose | command)
	f.self = slices.ContainsFunc(d.lines, func(l line) bool { return l.first > 0 })
	f.exercise = false
	switch _, _, lasts := d.lastingOrder(); {
	case lasts:
		f.working = true
	case d.hitOf(talk | compose | command):
		f.working = false
	default:
		// What is to be translated this time only is cut out as such; the rest of that turn is
		// talk.
		f.exercise = f.working && !d.hitOf(transform)
	}
}

// Pretending tells whether the turn that was taken in last is make-believe, or an exercise.
func (f *Frame) Pretending() bool { return f.pretending || f.exercise }

// Asks tells whether the turn that was taken in last gives an order: to write, to translate, to
// explain.
func (f *Frame) Asks() bool { return f.asks }

// Self tells whether the turn that was taken in last has a word of the first person.
func (f *Frame) Self() bool { return f.self }
