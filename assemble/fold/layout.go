package fold

import (
	"fmt"

	"github.com/pamline/pamline/pamio"
)

// layout is how one snapshot arranges its messages.
type layout struct {
	nodes  []node
	at     map[string]int // index in nodes
	linked bool
}

type node struct {
	id, parent string
	children   []string
}

func newLayout(messages []pamio.Message) *layout {
	l := &layout{nodes: make([]node, len(messages)), at: make(map[string]int, len(messages))}
	for i := range messages {
		m := &messages[i]
		l.nodes[i] = node{id: m.ID, parent: m.ParentID, children: m.ChildrenIDs}
		l.at[m.ID] = i
		l.linked = l.linked || m.ParentID != "" || len(m.ChildrenIDs) > 0
	}
	for i := range l.nodes {
		if _, ok := l.at[l.nodes[i].parent]; !ok {
			l.nodes[i].parent = ""
		}
	}
	return l
}

func (l *layout) has(id string) bool {
	_, ok := l.at[id]
	return ok
}

func (l *layout) parent(id string) string { return l.nodes[l.at[id]].parent }

// above is the nearest message above id that the other layout has as well, "" for none.
func (l *layout) above(id string, other *layout) string {
	for range l.nodes { // a cycle must not keep us here
		id = l.parent(id)
		if id == "" || other.has(id) {
			return id
		}
	}
	return ""
}

// arrange places the messages of all layouts, oldest first. Links are given for all of them when a
// layout has links, else for none.
//
// The order is that of the latest layout when it has every message. Otherwise it is depth-first
// over the links, or, in a conversation without links, the latest order with what only older
// layouts have put behind its predecessor there.
func arrange(m *merger, layouts []version[*layout]) []node {
	last := layouts[len(layouts)-1].value
	ids := union(layouts)
	linked := false
	for _, l := range layouts {
		linked = linked || l.value.linked
	}
	if !linked {
		if len(ids) != len(last.nodes) {
			ids = interleave(layouts)
		}
		out := make([]node, len(ids))
		for i, id := range ids {
			out[i].id = id
		}
		return out
	}
	t := newTree(ids, layouts)
	order := ids // starts with all of the latest
	if len(ids) != len(last.nodes) {
		order = t.depthFirst()
	}
	out := make([]node, len(order))
	for i, id := range order {
		out[i] = node{id, t.parent[id], t.children[id]}
		for _, lost := range t.lost[id] {
			m.lose(fmt.Sprintf("/messages/%d/parent_id", i), lost.order, jsonString(lost.value))
		}
	}
	return out
}

// union is every id, those of the latest layout first.
func union(layouts []version[*layout]) []string {
	var ids []string
	seen := map[string]bool{}
	for i := len(layouts) - 1; i >= 0; i-- {
		for _, n := range layouts[i].value.nodes {
			if !seen[n.id] {
				seen[n.id] = true
				ids = append(ids, n.id)
			}
		}
	}
	return ids
}

// interleave merges sequences: from the latest to the oldest, each puts its new ids behind the one
// they follow.
func interleave(layouts []version[*layout]) []string {
	var ids []string
	seen := map[string]bool{}
	for i := len(layouts) - 1; i >= 0; i-- {
		behind := map[string][]string{}
		anchor := ""
		var fresh []string
		for _, n := range layouts[i].value.nodes {
			if seen[n.id] {
				anchor = n.id
				continue
			}
			behind[anchor] = append(behind[anchor], n.id)
			fresh = append(fresh, n.id)
		}
		if len(fresh) == 0 {
			continue
		}
		next := append(make([]string, 0, len(ids)+len(fresh)), behind[""]...)
		for _, id := range ids {
			next = append(append(next, id), behind[id]...)
		}
		ids = next
		for _, id := range fresh {
			seen[id] = true
		}
	}
	return ids
}
