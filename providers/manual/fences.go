package manual

import (
	"strings"
)

// fenceEnd is the index behind the block of code that begins at from with a mark. A block that is
// not closed goes to the end.
func fenceEnd(lines []line, from int, mark string) int {
	for i := from + 1; i < len(lines); i++ {
		t := strings.TrimSpace(lines[i].text)
		if len(t) >= len(mark) && strings.Trim(t, mark[:1]) == "" {
			return i + 1
		}
	}
	return len(lines)
}

// fence reads a block of code: the whole answer is opened, code belongs to the block before it or
// stands alone.
func (r *reader) fence(lines []line, info string, goesOn, gap bool) {
	inner := lines[1:]
	if n := len(inner); n > 0 && fenceLine.MatchString(inner[n-1].text) {
		inner = inner[:n-1]
	}
	if !r.opened && holdsAnswer(inner, info) {
		r.opened, r.open = true, false
		r.read(inner)
		r.opened, r.open = false, false
		return
	}
	for i, l := range lines {
		if i == 0 && !goesOn {
			r.begin(block{kind: paragraph, text: []string{l.text}}, l)
			continue
		}
		// Code keeps its indentation, in an item, too.
		b := r.last()
		b.lines = append(b.lines, l)
		if i == 0 && gap {
			b.text = append(b.text, "")
		}
		b.text = append(b.text, l.text)
	}
}

// plainInfo are the names of languages of blocks that hold no code.
var plainInfo = map[string]bool{"": true, "markdown": true, "md": true, "text": true, "txt": true, "plaintext": true, "plain": true}

// holdsAnswer tells whether a block of code holds statements and no code: dated entries, or more
// items of lists than other lines, headings aside.
func holdsAnswer(lines []line, info string) bool {
	if !plainInfo[strings.ToLower(strings.TrimSpace(info))] {
		return false
	}
	items, others := 0, 0
	for _, l := range lines {
		switch {
		case strings.TrimSpace(l.text) == "" || atxHeading.MatchString(l.text) || boldHeading.MatchString(strings.TrimSpace(l.text)):
		case datedLine.MatchString(l.text):
			return true
		case listItem.MatchString(l.text):
			if g := listItem.FindStringSubmatch(l.text); datedLine.MatchString(g[2]) {
				return true
			}
			items++
		default:
			others++
		}
	}
	return items > others
}
