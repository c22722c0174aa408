package gemini

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pamline/pamline/providers/htmlmd"
)

// line is what stands between two line breaks before the answer.
type line struct {
	text   string
	pieces int    // texts it consists of
	markup bool   // there is markup in it that is no link
	link   string // of the first link in it
	linked string // the text of that link
	start  int    // bytes of the payload before it
	end    int    // bytes up to what follows it
}

// readLines reads a payload of lines: the last line before the first block that is a time as a
// whole divides what was asked from the answer.
//
// Case 42 of the reference SDK's failures: a prompt with a time in it, and an answer with a div in
// it, are read whole.
func (c *cell) readLines(payload string) {
	lines, rest := headLines(payload)
	at := -1
	for i := len(lines) - 1; i >= 0 && at < 0; i-- {
		if l := &lines[i]; l.pieces == 1 && !l.markup && l.link == "" {
			if s, ok := parseStamp(strings.TrimSpace(l.text)); ok {
				c.stamp, c.timed, at = s, true, i
				rest = l.end
			}
		}
	}
	if at < 0 {
		at = len(lines)
	}
	c.answer = payload[rest:]
	lines = lines[:at]
	n := len(lines)
	for n > 1 && len(lines)-n < maxExtras && isSubtitle(lines, n-1) {
		n--
	}
	for _, l := range lines[n:] {
		c.extras.subtitle(l.label(), l.link)
	}
	texts := make([]string, 0, n)
	for _, l := range lines[:n] {
		c.link(l.link)
		texts = append(texts, l.text)
	}
	c.setTitle(strings.TrimLeft(strings.Join(texts, "\n"), " \t\r\n"))
}

// setTitle divides a title into verb and prompt.
func (c *cell) setTitle(title string) {
	c.title = title
	n, k, known := splitVerb(title)
	switch {
	case known && k == exchange:
		c.kind, c.verb, c.prompt = exchange, title[:n], title[n:]
	case known:
		c.kind = k
	case htmlmd.Convert(c.answer) != "":
		c.kind, c.prompt = exchange, title
	default:
		c.kind = event
	}
}

// label is the text of a line that is a subtitle.
func (l *line) label() string {
	if strings.TrimSpace(l.linked) != "" && strings.HasPrefix(strings.TrimSpace(l.text), "-") {
		return l.linked
	}
	return strings.TrimSpace(l.text)
}

var attachedLine = regexp.MustCompile(`^(?:Attached [0-9]+ files?|[0-9]+ attachments?)\.?$`)

// isSubtitle tells whether the i-th line, behind which all are subtitles, is one: a link that leads
// to no conversation, the line that counts the files, or in any language the one above as many
// links as it has a number in it.
func isSubtitle(lines []line, i int) bool {
	l := &lines[i]
	text := strings.TrimSpace(foldSpaces(l.text))
	switch {
	case l.isEntry():
		return true
	case l.link != "" && conversationOf(l.link) == "" && (isLocal(l.link) || ofGemini(l.link)):
		return true
	case attachedLine.MatchString(text):
		return true
	case text == "" || len(text) > maxStamp || l.link != "" || l.markup:
		return false
	}
	links := 0
	for k := i + 1; k < len(lines) && lines[k].isEntry(); k++ {
		links++
	}
	return links > 0 && number(digits.FindString(text)) == links
}

// isEntry tells whether a line is a link behind a dash.
func (l *line) isEntry() bool {
	return l.link != "" && strings.HasPrefix(strings.TrimSpace(l.text), "-")
}

var digits = regexp.MustCompile(`[0-9]+`)

// maxHeadLines bounds the lines before an answer.
const maxHeadLines = 100_000

// headLines reads a payload up to the first block, and gives where that starts.
func headLines(payload string) (lines []line, rest int) {
	z := html.NewTokenizer(strings.NewReader(payload))
	var text, linked strings.Builder
	l := line{}
	at, inLink := 0, false
	flush := func(end int) {
		l.text, l.linked, l.end = text.String(), linked.String(), end
		lines = append(lines, l)
		text.Reset()
		linked.Reset()
		l = line{start: end}
	}
	open := func() bool { return text.Len() > 0 || l.link != "" || l.markup }
	for len(lines) < maxHeadLines {
		tt := z.Next()
		if tt == html.ErrorToken {
			break
		}
		start := at
		at += len(z.Raw())
		switch tt {
		case html.TextToken:
			s := string(z.Text())
			text.WriteString(s)
			l.pieces++
			if inLink {
				linked.WriteString(s)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			a, attrs := tagOf(z)
			switch {
			case a == atom.Br:
				flush(at)
			case a == atom.A:
				if l.link == "" {
					l.link, inLink = attrs["href"], true
				}
			case htmlmd.IsBlock(a.String()) || a == atom.Script || a == atom.Style || a == atom.Template:
				if open() {
					flush(start)
				}
				return lines, start
			default:
				l.markup = true
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			switch a := atom.Lookup(name); {
			case a == atom.A:
				inLink = false
			case a == atom.Div:
				if open() {
					flush(start)
				}
				return lines, start
			}
		}
	}
	if open() {
		flush(at)
	}
	return lines, at
}
