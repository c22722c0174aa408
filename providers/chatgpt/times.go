package chatgpt

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Where a created_at comes from when the source has no usable create_time.
const (
	fromUpdate       = "update_time"
	fromAncestor     = "ancestor"
	fromDescendant   = "descendant"
	fromConversation = "conversation"
	fromMessages     = "messages"
	fromNone         = "none"
)

// instant is a message's time with its source; "" is create_time.
type instant struct {
	t    normalize.Instant
	ok   bool
	from string
}

// readTime reads a time of the source: a number of seconds or an ISO text.
func readTime(n jsonscan.Node) (normalize.Instant, bool) {
	switch n.Kind() {
	case jsonscan.Number:
		return normalize.EpochInstant(n.Raw())
	case jsonscan.String:
		return normalize.ISOInstant(n.Str())
	}
	return normalize.Instant{}, false
}

// exactTime tells whether the source's literal is what is written back from t.
func exactTime(n jsonscan.Node, t normalize.Instant) bool {
	return n.Kind() == jsonscan.Number && t.Gives(n.Raw())
}

// messageTimes gives every emitted node a time: its own, else the nearest ancestor's, else a
// descendant's.
func (d *decoder) messageTimes(g *normalize.Graph) {
	if cap(d.times) < len(d.nodes) {
		d.times = make([]instant, len(d.nodes))
	}
	d.times = d.times[:len(d.nodes)]
	clear(d.times)
	for _, i := range g.Order {
		at := &d.times[i]
		has := &d.nodes[i].has
		at.t, at.ok = readTime(has.created)
		u, ok := readTime(has.updated)
		if ok {
			d.seen(u)
		}
		if at.ok {
			d.seen(at.t)
			continue
		}
		at.t, at.ok, at.from = u, ok, fromUpdate
		if p := g.Parent[i]; !at.ok && p >= 0 && d.times[p].ok {
			at.t, at.ok, at.from = d.times[p].t, true, fromAncestor
		}
	}
	for k := len(g.Order) - 1; k >= 0; k-- {
		at := &d.times[g.Order[k]]
		if at.ok {
			continue
		}
		g.Children(g.Order[k], func(c int32) bool {
			if d.times[c].ok {
				at.t, at.ok, at.from = d.times[c].t, true, fromDescendant
			}
			return !at.ok
		})
	}
}
