package segment

import "github.com/pamline/pamline/extract"

// Frame follows a conversation and tells whether it is make-believe: once the person has handed out roles it stays so
// until they leave it. A profession given to the assistant ("act as a translator") is no make-believe: the person stays who
// they are. The zero value is ready; it is for one conversation and one goroutine.
type Frame struct {
	pretending bool
}

// See takes in a turn, in order. A turn changes the frame that it stands in itself. Only the person's turns do; an
// assistant offers roles that nobody has to take.
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
	for i := range d.hits {
		if d.hits[i].class&leave != 0 {
			f.pretending = false
			return
		}
	}
	f.pretending = f.pretending || d.play
}

// Pretending tells whether the turn that was taken in last is make-believe.
func (f *Frame) Pretending() bool { return f.pretending }
