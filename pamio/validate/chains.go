package validate

import (
	"cmp"
	"slices"
)

// chains follows superseded_by from memory to memory to find circles. It holds eight bytes a link.
type chains struct {
	limit int
	over  bool
	links []link
}

// link leads from a memory to the one that supersedes it. A node is the index of a memory, and
// 1<<31 added for one of the base.
type link struct{ from, to uint32 }

const (
	ofBase  = 1 << 31
	nowhere = 1<<32 - 1 // where a memory of the base leads that the store replaces
)

func node(o origin, index int) uint32 {
	if o == base {
		return uint32(index) | ofBase
	}
	return uint32(index)
}

func (c *chains) add(l link) {
	if len(c.links) >= c.limit || l.from&^ofBase == nowhere&^ofBase {
		c.over = true
		return
	}
	c.links = append(c.links, l)
}

func (c *chains) link(from origin, index int, to origin, toIndex int) {
	if index >= ofBase || toIndex >= ofBase {
		c.over = true
		return
	}
	c.add(link{node(from, index), node(to, toIndex)})
}

func (c *chains) replaced(index int) { c.add(link{node(base, index), nowhere}) }

// report finds the circles and names each once, at its first memory.
func (c *chains) report(j *joins) {
	if j.wrong(checkSkipped, c.over) {
		j.find(checkSkipped, place{j.file, "/memories", -1}, "there are more than %d superseded_by links, so circles among them were not looked for; "+
			"raise the limit to have that done", c.limit)
		return
	}
	// Among the links of one memory the one that leads nowhere comes last.
	slices.SortFunc(c.links, func(a, b link) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	next := func(n uint32) (int, bool) {
		i, ok := slices.BinarySearchFunc(c.links, n, func(l link, n uint32) int { return cmp.Compare(l.from, n) })
		if !ok {
			return 0, false
		}
		for i+1 < len(c.links) && c.links[i+1].from == n {
			i++
		}
		return i, c.links[i].to != nowhere
	}
	walk := make([]uint32, len(c.links)) // in which walk a link was passed, 0 for none
	for start := range c.links {
		i, ok := next(c.links[start].from)
		j.made[supersessionCycle]++
		for ok && walk[i] == 0 {
			walk[i] = uint32(start) + 1
			i, ok = next(c.links[i].to)
		}
		if !ok || walk[i] != uint32(start)+1 {
			continue
		}
		// The walk came back to itself: go round once more for the first memory of the circle.
		lowest := c.links[i].from
		for at, _ := next(c.links[i].to); at != i; at, _ = next(c.links[at].to) {
			lowest = min(lowest, c.links[at].from)
		}
		if lowest < ofBase {
			j.find(supersessionCycle, placeOf(j.file, "memories", int(lowest), "/temporal/superseded_by"), "memories supersede each other in a circle "+
				"that comes back to this one; one of them must be the current one")
		}
	}
}
