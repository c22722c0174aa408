package chat

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// secondsOrMillis: servers write seconds, and in some versions milliseconds.
var secondsOrMillis = localapp.SecondsOrMillis

// Maker makes the messages of one source object, in the order of what it holds.
type Maker struct {
	Object *lossless.Object
	Node   jsonscan.Node
	Role   string
	ID     string

	time, model jsonscan.Node

	b        *lossless.Builder
	files    Files
	current  *lossless.Message
	kind     kind
	made     []*lossless.Message
	primary  *lossless.Message
	sawTools []pamio.ToolCall
	waiting  map[string][]int // calls without a result, by id
}

type kind uint8

const (
	kindNone kind = iota
	kindThought
	kindAnswer
	kindTool
)

// Builder is that of the conversation.
func (m *Maker) Builder() *lossless.Builder { return m.b }

func (m *Maker) begin(k kind, role string) *lossless.Message {
	if m.kind != k || m.current == nil {
		m.current, m.kind = m.Object.Add("", role), k
		m.made = append(m.made, m.current)
	}
	return m.current
}

// Thought adds a text that the assistant thought before it answered.
func (m *Maker) Thought(text string) {
	p := m.begin(kindThought, m.Role)
	p.IsThought = true
	p.Text(text)
}

// Answer adds a text that is shown.
func (m *Maker) Answer(text string) {
	m.primary = m.begin(kindAnswer, m.Role)
	m.primary.Text(text)
}

// Result adds what a tool gave back when no call asked for it.
func (m *Maker) Result(text string) { m.begin(kindTool, normalize.RoleTool).Text(text) }

// Call adds a call of a tool to the message as a whole.
func (m *Maker) Call(c pamio.ToolCall) {
	if m.waiting == nil {
		m.waiting = map[string][]int{}
	}
	if c.Output == nil {
		m.waiting[c.ID] = append(m.waiting[c.ID], len(m.sawTools))
	}
	m.sawTools = append(m.sawTools, c)
}

// Output gives a call its result; false when there is no such call without one.
func (m *Maker) Output(id, text string) bool {
	calls := m.waiting[id]
	if len(calls) == 0 {
		return false
	}
	m.sawTools[calls[0]].Output = &text
	m.waiting[id] = calls[1:]
	return true
}

// end names the messages, and puts what belongs to all of them into the primary one: the last that
// is shown.
func (m *Maker) end() {
	if m.primary == nil {
		m.kind = kindNone
		m.primary = m.begin(kindAnswer, m.Role)
		if c := m.Node.Get("content"); c.Kind() == jsonscan.String {
			m.primary.Text(c.Str())
		}
	}
	m.Object.Primary(m.primary)
	n := 0
	for _, p := range m.made {
		if p == m.primary {
			p.ID = m.ID
			continue
		}
		if m.ID != "" {
			p.ID = m.ID + "#" + digits(n)
		}
		n++
	}
	p := m.primary
	p.Time = m.b.Time(m.time)
	p.ToolCalls = m.sawTools
	if p.Model == "" {
		p.Model = m.model.Str()
	}
	if m.Node.Get("error").Exists() && !m.Node.Get("error").IsNull() && !m.Node.Get("error").Is("") && m.Node.Get("error").Kind() != jsonscan.Bool {
		m.b.Anomalies["error_message"]++
	}
	m.attach(p)
	m.pictures(p)
}

func digits(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return digits(n/10) + digits(n%10)
}

// Answered tells whether a text that is shown was added.
func (m *Maker) Answered() bool { return m.primary != nil }
