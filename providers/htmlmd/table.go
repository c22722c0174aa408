package htmlmd

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// table is an open table. Rows are written as they are, not padded to one length; the first one is
// the head, for Markdown has no table without.
type table struct {
	rows  []string
	row   []string
	cell  bool
	depth int // of tables in it, which are shown as text
	heads int // cells of the first row
}

// inTable starts an element in a table that is not an inline one.
func (c *converter) inTable(a atom.Atom) {
	t := c.table
	switch a {
	case atom.Table:
		t.depth++
	case atom.Tr:
		if t.depth == 0 {
			c.closeRow()
		}
	case atom.Td, atom.Th:
		if t.depth == 0 {
			c.closeCell()
			t.cell, c.in.cell = true, true
			return
		}
	case atom.Pre:
		c.in.openPre()
	}
	c.in.space = true // what would be a block of its own is a word apart
}

func (c *converter) endInTable(a atom.Atom) {
	t := c.table
	switch a {
	case atom.Table:
		if t.depth > 0 {
			t.depth--
			break
		}
		c.closeTable()
		return
	case atom.Tr, atom.Thead, atom.Tbody:
		if t.depth == 0 {
			c.closeRow()
		}
	case atom.Td, atom.Th:
		if t.depth == 0 {
			c.closeCell()
		}
	}
	c.in.space = true
}

// closeCell ends the open cell. Text outside of cells is one, too.
func (c *converter) closeCell() {
	text := c.in.take()
	if text != "" || c.table.cell {
		c.table.row = append(c.table.row, strings.ReplaceAll(text, "  \n", "<br>"))
	}
	c.table.cell, c.in.cell = false, false
}

func (c *converter) closeRow() {
	c.closeCell()
	t := c.table
	if len(t.row) == 0 {
		return
	}
	if len(t.rows) == 0 {
		t.heads = len(t.row)
	}
	t.rows = append(t.rows, "| "+strings.Join(t.row, " | ")+" |")
	t.row = t.row[:0]
}

func (c *converter) closeTable() {
	c.closeRow()
	t := c.table
	c.table = nil
	if len(t.rows) == 0 {
		return
	}
	line := "|" + strings.Repeat(" --- |", t.heads)
	c.out.block(strings.Join(append([]string{t.rows[0], line}, t.rows[1:]...), "\n"))
}
