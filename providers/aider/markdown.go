package aider

import (
	"cmp"
	"strings"
)

// block is a piece of a run: lines of one speaker.
type block struct {
	as   string // user, assistant or tool
	text string // without marks
	raw  string // as it stands, where render does not give it back; "" else
	// bare is "true" for a block whose marks have no spaces behind them.
	bare string
	// eol ends the lines of a block with marks, "" for a newline.
	eol string
	// before and after are the blank lines around the text.
	before, after string
}

// Speakers of blocks.
const (
	asUser      = "user"
	asAssistant = "assistant"
	asTool      = "tool"
)

// marks are what the lines of a speaker begin with.
var marks = map[string]string{asUser: "####", asTool: ">"}

// readRun divides a run into its first line and its blocks.
func readRun(text string) (head string, blocks []block) {
	lines := strings.SplitAfter(text, "\n")
	if strings.HasPrefix(strings.TrimPrefix(lines[0], "\ufeff"), mark) {
		head, lines = lines[0], lines[1:]
	}
	strict := false
	for _, line := range lines {
		strict = strict || isMarked(line, asUser, true)
	}
	var current []string
	as := ""
	flush := func() {
		if len(current) > 0 {
			blocks = append(blocks, newBlock(as, strings.Join(current, "")))
		}
		current = nil
	}
	fenced := false
	for _, line := range lines {
		if line == "" {
			continue
		}
		speaker := asAssistant
		switch {
		case fenced && !isMarked(line, asUser, true):
		case isMarked(line, asUser, strict):
			speaker = asUser
		case isMarked(line, asTool, strict):
			speaker = asTool
		case strings.TrimSpace(line) == "":
			speaker = as // a blank line goes on
		}
		if speaker == asAssistant && strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		} else if speaker != asAssistant {
			fenced = false
		}
		if speaker != as {
			if as != "" {
				flush()
			}
			as = speaker // blank lines at the start belong to the first block
		}
		current = append(current, line)
	}
	if as != "" {
		flush()
	}
	return head, blocks
}

// isMarked tells whether a line is one of a speaker. strict: the two spaces at its end are part of
// the mark.
func isMarked(line, as string, strict bool) bool {
	line = strings.TrimRight(line, "\r\n")
	rest, marked := strings.CutPrefix(line, marks[as])
	return marked && (rest == "" || rest[0] == ' ') && (!strict || strings.HasSuffix(line, "  "))
}

// newBlock makes a block of its lines.
func newBlock(as, lines string) block {
	b := block{as: as}
	body := strings.TrimLeft(lines, " \t\r\n")
	b.before = lines[:len(lines)-len(body)]
	if as == asAssistant {
		b.text = strings.TrimRight(body, " \t\r\n")
		b.after = body[len(b.text):]
		return b
	}
	trimmed := strings.TrimRight(body, "\r\n")
	b.after = body[len(trimmed):]
	var out []string
	for line := range strings.SplitSeq(trimmed, "\n") {
		line = strings.TrimRight(line, " \t\r")
		line = strings.TrimPrefix(strings.TrimPrefix(line, marks[as]), " ")
		out = append(out, line)
	}
	b.text = strings.Join(out, "\n")
	if strings.Contains(trimmed, "\r\n") {
		b.eol = "\r\n"
	}
	if !strings.HasSuffix(trimmed, "  ") {
		b.bare = "true"
	}
	if b.render() != lines {
		b.raw = lines
	}
	return b
}

// render gives the lines of a block back.
func (b block) render() string {
	if b.raw != "" {
		return b.raw
	}
	m := marks[b.as]
	if m == "" {
		return b.before + b.text + b.after
	}
	end := "  "
	if b.bare != "" {
		end = ""
	}
	var out strings.Builder
	out.WriteString(b.before)
	for i, line := range strings.Split(b.text, "\n") {
		if i > 0 {
			out.WriteString(cmp.Or(b.eol, "\n"))
		}
		out.WriteString(m + " " + line + end)
	}
	out.WriteString(b.after)
	return out.String()
}
