// Package cut cuts the members of an archive into units: the elements of a JSON list, the lines of
// JSON Lines, or whole files. Text in UTF-16 becomes UTF-8; nothing else is decoded, and one unit
// is held at a time. An element whose brackets do not balance is quarantined and reading goes on
// behind it.
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

// Codes of the units that cannot be cut out.
const (
	CodeSyntax    = "syntax"
	CodeTruncated = "truncated"
	CodeTooBig    = "too_big"
	CodeUnread    = "unreadable_member"
)

// Options of Elements.
type Options struct {
	// Wrappers are keys of a top-level object whose lists are cut.
	Wrappers []string
	// Roles are the roles of the elements of wrapped lists, by key; those of other lists have the
	// role of the member.
	Roles map[string]string
	// Rest is the role of the unit that has what stands around a wrapped list; "" gives no such
	// unit.
	Rest string
	// Recognize tells from its first bytes whether an object is an element. With it, reading goes
	// on behind an element that is broken; nil ends the member there.
	Recognize func(prefix []byte) bool
	// Prepare gives the part of the member that is JSON and where it starts; nil: all of it, at 0.
	// An error is reported with its text.
	Prepare func(io.Reader) (in io.Reader, base int64, err error)
}

// Elements yields a unit for each element of a member, made from u. It tells whether to go on.
func Elements(ctx context.Context, u importer.Unit, o Options, yield func(importer.Unit, error) bool) bool {
	c := &cutter{ctx: ctx, u: u, o: o, yield: yield, last: -1}
	h := &holding{ctx: ctx, memory: u.Limits.Memory}
	c.held = h
	r, err := u.Member.Open(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return yield(importer.Unit{}, ctx.Err())
		}
		return c.bad(0, 0, CodeUnread, "the file cannot be read: "+err.Error())
	}
	var in io.Reader
	base := int64(0)
	if o.Prepare == nil {
		in = importer.UTF8(r)
	} else {
		if in, base, err = o.Prepare(r); err != nil {
			_ = r.Close() // only read
			return c.bad(0, 0, CodeUnread, err.Error())
		}
	}
	h.r = in
	more, broke := c.cut(jsonscan.NewFramer(h, jsonscan.FrameOptions{MaxValue: u.Limits.MaxConversation, Wrappers: o.Wrappers}), base)
	c.finish(r, more)
	from := int64(0)
	for n := 0; more && broke >= 0 && o.Recognize != nil && n < maxResumed; n++ {
		from = max(from, broke) + 1 // never back
		more, broke = c.resume(from)
	}
	return more
}

// File yields one unit with all bytes of a member, made from u. It tells whether to go on.
func File(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	c := &cutter{ctx: ctx, u: u, yield: yield}
	data, err := ReadAll(ctx, u)
	var bad *importer.UnitError
	switch {
	case ctx.Err() != nil:
		return yield(importer.Unit{}, ctx.Err())
	case errors.As(err, &bad):
		u.Err = bad
		return yield(u, nil)
	case err != nil:
		return c.bad(0, 0, CodeUnread, "the file cannot be read to its end: "+err.Error())
	}
	u.Raw = data
	return yield(u, nil)
}

// Text is File without the mark of the byte order, which files of programs on Windows begin with.
func Text(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	return File(ctx, u, func(u importer.Unit, err error) bool {
		u.Raw = bytes.TrimPrefix(u.Raw, []byte("\xEF\xBB\xBF"))
		return yield(u, err)
	})
}

// ReadAll reads a member that is one unit. A member over the limit gives an *importer.UnitError.
func ReadAll(ctx context.Context, u importer.Unit) (data []byte, err error) {
	r, err := u.Member.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		_, _ = io.Copy(io.Discard, r) // whoever hashes what is read has all of it
		_ = r.Close()                 // only read
	}()
	limit := u.Limits.WithDefaults().MaxConversation
	data, err = io.ReadAll(io.LimitReader(&holding{ctx: ctx, memory: u.Limits.Memory, r: importer.UTF8(r)}, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, &importer.UnitError{
			Member: u.Member.Name, Size: max(u.Member.Size, limit+1), Code: CodeTooBig,
			Reason: fmt.Sprintf("the file has more bytes than the limit of %d; raise limits.max_conversation to read it", limit),
		}
	}
	return data, nil
}
