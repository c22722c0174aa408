package localapp

import (
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/providers/lossless"
)

// Turn writes the messages of one turn of a conversation, of which one is the answer and the others
// are what it took to get there: thoughts, results of tools, earlier words. Blocks of one kind that
// follow each other are one message.
type Turn struct {
	// Time is that of the blocks that follow; zero for none.
	Time normalize.Instant

	object *lossless.Object
	role   string
	last   *lossless.Message
	added  []*lossless.Message
}

// NewTurn starts a turn of an object.
func NewTurn(o *lossless.Object, role string) *Turn { return &Turn{object: o, role: role} }

// Say gives the message that the next words belong to.
func (t *Turn) Say() *lossless.Message { return t.open(t.role, false) }

// Think gives the message that the next thoughts belong to.
func (t *Turn) Think() *lossless.Message { return t.open(t.role, true) }

// Block is Think for thoughts and Say for anything else.
func (t *Turn) Block(thought bool) *lossless.Message { return t.open(t.role, thought) }

// Result starts the message of a tool's result.
func (t *Turn) Result() *lossless.Message {
	t.last = nil
	return t.open(normalize.RoleTool, false)
}

func (t *Turn) open(role string, thought bool) *lossless.Message {
	if t.last == nil || t.last.Role != role || t.last.IsThought != thought {
		t.last = t.object.Add("", role)
		t.last.IsThought = thought
		t.added = append(t.added, t.last)
	}
	if t.last.Time == normalize.Epoch {
		t.last.Time = t.Time
	}
	return t.last
}

// End names the messages and gives the answer, which is the last thing said, and their number. The
// answer has the id, the others id#0, id#1 …; with an empty id the engine names them. A turn of
// nothing is an empty message.
func (t *Turn) End(id string) (answer *lossless.Message, messages int) {
	if len(t.added) == 0 {
		t.Say()
	}
	answer = t.added[len(t.added)-1]
	for _, m := range t.added {
		if !m.IsThought && m.Role == t.role {
			answer = m
		}
	}
	k := 0
	for _, m := range t.added {
		switch {
		case id == "":
		case m == answer:
			m.ID = id
		default:
			m.ID = id + "#" + strconv.Itoa(k)
			k++
		}
	}
	t.object.Primary(answer)
	return answer, len(t.added)
}
