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
	// most is the width beyond which cells are cut on a terminal; 0 means none.
	most int
	// flexible columns share what the others leave of a terminal's width.
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

// table lists rows below the names of their columns. Without a width nothing is cut: then a program
// may read it. Columns without any text are left out.
type table struct {
	columns []column
	rows    []row
	width   int
}

// leastFlexible is how narrow a flexible column may become.
const leastFlexible = 6

// WriteText writes the table.
func (t table) WriteText(w io.Writer) error {
	p := printTo(w)
	if len(t.rows) == 0 {
		return nil
	}
	widths := t.widths()
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	p.raw(p.style.Faint(truncateText(joinCells(names, widths), t.width)))
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
		if t.width > 0 && c.most > 0 {
			widths[i] = min(widths[i], c.most)
		}
		if c.flexible {
			flexible = i
		}
		total += widths[i] + len(gap)
	}
	if over := total - t.width; t.width > 0 && over > 0 && flexible >= 0 {
		widths[flexible] = max(leastFlexible, widths[flexible]-over)
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

// terminalWidth is the width of the terminal that w is; 0 for anything else.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return max(cmp.Or(width, 80), 40)
}
