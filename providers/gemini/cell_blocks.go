package gemini

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pamline/pamline/providers/htmlmd"
)

// readBlocks reads a payload whose verb and time are in the header-cell: its first block is the
// prompt, the rest the answer.
func (c *cell) readBlocks(label, payload string) {
	k, known := isLabel(label)
	n, titled, isVerb := splitVerb(label)
	switch {
	case known:
		c.kind = k
	case isVerb && titled == exchange && n < len(label):
		c.kind = exchange // verb and prompt stand in the header-cell
	case isVerb:
		c.kind = titled
	default:
		c.kind = event
	}
	text, rest := firstBlock(payload)
	if c.kind != exchange {
		c.title = strings.TrimSpace(label + " " + text)
		return
	}
	c.verb = label
	if !known {
		c.verb, c.title, c.prompt, c.answer = label[:n], label, label[n:], payload
		return
	}
	c.title, c.prompt, c.answer = label+" "+text, text, payload[rest:]
}

// firstBlock gives the text of the first block, or of what stands before it, and where the rest
// starts. Line breaks are kept, and what is not shown is passed over.
func firstBlock(payload string) (text string, rest int) {
	z := html.NewTokenizer(strings.NewReader(payload))
	var out strings.Builder
	at, depth := 0, 0
	block, hidden := atom.Atom(0), atom.Atom(0)
	shown := func() bool { return strings.TrimSpace(out.String()) != "" }
	for {
		tt := z.Next()
		if tt == html.ErrorToken {
			return strings.Trim(out.String(), " \t\r\n"), at
		}
		start := at
		at += len(z.Raw())
		switch tt {
		case html.TextToken:
			if hidden == 0 {
				out.WriteString(string(z.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			a, _ := tagOf(z)
			switch {
			case hidden != 0:
			case a == atom.Script || a == atom.Style || a == atom.Template || a == atom.Noscript:
				hidden = a
			case a == atom.Br:
				out.WriteByte('\n')
			case a == block && a != atom.P:
				depth++
			case htmlmd.IsBlock(a.String()):
				if block == atom.P || block == 0 && shown() {
					return strings.Trim(out.String(), " \t\r\n"), start
				}
				if block == 0 {
					block, depth = a, 1
				}
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			a := atom.Lookup(name)
			switch {
			case hidden != 0:
				if a == hidden {
					hidden = 0
				}
			case block != 0 && a == block:
				if depth--; depth == 0 {
					return strings.Trim(out.String(), " \t\r\n"), at
				}
			}
		}
	}
}
