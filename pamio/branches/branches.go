// Package branches finds the ways through a conversation. Where a question was changed or answered
// again, a message has several children, and each way from the first message to a last one is a
// branch.
package branches

import "github.com/pamline/pamline/pamio"

// Tree is a conversation as the ways through it. Messages are named by their place in the document.
type Tree struct {
	parents  []int // -1 for a first message
	children [][]int
	// siblings are the messages beside each other as alternatives, by parent; roots those without.
	roots  []int
	leaves []int
	// first is the number of the first branch with a message.
	first []int
}

// Of reads the links of a conversation. A conversation without links is one branch, in the order of
// its messages. Links that lead nowhere or in a circle are ignored.
func Of(c *pamio.Conversation) *Tree {
	n := len(c.Messages)
	t := &Tree{parents: make([]int, n), children: make([][]int, n), first: make([]int, n)}
	if !isLinked(c) {
		t.chain(n)
	} else {
		t.link(c)
	}
	t.number()
	return t
}

func isLinked(c *pamio.Conversation) bool {
	for i := range c.Messages {
		if c.Messages[i].ParentID != "" || len(c.Messages[i].ChildrenIDs) > 0 {
			return true
		}
	}
	return false
}

func (t *Tree) chain(n int) {
	for i := range n {
		t.parents[i] = i - 1
		if i > 0 {
			t.children[i-1] = []int{i}
		} else {
			t.roots = []int{0}
		}
	}
}

// link takes the parents as they are named, and the order of children from the parent's list; those
// that the list lacks come behind.
func (t *Tree) link(c *pamio.Conversation) {
	place := make(map[string]int, len(c.Messages))
	for i := range c.Messages {
		place[c.Messages[i].ID] = i
	}
	for i := range c.Messages {
		t.parents[i] = -1
		if p, ok := place[c.Messages[i].ParentID]; ok && p != i {
			t.parents[i] = p
		}
	}
	t.cutCircles()
	for p := range c.Messages {
		for _, id := range c.Messages[p].ChildrenIDs {
			if i, ok := place[id]; ok && t.parents[i] == p && t.first[i] == 0 {
				t.children[p] = append(t.children[p], i)
				t.first[i] = 1
			}
		}
	}
	for i, p := range t.parents {
		switch {
		case p < 0:
			t.roots = append(t.roots, i)
		case t.first[i] == 0:
			t.children[p] = append(t.children[p], i)
		}
	}
}

// cutCircles makes a first message of one message of each circle.
func (t *Tree) cutCircles() {
	state := make([]int, len(t.parents)) // 0 new, else the walk that met it
	for start := range t.parents {
		for i := start; i >= 0 && state[i] == 0; i = t.parents[i] {
			state[i] = start + 1
			if p := t.parents[i]; p >= 0 && state[p] == start+1 {
				t.parents[i] = -1
			}
		}
	}
}

// number lists the last messages in the order in which the branches part.
func (t *Tree) number() {
	stack := make([]int, 0, len(t.roots))
	push := func(list []int) {
		for i := len(list) - 1; i >= 0; i-- {
			stack = append(stack, list[i])
		}
	}
	for push(t.roots); len(stack) > 0; {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		t.first[i] = len(t.leaves)
		if len(t.children[i]) == 0 {
			t.leaves = append(t.leaves, i)
		}
		push(t.children[i])
	}
}

// Count is how many branches there are.
func (t *Tree) Count() int { return len(t.leaves) }

// BranchOf is the number, from 0, of the first branch with a message.
func (t *Tree) BranchOf(message int) int { return t.first[message] }

// Branch gives the messages of a branch, numbered from 0, from the first to the last.
func (t *Tree) Branch(n int) []int {
	var way []int
	for i := t.leaves[n]; i >= 0; i = t.parents[i] {
		way = append(way, i)
	}
	for a, b := 0, len(way)-1; a < b; a, b = a+1, b-1 {
		way[a], way[b] = way[b], way[a]
	}
	return way
}

// Length is how many messages a branch, numbered from 0, has.
func (t *Tree) Length(n int) (length int) {
	for i := t.leaves[n]; i >= 0; i = t.parents[i] {
		length++
	}
	return length
}

// Leaf is the last message of a branch, numbered from 0.
func (t *Tree) Leaf(n int) int { return t.leaves[n] }

// Alternatives are the messages in whose place a message stands, itself among them, in their order.
func (t *Tree) Alternatives(message int) []int {
	if p := t.parents[message]; p >= 0 {
		return t.children[p]
	}
	return t.roots
}
