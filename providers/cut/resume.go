package cut

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// maxResumed is how often the reading of one member is taken up again behind a unit whose brackets
// do not balance. Each time the member is read from its start.
const maxResumed = 32

// peekedElement is how much of a possible element is looked at to recognize it, in bytes.
const peekedElement = 64 << 10

// Behind manyTried objects that are no elements, only narrowElement bytes of each are looked at: a
// file that is made of objects in objects would else be looked at thousands of times over.
const (
	manyTried     = 100_000
	narrowElement = 4 << 10
)

// resume opens the member again and goes on with the first element behind from that is recognized
// as an element. One unbalanced bracket or quote would else take all elements behind it along.
func (c *cutter) resume(from int64) (more bool, broke int64) {
	r, err := c.u.Member.Open(c.ctx)
	if err != nil {
		return c.given(), -1 // it was opened before: what is wrong now was reported by the unit that broke
	}
	defer func() { c.finish(r, more) }()
	text := importer.UTF8(r)
	if _, err := io.CopyN(io.Discard, text, from); err != nil {
		return c.given(), -1
	}
	br := bufio.NewReaderSize(text, peekedElement)
	passed, found := c.nextElement(br)
	if !found {
		return c.given(), -1
	}
	c.resumed = true
	in, base := io.Reader(br), from+passed
	if c.array {
		in, base = io.MultiReader(bytes.NewReader([]byte{'['}), br), base-1
	}
	return c.cut(jsonscan.NewFramer(in, jsonscan.FrameOptions{MaxValue: c.u.Limits.MaxConversation}), base)
}

// given ends a search without a result. It tells whether to go on: nobody takes what a stopped
// search did not find for all that there is.
func (c *cutter) given() bool {
	if err := c.ctx.Err(); err != nil {
		return c.yield(importer.Unit{}, err)
	}
	return true
}

// nextElement passes over bytes until an object follows a comma or the end of a line and is
// recognized. Quotes inside JSON strings are escaped, so that an element that somebody pasted into
// another does not look like one.
func (c *cutter) nextElement(br *bufio.Reader) (passed int64, found bool) {
	separated := false
	window := peekedElement
	for tried := 0; ; passed++ {
		b, err := br.ReadByte()
		if err != nil {
			return passed, false
		}
		switch b {
		case ',', '\n':
			separated = true
		case ' ', '\t', '\r':
		case '{':
			if !separated {
				continue
			}
			separated = false
			if err := br.UnreadByte(); err != nil {
				return passed, false
			}
			if start, err := br.Peek(window); (err == nil || errors.Is(err, io.EOF)) && c.o.Recognize(start) {
				return passed, true
			}
			if tried++; tried == manyTried {
				window = narrowElement
			}
			if c.ctx.Err() != nil {
				return passed, false
			}
			if _, err := br.Discard(1); err != nil {
				return passed, false
			}
		default:
			separated = false
		}
	}
}
