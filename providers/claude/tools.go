package claude

import (
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// What a tool gave back stands in the tool's own message, which follows that of the call; where it
// is another one, the calls name it in tool_result_ids. A short result is repeated as the output of
// its call, as long as all that is repeated in a conversation is small beside it.

// maxOutput is the length of a result that is repeated, in bytes.
const maxOutput = 512

// outputBudget is how much is repeated of a conversation, in bytes.
func outputBudget(u importer.Unit) int { return len(u.Raw) / 16 }

const (
	// noteResults lists, on a message with calls, by call: the message with its result, null for
	// none.
	noteResults = "tool_result_ids"
	// notePairing is "adjacent" on a conversation whose calls have no ids and were paired by name
	// and order.
	notePairing = "tool_pairing"
)

// calls pairs the calls of a conversation with their results.
type calls struct {
	b      *lossless.Builder
	budget int
	byID   map[string]*call
	open   map[string][]*call // of the message at hand, without an id and a result, by name
	mine   []*call            // of the message at hand
	later  []*call            // of all messages
}

func newCalls(b *lossless.Builder, budget int) *calls {
	return &calls{b: b, budget: budget, byID: map[string]*call{}, open: map[string][]*call{}}
}

// call is one use of a tool.
type call struct {
	m        *lossless.Message
	at       int               // in m.ToolCalls
	named    bool              // its message has an id of its own
	next     *lossless.Message // the one behind its own in the source message, nil for none
	result   *lossless.Message
	adjacent bool
}

// use adds a call.
func (c *calls) use(m *lossless.Message, block jsonscan.Node) {
	name := block.Get("name").Str()
	tool := pamio.ToolCall{ID: block.Get("id").Str(), Name: name, Input: inputOf(block.Get("input"))}
	if name == "" {
		tool.Name = "unknown" // PAM needs a name
	}
	m.ToolCalls = append(m.ToolCalls, tool)
	k := &call{m: m, at: len(m.ToolCalls) - 1}
	c.mine = append(c.mine, k)
	if tool.ID == "" {
		c.open[name] = append(c.open[name], k)
		return
	}
	if c.byID[tool.ID] == nil {
		c.byID[tool.ID] = k
	}
}

// result pairs a result that stands in m: by the id of its call, else with the first call of this
// name in the same message that has none yet.
func (c *calls) result(m *lossless.Message, block jsonscan.Node, text string) {
	id, name := block.Get("tool_use_id").Str(), block.Get("name").Str()
	k, adjacent := c.byID[id], false
	if waiting := c.open[name]; id == "" && len(waiting) > 0 {
		k, adjacent = waiting[0], true
		c.open[name] = waiting[1:]
	}
	if k == nil || k.result != nil {
		c.b.Anomalies["unpaired_tool_result"]++
		return
	}
	k.result, k.adjacent = m, adjacent
	if len(text) > 0 && len(text) <= min(maxOutput, c.budget) {
		c.budget -= len(text)
		k.m.ToolCalls[k.at].Output = &text
	}
}

// close ends a source message. named: its messages have ids of their own, which can be spoken of.
func (c *calls) close(o *lossless.Object, named bool) {
	i := 0
	for n, m := range o.Messages() {
		for ; i < len(c.mine) && c.mine[i].m == m; i++ {
			c.mine[i].named = named
			if n+1 < len(o.Messages()) {
				c.mine[i].next = o.Messages()[n+1]
			}
		}
	}
	c.later = append(c.later, c.mine...)
	c.mine = nil
	clear(c.open)
}

// settle writes the notes of all calls: after the last message, for a result may come later than
// its call.
func (c *calls) settle() {
	adjacent := false
	for i := 0; i < len(c.later); {
		m := c.later[i].m
		list, elsewhere := []byte{'['}, false
		for n := 0; i < len(c.later) && c.later[i].m == m; i, n = i+1, n+1 {
			k := c.later[i]
			if n > 0 {
				list = append(list, ',')
			}
			adjacent = adjacent || k.adjacent
			if k.result == nil || k.result.ID == "" || !k.named {
				list = append(list, "null"...)
				continue
			}
			elsewhere = elsewhere || k.result != k.next
			list = pamio.AppendString(list, k.result.ID)
		}
		if elsewhere {
			m.NoteJSON(noteResults, append(list, ']'))
		}
	}
	if adjacent {
		c.b.Note(notePairing, "adjacent")
	}
}
