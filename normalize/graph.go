package normalize

// Declared parents that are no index of a node.
const (
	NoParent     = -1 // the source says: a root
	OrphanParent = -2 // the source names a node that is not there
	ParentAbsent = -3 // the source says nothing
)

// GraphNode is one node of a message graph as a source declares it. Indexes are those of the slice
// given to Link.
type GraphNode struct {
	Parent   int32
	Children []int32 // declared, without those that do not exist; nil when there are none
	Emit     bool    // carries a message; others are only structure
}

// Graph is the forest of the nodes that carry messages.
type Graph struct {
	// Order lists the emitted nodes depth first, siblings in their declared order.
	Order []int32
	// Parent is the nearest emitted ancestor of each node, -1 for none.
	Parent []int32
	// Direct is the parent of each node after repairs, structural nodes included, -1 for none.
	Direct []int32
	// Repairs, by code: orphan_parent, self_parent, parent_from_children, cycle_cut.
	Repairs map[string]int

	head, next []int32 // emitted children as linked lists
}

// Children yields the emitted children of an emitted node in order.
func (g *Graph) Children(n int32, yield func(int32) bool) {
	for c := g.head[n]; c >= 0; c = g.next[c] {
		if !yield(c) {
			return
		}
	}
}

// Link makes a forest of whatever a source declares: an unknown parent and a node that is its own
// parent become roots, a missing parent is taken from the lists of children, a cycle is cut above
// the node that comes first, and the children of a node without a message hang on the nearest
// ancestor that has one. It takes time and memory linear in nodes and edges, whatever the depth.
func Link(nodes []GraphNode) *Graph {
	n := len(nodes)
	g := &Graph{Repairs: map[string]int{}}
	block := make([]int32, 5*n)
	g.Direct, g.Parent, g.head, g.next = block[:n:n], block[n:2*n:2*n], block[2*n:3*n:3*n], block[3*n:4*n:4*n]
	g.Order = block[4*n : 4*n : 5*n]
	g.adopt(nodes)
	g.cut()
	full := siblings(nodes, g.Direct)
	g.emit(nodes, full)
	return g
}

// adopt settles each node's parent.
func (g *Graph) adopt(nodes []GraphNode) {
	missing := false
	for i, n := range nodes {
		p := n.Parent
		switch {
		case p == int32(i):
			g.Repairs["self_parent"]++
			p = NoParent
		case p == OrphanParent:
			g.Repairs["orphan_parent"]++
			p = NoParent
		case p == ParentAbsent:
			missing = true
		}
		g.Direct[i] = p
	}
	if !missing {
		return
	}
	for i, n := range nodes {
		for _, c := range n.Children {
			if g.Direct[c] == ParentAbsent && c != int32(i) {
				g.Direct[c] = int32(i)
				g.Repairs["parent_from_children"]++
			}
		}
	}
	for i, p := range g.Direct {
		if p == ParentAbsent {
			g.Direct[i] = NoParent
		}
	}
}

// cut breaks cycles: of the nodes on a cycle, the one that comes first in the source becomes a
// root.
func (g *Graph) cut() {
	const (
		unseen = iota
		onPath
		done
	)
	colour := make([]uint8, len(g.Direct))
	for i := range g.Direct {
		at := int32(i)
		for at >= 0 && colour[at] == unseen {
			colour[at] = onPath
			at = g.Direct[at]
		}
		first := int32(-1)
		if at >= 0 && colour[at] == onPath {
			first = at
			for c := g.Direct[at]; c != at; c = g.Direct[c] {
				first = min(first, c)
			}
		}
		for at := int32(i); at >= 0 && colour[at] == onPath; at = g.Direct[at] {
			colour[at] = done
		}
		if first >= 0 {
			g.Direct[first] = NoParent
			g.Repairs["cycle_cut"]++
		}
	}
}

// lists are linked lists of children over the nodes' indexes.
type lists struct{ head, tail, next []int32 }

// siblings gives every node its children: the declared ones first, in their order, then the rest in
// source order.
func siblings(nodes []GraphNode, parent []int32) lists {
	n := len(nodes)
	block := make([]int32, 3*n)
	for i := range block {
		block[i] = -1
	}
	l := lists{block[:n], block[n : 2*n], block[2*n:]}
	placed := make([]bool, n)
	add := func(p, c int32) {
		placed[c] = true
		if l.head[p] < 0 {
			l.head[p] = c
		} else {
			l.next[l.tail[p]] = c
		}
		l.tail[p] = c
	}
	for i, node := range nodes {
		for _, c := range node.Children {
			if parent[c] == int32(i) && !placed[c] {
				add(int32(i), c)
			}
		}
	}
	for i := range nodes {
		if p := parent[i]; p >= 0 && !placed[i] {
			add(p, int32(i))
		}
	}
	return l
}

// emit walks the forest depth first without recursion.
func (g *Graph) emit(nodes []GraphNode, full lists) {
	tail := make([]int32, len(nodes))
	for i := range nodes {
		g.head[i], g.next[i], g.Parent[i], tail[i] = -1, -1, -1, -1
	}
	visit := func(i int32) {
		if p := g.Direct[i]; p >= 0 {
			if nodes[p].Emit {
				g.Parent[i] = p
			} else {
				g.Parent[i] = g.Parent[p]
			}
		}
		if !nodes[i].Emit {
			return
		}
		g.Order = append(g.Order, i)
		if p := g.Parent[i]; p >= 0 {
			if g.head[p] < 0 {
				g.head[p] = i
			} else {
				g.next[tail[p]] = i
			}
			tail[p] = i
		}
	}
	for root := range nodes {
		if g.Direct[root] >= 0 {
			continue
		}
		at := int32(root)
		visit(at)
		for {
			if c := full.head[at]; c >= 0 {
				at = c
				visit(at)
				continue
			}
			for at != int32(root) && full.next[at] < 0 {
				at = g.Direct[at]
			}
			if at == int32(root) {
				break
			}
			at = full.next[at]
			visit(at)
		}
	}
}
