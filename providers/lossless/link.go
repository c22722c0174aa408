package lossless

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/pamline/pamline/normalize"
)

// arrange puts the objects that have messages in order and links all messages, or none. It gives
// the order and whether it is another one than that of the source.
func (b *Builder) arrange() (order []*Object, moved bool) {
	declared, several := false, false
	nodes := make([]normalize.GraphNode, len(b.objects))
	for i, o := range b.objects {
		o.index = int32(i)
		declared = declared || o.declared != parentAbsent
		several = several || len(o.messages) > 1
	}
	for i, o := range b.objects {
		n := normalize.GraphNode{Emit: len(o.messages) > 0, Parent: normalize.NoParent}
		switch o.declared {
		case parentGiven:
			n.Parent = o.parent.index
		case parentOrphan:
			n.Parent = normalize.OrphanParent
		case parentAbsent:
			// In a graph that has links at all, what has none follows the message before it.
			if declared && i > 0 {
				n.Parent = int32(i - 1)
				b.Anomalies["parent_inferred"]++
			}
		}
		nodes[i] = n
	}
	if !declared {
		for _, o := range b.objects {
			if len(o.messages) == 0 {
				continue
			}
			if several && len(order) > 0 {
				connect(order[len(order)-1].messages, o.messages)
			}
			if several {
				chain(o.messages)
			}
			order = append(order, o)
		}
		return order, false
	}
	g := normalize.Link(nodes)
	for code, n := range g.Repairs {
		b.Anomalies[code] += n
	}
	inOrder := true
	for i, o := range b.objects {
		if len(o.messages) > 0 && g.Parent[i] > int32(i) {
			inOrder = false
		}
	}
	for _, i := range g.Order {
		o := b.objects[i]
		chain(o.messages)
		if p := g.Parent[i]; p >= 0 {
			connect(b.objects[p].messages, o.messages)
		}
		if !inOrder {
			order = append(order, o)
		}
	}
	if inOrder {
		for _, o := range b.objects {
			if len(o.messages) > 0 {
				order = append(order, o)
			}
		}
	}
	return order, !inOrder
}

// chain links the messages of one object in a line.
func chain(messages []*Message) {
	for i := 1; i < len(messages); i++ {
		connect(messages[:i], messages[i:])
	}
}

// connect hangs the first of some messages on the last of others.
func connect(above, below []*Message) {
	p, c := above[len(above)-1], below[0]
	c.ParentID = p.ID
	p.ChildrenIDs = append(p.ChildrenIDs, c.ID)
}

// name gives every message an id of its own. A repeated one keeps the provider's in
// provider_message_id.
func (b *Builder) name() {
	used := map[string]bool{}
	next := map[string]int{} // by repeated id, so that many of one id cost no more than as many others
	for i, o := range b.objects {
		for k, m := range o.messages {
			if m.ID == "" {
				m.ID = "m" + strconv.Itoa(i)
				if len(o.messages) > 1 {
					m.ID += "." + strconv.Itoa(k)
				}
			}
			if len(m.ID) > maxID {
				// Links repeat an id; one that is longer than any is kept once.
				if m == o.main() && m.ProviderMessageID == "" {
					m.ProviderMessageID = m.ID
				}
				sum := sha256.Sum256([]byte(m.ID))
				m.ID = "sha256-" + hex.EncodeToString(sum[:16])
			}
			if !used[m.ID] {
				used[m.ID] = true
				continue
			}
			b.Anomalies["duplicate_id"]++
			base := m.ID
			if m.ProviderMessageID == "" {
				m.ProviderMessageID = base
			}
			n := max(next[base], 2)
			for ; used[m.ID]; n++ {
				m.ID = base + "~" + strconv.Itoa(n)
			}
			next[base] = n
			used[m.ID] = true
		}
	}
}
