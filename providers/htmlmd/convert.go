package htmlmd

import (
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// MaxNesting is how deep lists and quotes are shown; what lies deeper is shown at this depth.
const MaxNesting = 12

// Convert gives the Markdown of a piece of HTML, "" for one without anything to see. Bytes that are
// not UTF-8 become U+FFFD.
func Convert(src string) string {
	c := &converter{z: html.NewTokenizer(strings.NewReader(strings.ToValidUTF8(src, "\uFFFD")))}
	c.out.out.Grow(min(len(src)/2, 4096)) // of an ordinary answer: what is too much stays with the text
	c.run()
	return c.out.String()
}

// converter holds what is open. Blocks are written as they end.
type converter struct {
	z   *html.Tokenizer
	out blocks
	in  inline

	hidden atom.Atom // the element whose content is left out, 0 for none
	depth  int       // how often it is open
	lists  []list
	open   []atom.Atom // items and quotes
	quotes int         // of them
	table  *table
	head   int // level of the open heading, 0 for none
}

// hidden are elements that are not shown.
var hidden = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true, atom.Head: true, atom.Iframe: true,
	atom.Noembed: true, atom.Noframes: true, atom.Title: true,
}

// blockLevel are elements that end the line before them and their own.
var blockLevel = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Section: true, atom.Article: true, atom.Header: true, atom.Footer: true, atom.Main: true,
	atom.Figure: true, atom.Figcaption: true, atom.Dl: true, atom.Dt: true, atom.Dd: true, atom.Details: true, atom.Summary: true,
	atom.Address: true, atom.Aside: true, atom.Nav: true, atom.Form: true, atom.Fieldset: true, atom.Center: true, atom.Body: true,
	atom.Html: true,
}

// IsBlock tells whether an element of this name starts a block of its own.
func IsBlock(name string) bool {
	a := atom.Lookup([]byte(name))
	switch a {
	case atom.Ul, atom.Ol, atom.Li, atom.Table, atom.Pre, atom.Blockquote, atom.Hr:
		return true
	}
	return blockLevel[a] || level(a) > 0
}

func (c *converter) run() {
	for {
		switch c.z.Next() {
		case html.ErrorToken:
			// Reading from a string ends with io.EOF or not at all.
			if errors.Is(c.z.Err(), io.EOF) {
				c.finish()
			}
			return
		case html.TextToken:
			c.text(string(c.z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := c.z.TagName()
			c.start(atom.Lookup(name), attributes(c.z, more))
		case html.EndTagToken:
			name, _ := c.z.TagName()
			c.end(atom.Lookup(name))
		}
	}
}

// attributes reads those that matter.
func attributes(z *html.Tokenizer, more bool) map[string]string {
	var out map[string]string
	for more {
		var k, v []byte
		k, v, more = z.TagAttr()
		switch string(k) {
		case "href", "src", "alt", "class", "start", "title":
			if out == nil {
				out = map[string]string{}
			}
			if _, twice := out[string(k)]; !twice {
				out[string(k)] = string(v)
			}
		}
	}
	return out
}

func (c *converter) text(s string) {
	if c.hidden == 0 {
		c.in.text(s)
	}
}

func (c *converter) start(a atom.Atom, attr map[string]string) {
	if c.hidden != 0 {
		if a == c.hidden {
			c.depth++
		}
		return
	}
	switch {
	case hidden[a]:
		c.hidden, c.depth = a, 1
	case c.in.pre != nil:
		c.in.startInPre(a, attr)
	case a == atom.Br:
		c.in.lineBreak()
	case c.in.start(a, attr):
	case c.table != nil:
		c.inTable(a)
	case a == atom.Table:
		c.flush()
		c.table = &table{}
	case level(a) > 0:
		c.flush()
		c.head = level(a)
	case a == atom.Ul || a == atom.Ol:
		c.flush()
		c.openList(a, attr["start"])
	case a == atom.Li:
		c.flush()
		c.item()
	case a == atom.Blockquote:
		c.flush()
		c.openQuote()
	case a == atom.Pre:
		c.flush()
		c.in.openPre()
	case a == atom.Hr:
		c.flush()
		c.out.block("---")
	case blockLevel[a]:
		c.flush()
	}
}

func (c *converter) end(a atom.Atom) {
	if c.hidden != 0 {
		if a == c.hidden {
			if c.depth--; c.depth == 0 {
				c.hidden = 0
			}
		}
		return
	}
	switch {
	case c.in.pre != nil:
		if a == atom.Pre {
			c.closePre()
		}
	case c.in.end(a):
	case c.table != nil:
		c.endInTable(a)
	case level(a) > 0:
		c.flush()
	case a == atom.Ul || a == atom.Ol:
		c.flush()
		c.closeList()
	case a == atom.Li:
		c.flush()
		c.closeItem()
	case a == atom.Blockquote:
		c.flush()
		c.closeQuote()
	case blockLevel[a]:
		c.flush()
	}
}

func level(a atom.Atom) int {
	switch a {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4:
		return 4
	case atom.H5:
		return 5
	case atom.H6:
		return 6
	}
	return 0
}

// flush writes the open line as a paragraph or heading.
func (c *converter) flush() {
	text := c.in.take()
	head := c.head
	c.head = 0
	if text == "" {
		return
	}
	if head > 0 {
		c.out.block(strings.Repeat("#", head) + " " + strings.Join(strings.Fields(text), " "))
		return
	}
	c.out.block(text)
}

func (c *converter) closePre() {
	code, language := c.in.closePre()
	if c.table != nil {
		c.in.code(strings.Join(strings.Fields(code), " "))
		return
	}
	c.out.block(fenced(code, language))
}

func (c *converter) finish() {
	if c.in.pre != nil {
		c.closePre()
	}
	if c.table != nil {
		c.closeTable()
	}
	c.flush()
	c.closeTo(0)
}
