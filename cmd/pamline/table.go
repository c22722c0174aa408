package main

import (
	"cmp"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// column is a column of a table. Its zero value is as wide as its longest cell.
type column struct {
	name string
	// most is the width to which cells are cut if the row is too wide; 0 means that they are not.
	most int
	// flexible: the column is cut first, down to leastFlexible.
	flexible bool
}

// row is a line of a table, with what is told below it.
type row struct {
	cells []string
	// notes are lines below, indented: why something failed, and what to do.
	notes []string
}

// gap separates columns.
const gap = "  "

// table lists rows below the names of their columns. A width below 1 cuts nothing. Columns without
// any text are left out.
type table struct {
	columns []column
	rows    []row
	width   int
}

// leastFlexible is how narrow a flexible column may become.
const leastFlexible = 6

// WriteText writes the table.
func (t table) WriteText(w io.Writer) error {
	if len(t.rows) == 0 {
		return nil
	}
	p := printTo(w)
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	p.raw(p.style.Faint(truncateText(joinCells(names, t.widths()), t.width)))
	return t.writeRows(p)
}

// writeRows writes the rows without the names of the columns.
func (t table) writeRows(p *printer) error {
	widths := t.widths()
	for _, r := range t.rows {
		p.raw(truncateText(joinCells(r.cells, widths), t.width))
		for _, note := range r.notes {
			for _, line := range wrapText(visible(note, ""), t.width-2*len(gap)) {
				p.raw(gap + gap + line)
			}
		}
	}
	return p.err
}

// widths gives the width of each column; 0 for one that is left out.
func (t table) widths() []int {
	widths := make([]int, len(t.columns))
	flexible, total := -1, -len(gap)
	for i, c := range t.columns {
		for _, r := range t.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(r.cells[i]))
		}
		if widths[i] == 0 {
			continue
		}
		widths[i] = max(widths[i], len(c.name))
		if c.flexible {
			flexible = i
		}
		total += widths[i] + len(gap)
	}
	over := total - t.width
	if t.width < 1 {
		over = 0
	}
	if over > 0 && flexible >= 0 {
		least := max(leastFlexible, widths[flexible]-over)
		over -= widths[flexible] - least
		widths[flexible] = least
	}
	for i, c := range t.columns {
		if over > 0 && c.most > 0 && widths[i] > c.most {
			over -= widths[i] - c.most
			widths[i] = c.most
		}
	}
	return widths
}

// joinCells writes cells side by side. The last one is not filled up.
func joinCells(cells []string, widths []int) string {
	var b strings.Builder
	space := 0
	for i, cell := range cells {
		if widths[i] == 0 {
			continue
		}
		cell = truncateText(visible(cell, ""), widths[i])
		b.WriteString(strings.Repeat(" ", space) + cell)
		space = widths[i] - utf8.RuneCountInString(cell) + len(gap)
	}
	return b.String()
}

// truncateText shortens text to a width, with an ellipsis in the place of what is missing; a width
// below 1 cuts nothing.
func truncateText(text string, width int) string {
	if width < 1 || utf8.RuneCountInString(text) <= width {
		return text
	}
	r := []rune(text)
	return string(r[:width-1]) + "…"
}

// wrapText breaks text at spaces into lines of a width; below 1, there is one line. Words stay
// whole: a path can be copied.
func wrapText(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if width > 0 && line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// usualWidth is the width of text that no terminal shows: of pipes, files and mails. Programs read
// JSON, in which nothing is cut.
const usualWidth = 80

// listWidth is the width of the terminal that w is; usualWidth for anything else.
func listWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return usualWidth
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return max(cmp.Or(width, usualWidth), 40)
}
