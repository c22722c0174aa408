package manual

import (
	"regexp"
	"strings"
	"time"

	"github.com/pamline/pamline/pamio"
)

// line is one line of a file, without its end.
type line struct {
	n    int // from 1
	text string
}

func cutLines(text string) []line {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	var out []line
	for s := range strings.SplitSeq(text, "\n") {
		out = append(out, line{len(out) + 1, s})
	}
	return out
}

type blockKind uint8

const (
	paragraph blockKind = iota
	item
	heading
	frontMatter
)

// block is a heading, an item of a list, or a paragraph.
type block struct {
	kind   blockKind
	level  int // of a heading
	indent int // of an item, in columns
	lines  []line
	text   []string // its lines without the mark of the item and the date
	date   string   // RFC 3339, "" for none
	opened bool     // stood in a block of code that holds the whole answer
}

var (
	atxHeading  = regexp.MustCompile(`^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$`)
	boldHeading = regexp.MustCompile(`^(?:\*\*([^*]+)\*\*|__([^_]+)__):?$`)
	listItem    = regexp.MustCompile(`^(\s*)(?:[-*+•‣◦–]|\d{1,3}[.)])(?:\s+(.*)|)$`)
	datedLine   = regexp.MustCompile(`^\s*\[(?i:(\d{4}-\d{2}-\d{2})|unknown|no date|\d{4}(?:-\d{2})?)\]\s*(?:[-–—:]+\s*)?(.*)$`)
	dayFirst    = regexp.MustCompile(`^\s*(\d{4}-\d{2}-\d{2})\s*[-–—:]\s+(.*)$`)
	thematic    = regexp.MustCompile(`^\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$`)
	underline   = regexp.MustCompile(`^ {0,3}(=+|-+)\s*$`)
	fenceLine   = regexp.MustCompile("^\\s*(`{3,}|~{3,})\\s*([^`]*)$")
)

const levelBold = 7

// dated takes the date from the front of a text.
func dated(text string) (rest, date string, ok bool) {
	g := datedLine.FindStringSubmatch(text)
	if g == nil {
		if g = dayFirst.FindStringSubmatch(text); g == nil {
			return text, "", false
		}
	}
	if day, err := time.Parse(time.DateOnly, g[1]); err == nil {
		date = pamio.FormatTime(day)
	}
	return g[2], date, true
}

func indentOf(text string) int {
	n := 0
	for _, r := range text {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// reader makes blocks of lines.
type reader struct {
	out    []block
	open   bool // the last block goes on
	opened bool
}

func (r *reader) last() *block { return &r.out[len(r.out)-1] }

// begin starts a block with its first line.
func (r *reader) begin(b block, l line) {
	b.opened = r.opened
	b.lines = []line{l}
	r.out = append(r.out, b)
	r.open = b.kind == paragraph || b.kind == item
}

// more appends a line to the open block.
func (r *reader) more(l line, gap bool) {
	b := r.last()
	b.lines = append(b.lines, l)
	text := l.text
	if b.kind == item {
		text = strings.TrimLeft(text, " \t")
	}
	if gap {
		b.text = append(b.text, "")
	}
	b.text = append(b.text, text)
}

// said is the text of the block.
func (b block) said() string { return strings.Join(b.text, "\n") }

// read reads lines until their end.
func (r *reader) read(lines []line) {
	blank := false // an empty line stands between the open block and this one
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		trimmed := strings.TrimSpace(l.text)
		if trimmed == "" {
			blank = true
			continue
		}
		goesOn := r.open && (!blank || r.last().kind == item && indentOf(l.text) > r.last().indent)
		gap := blank
		blank = false
		if g := fenceLine.FindStringSubmatch(l.text); g != nil {
			end := fenceEnd(lines, i, g[1])
			r.fence(lines[i:end], g[2], goesOn, gap)
			i = end - 1
			continue
		}
		if r.heading(l, trimmed, goesOn && !gap) {
			continue
		}
		if g := listItem.FindStringSubmatch(l.text); g != nil && !thematic.MatchString(l.text) {
			text, date, _ := dated(g[2])
			r.begin(block{kind: item, indent: indentOf(l.text), text: []string{text}, date: date}, l)
			continue
		}
		if thematic.MatchString(l.text) {
			r.open = false
			continue
		}
		if text, date, ok := dated(l.text); ok {
			r.begin(block{kind: item, indent: indentOf(l.text), text: []string{text}, date: date}, l)
			continue
		}
		if goesOn {
			r.more(l, gap)
			continue
		}
		r.begin(block{kind: paragraph, text: []string{l.text}}, l)
	}
}

// heading reads a line as a heading, or as the line under one.
func (r *reader) heading(l line, trimmed string, goesOn bool) bool {
	if g := atxHeading.FindStringSubmatch(l.text); g != nil {
		r.begin(block{kind: heading, level: len(g[1]), text: []string{headingText(g[2])}}, l)
		return true
	}
	if g := boldHeading.FindStringSubmatch(trimmed); g != nil && !goesOn {
		r.begin(block{kind: heading, level: levelBold, text: []string{headingText(g[1] + g[2])}}, l)
		return true
	}
	if g := underline.FindStringSubmatch(l.text); g != nil && goesOn {
		if b := r.last(); b.kind == paragraph && len(b.lines) == 1 {
			b.kind, b.level, b.text = heading, 1, []string{headingText(b.text[0])}
			if g[1][0] == '-' {
				b.level = 2
			}
			b.lines = append(b.lines, l)
			r.open = false
			return true
		}
	}
	return false
}

func headingText(s string) string { return strings.TrimRight(strings.Trim(s, "*_ \t"), ": ") }
