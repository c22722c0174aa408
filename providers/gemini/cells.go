package gemini

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// cellClass is the class of the element that a page has for each row.
const cellClass = "outer-cell"

// maxTag is how long a start tag may be, in bytes, to be looked at.
const maxTag = 16 << 10

// cellReader cuts a page into its cells. It looks for their start tags only, for an answer may hold
// any other markup, broken one too. It holds one cell.
type cellReader struct {
	r     *bufio.Reader
	limit int64 // bytes of a cell
	// hold waits until there is memory for so many bytes of a cell; nil does not.
	hold func(n int64) error
	at   int64
	next []byte // the start tag of the next cell, when it was read
	err  error
}

func newCellReader(r io.Reader, limit int64) *cellReader {
	return &cellReader{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// rawCell is the HTML of a cell and where it starts. Of one that is longer than the limit only the
// size is known.
type rawCell struct {
	html   []byte
	offset int64
	size   int64
	tooBig bool
	cut    bool // the page ends inside it
}

// read gives the next cell; io.EOF at the end of the page, or the error of reading it, behind the
// last one.
func (c *cellReader) read() (rawCell, error) {
	if c.next == nil {
		if c.err != nil {
			return rawCell{}, c.err
		}
		c.pass(nil)
		if c.next == nil {
			return rawCell{}, c.err
		}
	}
	cell := rawCell{offset: c.at - int64(len(c.next)), html: c.next}
	c.next = nil
	c.pass(&cell)
	cell.size = c.at - cell.offset - int64(len(c.next))
	if cell.tooBig {
		cell.html = nil
		return cell, nil
	}
	end, closed := cellEnd(cell.html)
	cell.cut = c.next == nil && !closed && !bytes.Contains(bytes.ToLower(cell.html), []byte("</html"))
	cell.html = cell.html[:end]
	return cell, nil
}

// pass reads up to behind the next start tag of a cell, which becomes c.next, or to the end. What
// stands before it goes into cell.
func (c *cellReader) pass(cell *rawCell) {
	put := func(b []byte) {
		if cell == nil || cell.tooBig {
			return
		}
		if int64(len(cell.html)+len(b)) > c.limit {
			cell.tooBig = true
			return
		}
		cell.html = append(cell.html, b...)
		if c.hold != nil && c.err == nil {
			c.err = c.hold(int64(len(cell.html)))
		}
	}
	for {
		text, err := c.r.ReadSlice('<')
		c.at += int64(len(text))
		if n := len(text); n > 0 && text[n-1] == '<' && err == nil {
			put(text[:n-1])
		} else {
			put(text)
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			c.err = err
			return
		}
		tag, err := c.tag()
		if isCell(tag) {
			c.next = tag
			return
		}
		put(tag)
		if err != nil {
			c.err = err
			return
		}
	}
}

// tag reads a div's start tag up to its end; of anything else only the first bytes. No tag of a
// cell has "<" in it, so that an attribute that is not closed ends where the next tag starts.
func (c *cellReader) tag() ([]byte, error) {
	out := []byte{'<'}
	start, err := c.r.Peek(len("div "))
	if err != nil && len(start) < len("div ") || !bytes.EqualFold(start[:3], []byte("div")) || !isHTMLSpace(start[3]) {
		return out, nil // what is wrong with reading is met again
	}
	for len(out) < maxTag {
		b, err := c.r.ReadByte()
		if err != nil {
			return out, err
		}
		if b == '<' {
			return out, c.r.UnreadByte()
		}
		c.at++
		if out = append(out, b); b == '>' {
			break
		}
	}
	return out, nil
}

func isHTMLSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' || b == '\f' }

// isCell tells whether a start tag has the class of a cell.
func isCell(tag []byte) bool {
	if !bytes.Contains(tag, []byte(cellClass)) {
		return false
	}
	z := html.NewTokenizer(bytes.NewReader(tag))
	return z.Next() == html.StartTagToken && slices.Contains(classes(z), cellClass)
}

// classes are those of the tag that stands next.
func classes(z *html.Tokenizer) []string {
	_, more := z.TagName()
	for more {
		var k, v []byte
		if k, v, more = z.TagAttr(); string(k) == "class" {
			return strings.Fields(string(v))
		}
	}
	return nil
}

// cellEnd is where a cell ends: behind the end tag of its element, if nothing but end tags and
// space follows it. So the last cell of a page is as long as it is anywhere else. End tags without
// a start, which an answer may have, end nothing as long as something follows.
func cellEnd(cell []byte) (end int, closed bool) {
	z := html.NewTokenizer(bytes.NewReader(cell))
	depth, at := 0, 0
	end = len(cell)
	sibling := 0 // the depth of the header-cell
	for {
		tt := z.Next()
		if tt == html.ErrorToken {
			return end, closed
		}
		at += len(z.Raw())
		switch tt {
		case html.StartTagToken:
			name, more := z.TagName()
			if string(name) != "div" {
				end, closed = len(cell), false
				continue
			}
			depth = max(depth, 0) + 1
			end, closed = len(cell), false
			for more {
				var k, v []byte
				k, v, more = z.TagAttr()
				switch {
				case string(k) != "class":
				case strings.Contains(string(v), "header-cell"):
					sibling = depth
				case strings.Contains(string(v), "content-cell") && sibling > 0:
					depth = sibling // whatever an answer before it left open or closed
				}
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == "div" {
				if depth--; depth == 0 {
					end, closed = at, true
				}
			}
		case html.TextToken:
			if len(bytes.TrimSpace(z.Raw())) > 0 {
				end, closed = len(cell), false
			}
		}
	}
}
