package gemini

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pamline/pamline/providers/htmlmd"
)

// cell is what an outer-cell of a page says. There are two layouts:
//
//	header-cell: product        content-cell: verb and prompt, files, time, a line each; answer        caption
//	header-cell: product, verb, time        content-cell: prompt as its first block; answer
type cell struct {
	item
	stamp  stamp
	timed  bool
	format string
	title  string // verb and prompt
	verb   string // "" when it is not known
	extras extras
	answer string // HTML
}

// The parts of a cell.
type section uint8

const (
	outside section = iota
	headerCell
	payloadCell // the first content-cell
	sideCell    // one with pictures
	captionCell
)

// readCell reads a cell. What it lacks is empty.
func readCell(src string) cell {
	c := cell{format: formatHTML}
	var head blockTexts
	payload, links, side := cutCell(src, &head)
	c.product = strings.TrimSpace(head.at(0))
	c.gemini = isGemini(c.product)
	if s, ok := head.stamp(); ok {
		c.format = formatHTMLHeader
		c.stamp, c.timed = s, true
		c.readBlocks(strings.TrimSpace(head.at(1)), payload)
	} else {
		c.readLines(payload)
	}
	for _, l := range links {
		c.link(l)
	}
	for _, s := range side {
		c.extras.file("", s)
	}
	c.extras.answerImages(c.answer)
	if c.timed {
		c.at = c.stamp.at
	}
	return c
}

// cutCell walks the cell once: the texts of the header-cell, the HTML of the payload, the links of
// the caption and the pictures beside.
func cutCell(src string, head *blockTexts) (payload string, links, side []string) {
	z := html.NewTokenizer(strings.NewReader(src))
	at, from, part := 0, -1, outside
	for {
		tt := z.Next()
		if tt == html.ErrorToken {
			break
		}
		start := at
		at += len(z.Raw())
		switch tt {
		case html.TextToken:
			if part == headerCell {
				head.text(string(z.Text()))
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); part == headerCell {
				head.tag(atom.Lookup(name), false)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, attrs := tagOf(z)
			next := sectionOf(name, attrs["class"], part, from >= 0)
			if next != part {
				if part == payloadCell {
					payload = src[from:start]
				}
				if part = next; part == payloadCell {
					from = at
				}
				continue
			}
			switch {
			case part == headerCell:
				head.tag(name, true)
			case part == captionCell && name == atom.A && len(links) < maxExtras:
				links = append(links, attrs["href"])
			case part == sideCell && name == atom.Img && len(side) < maxExtras:
				side = append(side, attrs["src"])
			}
		}
	}
	if part == payloadCell {
		payload = src[from:]
	}
	return payload, links, side
}

// sectionOf tells which part a start tag opens.
func sectionOf(name atom.Atom, class string, part section, payloadSeen bool) section {
	if name != atom.Div || class == "" {
		return part
	}
	all := strings.Fields(class)
	has := func(c string) bool { return slices.Contains(all, c) }
	switch {
	case has("header-cell"):
		return headerCell
	case !has("content-cell"):
		return part
	case has("mdl-typography--caption"):
		return captionCell
	case has("text-right") || payloadSeen:
		return sideCell
	}
	return payloadCell
}

func tagOf(z *html.Tokenizer) (atom.Atom, map[string]string) {
	name, more := z.TagName()
	a := atom.Lookup(name)
	var out map[string]string
	for more {
		var k, v []byte
		k, v, more = z.TagAttr()
		switch string(k) {
		case "class", "href", "src":
			if out == nil {
				out = map[string]string{}
			}
			out[string(k)] = string(v)
		}
	}
	return a, out
}

// blockTexts are the texts of the blocks of a header-cell. The first ones are kept.
type blockTexts struct {
	blocks []string
	open   strings.Builder
	hidden atom.Atom
}

// maxHeader bounds what is kept of a header-cell, in bytes of a block and in blocks.
const maxHeader = 1 << 10

func (b *blockTexts) text(s string) {
	if b.hidden == 0 && b.open.Len() < maxHeader {
		b.open.WriteString(s)
	}
}

func (b *blockTexts) tag(a atom.Atom, start bool) {
	switch {
	case b.hidden != 0:
		if a == b.hidden && !start {
			b.hidden = 0
		}
	case start && (a == atom.Template || a == atom.Script || a == atom.Style || a == atom.Noscript):
		b.hidden = a
	case a == atom.Br || htmlmd.IsBlock(a.String()):
		b.end()
	}
}

func (b *blockTexts) end() {
	if s := strings.TrimSpace(foldSpaces(b.open.String())); s != "" && len(b.blocks) < 8 {
		b.blocks = append(b.blocks, s)
	}
	b.open.Reset()
}

func (b *blockTexts) at(i int) string {
	b.end()
	if i < len(b.blocks) {
		return b.blocks[i]
	}
	return ""
}

// stamp is the time in the header-cell, if it has one.
func (b *blockTexts) stamp() (stamp, bool) {
	for i := len(b.blocks) - 1; i > 0; i-- {
		if s, ok := parseStamp(b.blocks[i]); ok {
			return s, true
		}
	}
	return stamp{}, false
}
