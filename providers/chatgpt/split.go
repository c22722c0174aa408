package chatgpt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// Split cuts the claimed members into units, in the order of the archive: one for each conversation element, one for each
// sidecar, one for all files together, and a last one for what the export says is missing.
func (Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return func(yield func(importer.Unit, error) bool) {
		limits = limits.WithDefaults()
		j, _ := c.Context.(*joined)
		firstAsset := true
		for _, m := range c.Members {
			u := importer.Unit{Member: m.Member, Role: m.Role, Context: j, Limits: limits}
			switch m.Role {
			case roleConversations, rolePage:
				if !splitMember(ctx, u, yield) {
					return
				}
				continue
			case roleAsset:
				if !firstAsset {
					continue
				}
				firstAsset = false
			}
			if !yield(u, nil) {
				return
			}
		}
		if j != nil && len(j.missing) > 0 && len(c.Members) > 0 {
			yield(importer.Unit{Member: j.manifest, Role: roleReport, Context: j, Limits: limits}, nil)
		}
	}
}

// splitMember yields the elements of one member. It tells whether to go on.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	c := &cutter{ctx: ctx, u: u, yield: yield, last: -1}
	r, err := u.Member.Open(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return yield(importer.Unit{}, ctx.Err())
		}
		return c.bad(0, 0, codeUnread, "the file cannot be read: "+err.Error())
	}
	in := io.Reader(r)
	var base int64
	if u.Role == rolePage {
		page := &countingReader{r: r}
		br := bufio.NewReaderSize(page, 64<<10)
		found, err := skipToPageData(br)
		if err != nil || !found {
			_ = r.Close() // only read
			return c.bad(0, 0, codeUnread, "the page has no conversations in it")
		}
		base = page.n - int64(br.Buffered())
		in = &valueReader{r: br}
	}
	more, broke := c.cut(jsonscan.NewFramer(in, jsonscan.FrameOptions{MaxValue: u.Limits.MaxConversation, Wrappers: wrappers(u)}), base)
	c.finish(r, more)
	from := int64(0)
	for n := 0; more && broke >= 0 && u.Role == roleConversations && n < maxResumed; n++ {
		from = max(from, broke) + 1 // never back
		more, broke = c.resume(from)
	}
	return more
}

// cutter cuts one member into units.
type cutter struct {
	ctx     context.Context
	u       importer.Unit
	yield   func(importer.Unit, error) bool
	index   int
	array   bool // the elements are those of a list, not lines
	resumed bool
	// last is where the unit yielded last starts: with its brackets wrong in another way than their number, it may have
	// swallowed those behind it.
	last int64
}

// finish closes a member. Unless nobody wants more of it, it is read to its end first, whatever was made of it, so that
// whoever hashes what is read has all of it.
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

// cut yields what the framer gives, whose stream starts at base in the member. more tells whether to go on; broke is where
// the unit starts at which the stream stopped making sense, -1 when it did not.
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
			// The object around a wrapped list has no conversation of its own; its other keys are counted.
			rest := c.u
			rest.Role, rest.Index, rest.Offset, rest.Raw = roleReport, c.index, base+fr.Offset, fr.Raw
			if len(fr.Raw) > 2 && !c.yield(rest, nil) {
				return false, -1
			}
		case fr.TooBig:
			if !c.bad(base+fr.Offset, fr.Size, codeTooBig, fmt.Sprintf("the conversation has %d bytes, more than the limit of %d; raise limits.max_conversation to read it", fr.Size, c.u.Limits.MaxConversation)) {
				return false, -1
			}
		default:
			next := c.u
			next.Index, next.Offset, next.Raw = c.index, base+fr.Offset, fr.Raw
			c.index++
			c.last = next.Offset
			if !c.yield(next, nil) {
				return false, -1
			}
		}
		// The unit owns its bytes, for it may be decoded elsewhere; the next one will be about as long.
		buf = make([]byte, 0, min(max(len(fr.Raw), 4<<10), 4<<20))
	}
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
		return c.bad(at, 0, codeTruncated, fmt.Sprintf("a bracket or quote that is opened here is not closed before the file ends, at byte %d; the conversations before it were read, and those behind it that can be recognised", base+cut.Offset)), broke
	case errors.As(err, &syn):
		at := base + int64(syn.Offset)
		if c.resumed && len(wrappers(c.u)) > 0 {
			return true, -1 // the end of the object around the list, which is not read a second time
		}
		broke = max(c.last, 0)
		if fr.Offset > 0 {
			broke = base + fr.Offset
		}
		return c.bad(at, 0, codeSyntax, fmt.Sprintf("the file stops being JSON here: %s; the conversations before it were read, and those behind it that can be recognised", syn.Reason)), broke
	}
	return c.bad(base+f.Offset(), 0, codeUnread, "the file cannot be read to its end: "+err.Error()), -1
}

// wrappers are the keys whose lists are cut, for members that the claim found to be wrapped.
func wrappers(u importer.Unit) []string {
	j, _ := u.Context.(*joined)
	if j != nil && j.wrapped[u.Member.Index] {
		return []string{"conversations"}
	}
	return nil
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
