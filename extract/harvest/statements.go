package harvest

import (
	"regexp"
	"strings"
	"time"

	"github.com/pamline/pamline/pamio"
)

// statement is one thing that a document about a person says: a bullet or a paragraph.
type statement struct {
	text string
	// headings stand above it, outermost first. They say what it is about, and are no statements
	// themselves.
	headings []string
	date     string // RFC 3339, "" when it names none
}

// Levels of headings that are none of Markdown's own six: a line that is bold as a whole, and words
// with a colon before a list, which for a list in a list count on with its indent.
const (
	levelBold = 7
	levelLead = 8
)

// statements cuts a Markdown or plain text into what it says. Text that is nothing but headings is
// one statement: it says something, after all.
func statements(text string) []statement {
	all := blocks(text)
	var found []statement
	var open []block // headings
	drop := func(level int) {
		for n := len(open); n > 0 && open[n-1].level >= level; n-- {
			open = open[:n-1]
		}
	}
	for i, b := range all {
		if b.heading {
			drop(b.level)
			open = append(open, b)
			continue
		}
		if b.mute {
			continue
		}
		drop(levelLead + 1 + b.indent)
		if i+1 < len(all) && b.leads(all[i+1]) {
			open = append(open, block{level: levelLead + 1 + b.indent, text: strings.TrimRight(b.text, ": ")})
			continue
		}
		s := statement{text: b.text}
		if g := datedText.FindStringSubmatch(b.text); g != nil {
			if day, err := time.Parse(time.DateOnly, g[1]); err == nil && g[2] != "" {
				s.text, s.date = g[2], pamio.FormatTime(day)
			}
		}
		for _, h := range open {
			s.headings = append(s.headings, h.text)
		}
		found = append(found, s)
	}
	if whole := strings.TrimSpace(text); len(found) == 0 && whole != "" {
		return []statement{{text: whole}}
	}
	return found
}

// datedText begins with the day on which something was remembered.
var datedText = regexp.MustCompile(`(?s)^\[(\d{4}-\d{2}-\d{2})\][.:]?\s*(?:[-–—]\s+)?(.*)$`)

// block is a heading, a bullet or a paragraph.
type block struct {
	heading bool
	level   int  // of a heading
	indent  int  // of a bullet, in columns; -1 for a paragraph
	mute    bool // code or a table by itself, which says nothing about a person
	text    string
}

// leads tells whether a block is no more than the words before the list that begins with next.
func (b block) leads(next block) bool {
	return strings.HasSuffix(b.text, ":") && !next.heading && next.indent > b.indent
}

var (
	atxHeading  = regexp.MustCompile(`^(#{1,6})\s+(.*?)\s*#*$`)
	boldHeading = regexp.MustCompile(`^(?:\*\*([^*]+)\*\*|__([^_]+)__|\*([^*]+)\*|_([^_]+)_):?$`)
	bulletLine  = regexp.MustCompile(`^(\s*)(?:[-*+•–]|\d{1,3}[.)])\s+(.*)$`)
	breakLine   = regexp.MustCompile(`^(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,}|={3,})$`)
)

// blocks reads the lines of a text. What stands between fences belongs to the block before it,
// unread; without one it is a block of its own.
func blocks(text string) []block {
	var out []block
	var lines []string
	indent, fenced, mute := -1, false, false
	end := func() {
		if t := strings.TrimSpace(strings.Join(lines, "\n")); t != "" {
			out = append(out, block{indent: indent, text: t, mute: mute || isTable(lines)})
		}
		lines, indent, mute = nil, -1, false
	}
	head := func(level int, text string) {
		end()
		if text = strings.TrimRight(strings.Trim(text, "*_ "), ": "); text != "" {
			out = append(out, block{heading: true, level: level, text: text})
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		if fence := strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"); fence || fenced {
			mute = mute || len(lines) == 0
			fenced = fenced != fence
			lines = append(lines, line)
			if mute && !fenced {
				end()
			}
			continue
		}
		if trimmed == "" {
			end()
			continue
		}
		if breakLine.MatchString(trimmed) {
			if trimmed[0] == '=' && len(lines) == 1 && indent < 0 { // a heading with a line under it
				under := lines[0]
				lines = nil
				head(1, under)
			}
			end()
			continue
		}
		if g := atxHeading.FindStringSubmatch(trimmed); g != nil {
			head(len(g[1]), g[2])
			continue
		}
		if g := boldHeading.FindStringSubmatch(trimmed); g != nil {
			head(levelBold, g[1]+g[2]+g[3]+g[4])
			continue
		}
		if g := bulletLine.FindStringSubmatch(line); g != nil {
			end()
			indent = len(strings.ReplaceAll(g[1], "\t", "    "))
			trimmed = g[2]
		}
		lines = append(lines, trimmed)
	}
	end()
	return out
}

// isTable tells whether lines are those of a table: all begin and end with a bar.
func isTable(lines []string) bool {
	for _, l := range lines {
		if len(l) < 2 || l[0] != '|' || l[len(l)-1] != '|' {
			return false
		}
	}
	return true
}
