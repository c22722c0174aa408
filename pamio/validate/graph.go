package validate

import (
	"time"
)

// graph holds the messages of one conversation: who is whose parent and child, and when each was
// written.
type graph struct {
	t    *tally
	file string

	at       map[string]int32 // the first message with an id
	ids      []string         // of each message
	parents  []string
	children [][]string
	linked   bool // at least one message has a link
	blind    bool // a message could not be read, so a missing one says nothing

	last      time.Time
	timed     bool
	unordered place // of the first message that is older than the one before it
	disorder  bool
}

func newGraph(t *tally, file string) *graph {
	return &graph{t: t, file: file, at: map[string]int32{}}
}

func (g *graph) add(id, parent string, children []string) {
	i := len(g.ids)
	if id != "" {
		first, twice := g.at[id]
		if g.t.wrong(idUnique, twice) {
			g.t.find(idUnique, placeOf(g.file, "messages", i, "/id"), "the id %s is that of messages/%d, too; ids must differ", quote(id), first)
		} else {
			g.at[id] = int32(i)
		}
	}
	g.ids, g.parents, g.children = append(g.ids, id), append(g.parents, parent), append(g.children, children)
	g.linked = g.linked || parent != "" || len(children) > 0
}

// chronology notes whether the messages come in the order of their times.
func (g *graph) chronology(e *element, created instant) {
	if !created.ok {
		return
	}
	if g.timed && created.time.Before(g.last) && !g.disorder {
		g.disorder, g.unordered = true, e.at(created.name(), created.node)
	}
	g.last, g.timed = created.time, true
}

// report checks the links when all messages are known.
func (g *graph) report() {
	// With links the order is theirs: real exports have answers that are older than their
	// questions.
	if g.t.wrong(messageOrder, g.disorder && !g.linked) {
		g.t.find(messageOrder, g.unordered, "the message is older than the one before it; in a conversation without links they come in the order "+
			"of their times")
	}
	if !g.linked {
		return
	}
	listed := g.listed()
	for i := range g.ids {
		g.links(i, listed)
	}
	g.cycles()
}

// listed is the set of pairs (message, child) that children_ids gives.
func (g *graph) listed() map[[2]int32]bool {
	set := make(map[[2]int32]bool, len(g.ids))
	for i, children := range g.children {
		for _, c := range children {
			if at, ok := g.at[c]; ok {
				set[[2]int32{int32(i), at}] = true
			}
		}
	}
	return set
}

// links checks that the parent and the children of a message are there, and that they agree.
func (g *graph) links(i int, listed map[[2]int32]bool) {
	id := g.ids[i]
	if p := g.parents[i]; p != "" {
		at, ok := g.at[p]
		switch {
		case g.t.wrong(dagUnknown, !ok && !g.blind):
			g.t.find(dagUnknown, placeOf(g.file, "messages", i, "/parent_id"), "the parent %s is not in the conversation", quote(p))
		case ok && g.t.wrong(dagDirection, g.at[id] == int32(i) && id != "" && !listed[[2]int32{at, int32(i)}]):
			g.t.find(dagDirection, placeOf(g.file, "messages", i, "/parent_id"), "messages/%d is the parent, but does not list this message in "+
				"children_ids", at)
		}
	}
	for k, c := range g.children[i] {
		at, ok := g.at[c]
		switch {
		case g.t.wrong(dagUnknown, !ok && !g.blind):
			g.t.find(dagUnknown, placeOf(g.file, "messages", i, pointerItem("/children_ids", k)), "the child %s is not in the conversation", quote(c))
		case ok && g.t.wrong(dagDirection, id != "" && g.parents[at] != id):
			g.t.find(dagDirection, placeOf(g.file, "messages", i, pointerItem("/children_ids", k)), "messages/%d is listed as a child, but does not have "+
				"this message as parent_id", at)
		}
	}
}

// cycles follows the parents of each message and reports each circle once, at its first message.
func (g *graph) cycles() {
	walk := make([]int32, len(g.ids))
	for start := range g.ids {
		g.t.made[dagCycle]++
		i, ok := int32(start), true
		for ok && walk[i] == 0 {
			walk[i] = int32(start) + 1
			i, ok = g.parent(i)
		}
		if !ok || walk[i] != int32(start)+1 {
			continue
		}
		lowest := i
		for at, _ := g.parent(i); at != i; at, _ = g.parent(at) {
			lowest = min(lowest, at)
		}
		g.t.find(dagCycle, placeOf(g.file, "messages", int(lowest), "/parent_id"), "the message is its own ancestor; cut the circle by taking the "+
			"parent_id of one of its messages away")
	}
}

func (g *graph) parent(i int32) (int32, bool) {
	if g.parents[i] == "" {
		return 0, false
	}
	at, ok := g.at[g.parents[i]]
	return at, ok
}
