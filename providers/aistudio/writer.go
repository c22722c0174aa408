package aistudio

import (
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/lossless"
)

// writer makes the messages of one chunk one after the other.
type writer struct {
	o      *lossless.Object
	id     string
	role   string
	thinks bool // the chunk is a thought as a whole
	ran    bool // there was code, or what it wrote

	last   *lossless.Message
	answer *lossless.Message // the last one that is neither a thought nor of the tool
}

// next begins a message, whose id is that of the chunk with a number until primary gives it the
// chunk's own.
func (w *writer) next(role string, thought bool) *lossless.Message {
	w.last = w.o.Add(w.id+"#"+strconv.Itoa(len(w.o.Messages())), role)
	w.last.IsThought = thought
	if role == w.role && thought == w.thinks {
		w.answer = w.last
	}
	return w.last
}

// text goes on with the message before if that is of the same kind.
func (w *writer) text(text string, thought bool) {
	thought = thought || w.thinks
	if w.last == nil || w.last.Role != w.role || w.last.IsThought != thought || len(w.last.ToolCalls) > 0 {
		w.next(w.role, thought)
	}
	w.last.Text(text)
}

func (w *writer) call(c pamio.ToolCall) {
	w.ran = true
	if w.last == nil || w.last.Role != w.role || w.last.IsThought != w.thinks {
		w.next(w.role, w.thinks)
	}
	w.last.ToolCalls = append(w.last.ToolCalls, c)
}

func (w *writer) result(output string) {
	w.ran = true
	w.next(normalize.RoleTool, false).Text(output)
}

// primary gives the message that stands for the chunk: the last answer, else the last message, else
// an empty one.
func (w *writer) primary() *lossless.Message {
	m := w.answer
	if m == nil {
		m = w.last
	}
	if m == nil {
		m = w.next(w.role, w.thinks)
	}
	m.ID = w.id
	w.o.Primary(m)
	return m
}
