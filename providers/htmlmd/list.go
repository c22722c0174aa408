package htmlmd

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

// list is an open list: ordered ones count. base is how many items and quotes were open before it.
type list struct {
	ordered bool
	next    int
	base    int
}

func (c *converter) openList(a atom.Atom, start string) {
	l := list{ordered: a == atom.Ol, next: 1, base: len(c.open)}
	if n, err := strconv.Atoi(start); err == nil && n >= 0 && n < 1e6 {
		l.next = n
	}
	c.lists = append(c.lists, l)
	c.out.newList = true
}

func (c *converter) closeList() {
	if n := len(c.lists); n > 0 {
		c.closeTo(c.lists[n-1].base)
		c.lists = c.lists[:min(n-1, len(c.lists))]
	}
	c.out.newList = false
}

// item opens an item of the innermost list, and closes the one before it. Outside of any list it is
// one of a list without numbers.
func (c *converter) item() {
	c.closeItem()
	marker := "- "
	if n := len(c.lists); n > 0 && c.lists[n-1].ordered {
		marker = strconv.Itoa(c.lists[n-1].next) + ". "
		c.lists[n-1].next++
	}
	c.push(atom.Li, container{first: marker, rest: strings.Repeat(" ", len(marker)), isItem: true})
}

func (c *converter) closeItem() {
	if n := len(c.lists); n > 0 {
		c.closeTo(c.lists[n-1].base)
		return
	}
	if n := len(c.open); n > 0 && c.open[n-1] == atom.Li {
		c.closeTo(n - 1)
	}
}

func (c *converter) openQuote() {
	c.quotes++
	c.push(atom.Blockquote, container{first: "> ", rest: "> "})
}

// closeQuote closes the innermost quote with what is open inside it.
func (c *converter) closeQuote() {
	if c.quotes == 0 {
		return
	}
	n := len(c.open) - 1
	for c.open[n] != atom.Blockquote {
		n--
	}
	c.closeTo(n)
	for k := len(c.lists); k > 0 && c.lists[k-1].base > n; k-- {
		c.lists = c.lists[:k-1]
	}
}

// push opens an item or quote. Beyond the limit it is only remembered, so that its end is known.
func (c *converter) push(a atom.Atom, k container) {
	if len(c.open) < MaxNesting {
		c.out.containers = append(c.out.containers, k)
	}
	c.open = append(c.open, a)
}

// closeTo closes items and quotes until n are open.
func (c *converter) closeTo(n int) {
	for len(c.open) > n {
		last := len(c.open) - 1
		if c.open[last] == atom.Blockquote {
			c.quotes--
		}
		if last < MaxNesting {
			c.out.pop()
		}
		c.open = c.open[:last]
	}
}
