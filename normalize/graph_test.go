package normalize

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func children(g *Graph, n int32) []int32 {
	var out []int32
	g.Children(n, func(c int32) bool { out = append(out, c); return true })
	return out
}

func TestLink(t *testing.T) {
	emit := func(parent int32, kids ...int32) GraphNode {
		return GraphNode{Parent: parent, Children: kids, Emit: true}
	}
	bare := func(parent int32, kids ...int32) GraphNode { return GraphNode{Parent: parent, Children: kids} }
	for _, c := range []struct {
		name    string
		nodes   []GraphNode
		order   []int32
		parent  []int32
		repairs map[string]int
	}{
		{"parent after its child", []GraphNode{emit(1), emit(NoParent, 0)}, []int32{1, 0}, []int32{1, -1}, nil},
		{"declared order of siblings", []GraphNode{emit(NoParent, 2, 1), emit(0), emit(0)}, []int32{0, 2, 1}, []int32{-1, 0, 0}, nil},
		{"undeclared siblings come last", []GraphNode{emit(NoParent, 2), emit(0), emit(0)}, []int32{0, 2, 1}, []int32{-1, 0, 0}, nil},
		{"node without a message between", []GraphNode{emit(NoParent, 1), bare(0, 2), emit(1)}, []int32{0, 2}, []int32{-1, 0, 0}, nil},
		{"siblings keep their place across structure", []GraphNode{emit(NoParent, 1, 2), bare(0, 3, 4), emit(0), emit(1), emit(1)}, []int32{0, 3, 4, 2}, []int32{-1, 0, 0, 0, 0}, nil},
		{"root without a message", []GraphNode{bare(NoParent, 1), emit(0)}, []int32{1}, []int32{-1, -1}, nil},
		{"orphan", []GraphNode{emit(OrphanParent)}, []int32{0}, []int32{-1}, map[string]int{"orphan_parent": 1}},
		{"self", []GraphNode{emit(0, 0)}, []int32{0}, []int32{-1}, map[string]int{"self_parent": 1}},
		{"parent from children", []GraphNode{emit(NoParent, 1), emit(ParentAbsent)}, []int32{0, 1}, []int32{-1, 0}, map[string]int{"parent_from_children": 1}},
		{"cycle with a tail", []GraphNode{emit(2), emit(0), emit(1), emit(2)}, []int32{0, 1, 2, 3}, []int32{-1, 0, 1, 2}, map[string]int{"cycle_cut": 1}},
		{"tail before its cycle", []GraphNode{emit(2), emit(2), emit(1)}, []int32{1, 2, 0}, []int32{2, -1, 1}, map[string]int{"cycle_cut": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := Link(c.nodes)
			if !slices.Equal(g.Order, c.order) || !slices.Equal(g.Parent, c.parent) {
				t.Errorf("order %v parents %v, want %v %v", g.Order, g.Parent, c.order, c.parent)
			}
			for code, n := range c.repairs {
				if g.Repairs[code] != n {
					t.Errorf("repairs %v, want %v", g.Repairs, c.repairs)
				}
			}
			if len(g.Repairs) != len(c.repairs) {
				t.Errorf("repairs %v, want %v", g.Repairs, c.repairs)
			}
		})
	}
}

func TestLinkMakesAForestOfAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		n := 1 + r.IntN(12)
		nodes := make([]GraphNode, n)
		for i := range nodes {
			nodes[i] = GraphNode{Parent: int32(r.IntN(n+3)) - 3, Emit: r.IntN(4) > 0}
			for range r.IntN(4) {
				nodes[i].Children = append(nodes[i].Children, int32(r.IntN(n)))
			}
		}
		g := Link(nodes)
		seen := map[int32]bool{}
		for _, i := range g.Order {
			if p := g.Parent[i]; p >= 0 && (!seen[p] || !slices.Contains(children(g, p), i)) {
				t.Fatalf("node %d before its parent %d, or not among its children: %v", i, p, nodes)
			}
			if seen[i] || !nodes[i].Emit {
				t.Fatalf("node %d twice or without a message: %v", i, nodes)
			}
			seen[i] = true
			for _, c := range children(g, i) {
				if g.Parent[c] != i {
					t.Fatalf("child %d of %d hangs on %d", c, i, g.Parent[c])
				}
			}
		}
		for i, node := range nodes {
			if node.Emit && !seen[int32(i)] {
				t.Fatalf("node %d is lost: %v", i, nodes)
			}
		}
	}
}

func TestLinkOfADeepChain(t *testing.T) {
	nodes := make([]GraphNode, 200_000)
	for i := range nodes {
		nodes[i] = GraphNode{Parent: int32(i) - 1, Emit: true}
	}
	if g := Link(nodes); len(g.Order) != len(nodes) || g.Order[len(nodes)-1] != int32(len(nodes)-1) {
		t.Errorf("%d of %d nodes", len(g.Order), len(nodes))
	}
}
