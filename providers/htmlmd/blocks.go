package htmlmd

import "strings"

// blocks writes blocks with a blank line between them, each line behind the markers of the lists
// and quotes it is in.
type blocks struct {
	out        strings.Builder
	containers []container // at most MaxNesting
	any        bool
	newList    bool // a list was opened and has no block yet
}

// container is an open list item or quote.
type container struct {
	first, rest string // what its first line starts with, and each further one
	used        bool
	isItem      bool
}

// pop closes the innermost container. An item without anything in it is written as its marker.
func (b *blocks) pop() {
	last := len(b.containers) - 1
	if t := b.containers[last]; t.isItem && !t.used {
		b.block("")
	}
	b.containers = b.containers[:last]
}

// block writes a block of one or more lines.
func (b *blocks) block(text string) {
	if b.any {
		b.separate()
	}
	b.any, b.newList = true, false
	if len(b.containers) == 0 {
		b.out.WriteString(text)
		return
	}
	rest := b.prefix(len(b.containers), false)
	for i, line := range strings.Split(text, "\n") {
		prefix := rest
		if i > 0 {
			b.out.WriteByte('\n')
		} else {
			prefix = b.prefix(len(b.containers), true)
		}
		if line == "" {
			prefix = strings.TrimRight(prefix, " ")
		}
		b.out.WriteString(prefix)
		b.out.WriteString(line)
	}
	for k := range b.containers {
		b.containers[k].used = true
	}
}

// prefix is what a line in the outermost n containers starts with; first is true for the first line
// of a block.
func (b *blocks) prefix(n int, first bool) string {
	var out strings.Builder
	for _, k := range b.containers[:n] {
		if first && !k.used {
			out.WriteString(k.first)
		} else {
			out.WriteString(k.rest)
		}
	}
	return out.String()
}

// separate ends the line before a block: items of a list, and a list in an item, follow each other
// without a blank line.
func (b *blocks) separate() {
	b.out.WriteByte('\n')
	used := 0
	for used < len(b.containers) && b.containers[used].used {
		used++
	}
	if used < len(b.containers) && b.containers[used].isItem {
		nested := used > 0 && b.containers[used-1].isItem
		if nested || !b.newList {
			return
		}
	}
	b.out.WriteString(strings.TrimRight(b.prefix(used, false), " "))
	b.out.WriteByte('\n')
}

func (b *blocks) String() string { return b.out.String() }
