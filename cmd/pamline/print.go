package main

import (
	"bufio"
	"fmt"
	"io"

	"github.com/pamline/pamline/cmd/internal/style"
)

// page is standard output with a style.
type page struct {
	*bufio.Writer
	style style.Style
	// width is how wide lists are (listWidth).
	width int
}

// pageWidth is how wide lists of a report are.
func pageWidth(w io.Writer) int {
	if pg, ok := w.(*page); ok {
		return pg.width
	}
	return usualWidth
}

// printer writes lines and keeps the first error.
type printer struct {
	w     io.Writer
	style style.Style
	err   error
}

// printTo prints in the style of the output.
func printTo(w io.Writer) *printer {
	p := &printer{w: w}
	if pg, ok := w.(*page); ok {
		p.style = pg.style
	}
	return p
}

func (p *printer) line(format string, args ...any) {
	p.raw(visible(fmt.Sprintf(format, args...), ""))
}

// lineOf writes one line and returns the error.
func (p *printer) lineOf(text string) error {
	p.line("%s", text)
	return p.err
}

// raw writes a line that is safe for a terminal.
func (p *printer) raw(text string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, text)
	}
}

// field writes a line with a name in front.
func (p *printer) field(name, format string, args ...any) {
	p.raw("  " + p.style.Faint(fmt.Sprintf("%-12s", name)) + " " + visible(fmt.Sprintf(format, args...), ""))
}

// outcome writes a line about something and how it ended, in the color of the state.
func (p *printer) outcome(what, state string) {
	p.raw(visible(what, "") + ": " + stateStyle(p.style, state))
}

// list writes the first few of many lines, each with the name, and says how many there are beyond.
func (p *printer) list(name string, lines []string, most int, noun string) {
	for _, l := range firstItems(lines, most) {
		p.field(name, "%s", l)
	}
	if more := len(lines) - most; more > 0 {
		p.field(name, "and %s more; the receipt lists them", pluralNoun(int64(more), noun))
	}
}

func firstItems[T any](list []T, n int) []T { return list[:min(n, len(list))] }

func pluralNoun(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if base, ok := cutEnd(noun, "ry"); ok {
		return fmt.Sprintf("%d %sries", n, base)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func cutEnd(s, end string) (string, bool) {
	if len(s) > len(end) && s[len(s)-len(end):] == end {
		return s[:len(s)-len(end)], true
	}
	return s, false
}
