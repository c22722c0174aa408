package fold

import "slices"

// tree is the link structure over the union of all layouts.
type tree struct {
	ids      []string
	parent   map[string]string
	children map[string][]string // "" holds the roots
	lost     map[string][]version[string]
}

func newTree(ids []string, layouts []version[*layout]) *tree {
	t := &tree{
		ids:      ids,
		parent:   make(map[string]string, len(ids)),
		children: make(map[string][]string, len(ids)),
		lost:     map[string][]version[string]{},
	}
	for _, id := range ids {
		t.attach(id, layouts)
	}
	t.cutCycles()
	t.order(layouts)
	return t
}

// attach finds the parent of a message: that of the latest layout with links which has the message.
// An older layout may know messages between the two which the later one has lost; then its finer
// link holds. A parent that contradicts is noted. A message that only layouts without links have
// follows the one before it.
func (t *tree) attach(id string, layouts []version[*layout]) {
	var from *layout
	parent := ""
	for i := len(layouts) - 1; i >= 0; i-- {
		l := layouts[i].value
		if !l.linked || !l.has(id) {
			continue
		}
		p := l.parent(id)
		switch {
		case from == nil:
			from, parent = l, p
		case p == parent:
		case l.above(id, from) == parent:
			from, parent = l, p
		case p != "":
			t.lost[id] = append(t.lost[id], version[string]{layouts[i].order, p})
		}
	}
	for i := len(layouts) - 1; i >= 0 && from == nil; i-- {
		if l := layouts[i].value; l.has(id) {
			from = l
			if at := l.at[id]; at > 0 {
				parent = l.nodes[at-1].id
			}
		}
	}
	t.parent[id] = parent
}

// cutCycles makes a root of the first message of each cycle. Snapshots that contradict each other
// can make one.
func (t *tree) cutCycles() {
	const onPath, done = 1, 2
	state := make(map[string]int, len(t.ids))
	rank := make(map[string]int, len(t.ids))
	for i, id := range t.ids {
		rank[id] = i
	}
	for _, start := range t.ids {
		var path []string
		id := start
		for id != "" && state[id] == 0 {
			state[id] = onPath
			path = append(path, id)
			id = t.parent[id]
		}
		if id != "" && state[id] == onPath {
			cycle := path[slices.Index(path, id):]
			first := slices.MinFunc(cycle, func(a, b string) int { return rank[a] - rank[b] })
			t.lost[first] = append(t.lost[first], version[string]{"", t.parent[first]})
			t.parent[first] = ""
		}
		for _, id := range path {
			state[id] = done
		}
	}
}

// order lists the children of each message: in the sibling order of the latest layout that has
// them, then those that only older ones know.
func (t *tree) order(layouts []version[*layout]) {
	placed := make(map[string]bool, len(t.ids))
	place := func(parent, id string) {
		if actual, ok := t.parent[id]; ok && actual == parent && !placed[id] {
			placed[id] = true
			t.children[parent] = append(t.children[parent], id)
		}
	}
	for i := len(layouts) - 1; i >= 0; i-- {
		for _, n := range layouts[i].value.nodes {
			if n.parent == "" {
				place("", n.id)
			}
			for _, child := range n.children {
				place(n.id, child)
			}
		}
	}
	for _, id := range t.ids {
		place(t.parent[id], id)
	}
}

// depthFirst lists all messages, each behind its parent and the subtrees of its elder siblings.
// Threads can be thousands of messages deep, so there is no recursion.
func (t *tree) depthFirst() []string {
	out := make([]string, 0, len(t.ids))
	push := func(stack, ids []string) []string {
		for i := len(ids) - 1; i >= 0; i-- {
			stack = append(stack, ids[i])
		}
		return stack
	}
	for stack := push(nil, t.children[""]); len(stack) > 0; {
		id := stack[len(stack)-1]
		stack = push(stack[:len(stack)-1], t.children[id])
		out = append(out, id)
	}
	return out
}
