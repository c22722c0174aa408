package claude

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// kind is what a block is a part of.
type kind uint8

const (
	aside   kind = iota // nothing that is said: it stays in raw_metadata
	said                // the turn of whoever sent the message
	thought             // what the assistant thought before it
	result              // what a tool gave back
	heard               // what the person said into the assistant's turn
)

// segment is a run of blocks of one kind, which becomes one message.
type segment struct {
	kind   kind
	blocks []jsonscan.Node
}

// cutSegments divides the blocks of a message into runs. Blocks aside do not end one.
func cutSegments(blocks jsonscan.Node, kindOf func(jsonscan.Node) kind) []segment {
	var out []segment
	for block := range blocks.Items() {
		k := kindOf(block)
		if k == aside {
			continue
		}
		if len(out) == 0 || out[len(out)-1].kind != k {
			out = append(out, segment{kind: k})
		}
		last := &out[len(out)-1]
		last.blocks = append(last.blocks, block)
	}
	return out
}

// addSegments makes a message of each segment; there is at least one. It gives the one that is the
// source message's own, and fills the others with what add puts into them.
func addSegments(o *lossless.Object, uuid, role string, segments []segment, add func(m *lossless.Message, s segment)) (main *lossless.Message) {
	if len(segments) == 0 {
		return o.Add(uuid, role)
	}
	own := len(segments) - 1
	for i, s := range segments {
		if s.kind == said {
			own = i
		}
	}
	if segments[own].kind != said {
		own = len(segments) - 1
	}
	others := 0
	for i, s := range segments {
		id := uuid
		if i != own {
			id = otherID(uuid, others)
			others++
		}
		m := o.Add(id, role)
		switch s.kind {
		case thought:
			m.IsThought = true
		case result:
			m.Role = normalize.RoleTool
		case heard:
			m.Role = normalize.RoleUser
		}
		if i == own {
			main = m
			o.Primary(m)
		}
		add(m, s)
	}
	return main
}

// date gives the time of a source message to its own message and to those made of it that have
// none.
func date(o *lossless.Object, main *lossless.Message, t normalize.Instant) {
	main.Time = t
	for _, m := range o.Messages() {
		if m.Time == normalize.Epoch {
			m.Time = t
		}
	}
}

// sameText tells whether a text that stands beside the blocks of a message repeats the thoughts,
// too. The engine takes it out by itself when it repeats what was said alone.
func sameText(o *lossless.Object, text jsonscan.Node) bool {
	if text.Kind() != jsonscan.String {
		return false
	}
	rest, thoughts := text.Str(), false
	for _, m := range o.Messages() {
		if m.Role == normalize.RoleTool || m.Content == nil {
			continue
		}
		thoughts = thoughts || m.IsThought
		var ok bool
		if rest, ok = cutTexts(rest, m); !ok {
			return false
		}
	}
	return rest == "" && thoughts
}

// cutTexts takes the texts of a message from the front.
func cutTexts(rest string, m *lossless.Message) (string, bool) {
	texts := []*string{m.Content.Text}
	for _, p := range m.Content.Parts {
		texts = append(texts, p.Text)
	}
	for _, t := range texts {
		if t == nil {
			continue
		}
		if len(rest) < len(*t) || rest[:len(*t)] != *t {
			return rest, false
		}
		rest = rest[len(*t):]
	}
	return rest, true
}
