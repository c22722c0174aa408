package cut

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// cutter cuts one member into units.
type cutter struct {
	ctx     context.Context
	u       importer.Unit
	o       Options
	yield   func(importer.Unit, error) bool
	index   int
	array   bool // the elements are those of a list, not lines
	resumed bool
	// last is where the unit yielded last starts: with its brackets wrong in another way than their
	// number, it may have swallowed those behind it.
	last int64
	held *holding // of the first pass over the member
}

// finish closes a member. Unless nobody wants more of it, it is read to its end first, whatever was
// made of it, so that whoever hashes what is read has all of it.
func (c *cutter) finish(r io.ReadCloser, more bool) {
	if more {
		_, _ = io.Copy(io.Discard, r) // what cannot be read was reported
	}
	_ = r.Close() // only read
}

// bad yields a unit that could not be cut out.
func (c *cutter) bad(offset, size int64, code, reason string) bool {
	b := c.u
	b.Index, b.Offset = c.index, offset
	b.Err = &importer.UnitError{Member: c.u.Member.Name, Index: c.index, Offset: offset, Size: size, Code: code, Reason: reason}
	c.index++
	return c.yield(b, nil)
}

// cut yields what the framer gives, whose stream starts at base in the member. more tells whether
// to go on; broke is where the unit starts at which the stream stopped making sense, -1 when it did
// not.
func (c *cutter) cut(f *jsonscan.Framer, base int64) (more bool, broke int64) {
	var buf []byte
	for {
		if err := c.ctx.Err(); err != nil {
			return c.yield(importer.Unit{}, err), -1
		}
		fr, err := f.Next(buf)
		c.array = c.array || f.InArray()
		switch {
		case errors.Is(err, io.EOF):
			return true, -1
		case err != nil:
			return c.broken(f, fr, base, err)
		case fr.Rest:
			// The object around a wrapped list, with its other keys.
			rest := c.u
			rest.Role, rest.Index, rest.Offset = c.o.Rest, c.index, base+fr.Offset
			rest.Raw, buf = ownBytes(fr.Raw)
			if c.o.Rest != "" && len(fr.Raw) > 2 && !c.yield(rest, nil) {
				return false, -1
			}
		case fr.TooBig:
			if !c.bad(base+fr.Offset, fr.Size, CodeTooBig, fmt.Sprintf("the element has %d bytes, more than the limit of %d; raise limits.max_conversation to read it", fr.Size, c.u.Limits.MaxConversation)) {
				return false, -1
			}
		default:
			next := c.u
			next.Index, next.Offset = c.index, base+fr.Offset
			next.Raw, buf = ownBytes(fr.Raw)
			if role := c.o.Roles[fr.Wrapper]; role != "" {
				next.Role = role
			}
			c.index++
			c.last = next.Offset
			if !c.yield(next, nil) {
				return false, -1
			}
		}
		if err := c.held.next(); err != nil {
			return c.yield(importer.Unit{}, err), -1
		}
	}
}

// keptBuffer is the largest element whose memory takes the next one.
const keptBuffer = 4 << 20

// ownBytes gives a unit bytes of its own, for it may be decoded elsewhere, and the memory for the
// next element. A copy of the right length costs less than memory that grows with each element; a
// large element is not held twice.
func ownBytes(raw []byte) (own, buf []byte) {
	if len(raw) > keptBuffer {
		return raw, nil
	}
	return bytes.Clone(raw), raw
}

// broken yields the unit at which a stream ended too early or stopped being JSON.
func (c *cutter) broken(f *jsonscan.Framer, fr jsonscan.Frame, base int64, err error) (more bool, broke int64) {
	var cut *jsonscan.TruncatedError
	var syn *jsonscan.SyntaxError
	switch {
	case c.ctx.Err() != nil:
		return c.yield(importer.Unit{}, c.ctx.Err()), -1
	case errors.As(err, &cut):
		at := base + fr.Offset
		broke = at
		if len(fr.Raw) == 0 && c.last >= 0 {
			broke = c.last
		}
		return c.bad(at, 0, CodeTruncated, fmt.Sprintf("a bracket or quote that is opened here is not closed before the file ends, at byte %d; the elements before it were read, and those behind it that can be recognized", base+cut.Offset)), broke
	case errors.As(err, &syn):
		at := base + int64(syn.Offset)
		if c.resumed && len(c.o.Wrappers) > 0 {
			return true, -1 // the end of the object around the list, which is not read a second time
		}
		broke = max(c.last, 0)
		if fr.Offset > 0 {
			broke = base + fr.Offset
		}
		return c.bad(at, 0, CodeSyntax, fmt.Sprintf("the file stops being JSON here: %s; the elements before it were read, and those behind it that can be recognized", syn.Reason)), broke
	}
	return c.bad(base+f.Offset(), 0, CodeUnread, "the file cannot be read to its end: "+err.Error()), -1
}
