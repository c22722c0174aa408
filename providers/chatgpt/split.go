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
	bad := func(index int, offset, size int64, code, reason string) bool {
		b := u
		b.Index, b.Offset = index, offset
		b.Err = &importer.UnitError{Member: u.Member.Name, Index: index, Offset: offset, Size: size, Code: code, Reason: reason}
		return yield(b, nil)
	}
	r, err := u.Member.Open(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return yield(importer.Unit{}, ctx.Err())
		}
		return bad(0, 0, 0, codeUnread, "the file cannot be read: "+err.Error())
	}
	defer r.Close() //nolint:errcheck // reading has ended; what matters was in the reads
	in := io.Reader(r)
	var base int64
	if u.Role == rolePage {
		page := &countingReader{r: r}
		br := bufio.NewReaderSize(page, 64<<10)
		found, err := skipToPageData(br)
		if err != nil || !found {
			return bad(0, 0, 0, codeUnread, "the page has no conversations in it")
		}
		base = page.n - int64(br.Buffered())
		in = &valueReader{r: br}
	}
	f := jsonscan.NewFramer(in, jsonscan.FrameOptions{MaxValue: u.Limits.MaxConversation, Wrappers: wrappers(u)})
	var buf []byte
	index := 0
	for {
		if err := ctx.Err(); err != nil {
			return yield(importer.Unit{}, err)
		}
		fr, err := f.Next(buf)
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			var cut *jsonscan.TruncatedError
			var syn *jsonscan.SyntaxError
			switch {
			case ctx.Err() != nil:
				return yield(importer.Unit{}, ctx.Err())
			case errors.As(err, &cut):
				return bad(index, base+fr.Offset, int64(len(fr.Raw)), codeTruncated, fmt.Sprintf("the file ends inside its list, at byte %d; what came before was read", base+cut.Offset))
			case errors.As(err, &syn):
				return bad(index, base+int64(syn.Offset), 0, codeSyntax, fmt.Sprintf("the file stops being JSON at byte %d: %s; what came before was read", base+int64(syn.Offset), syn.Reason))
			}
			return bad(index, base+f.Offset(), 0, codeUnread, "the file cannot be read to its end: "+err.Error())
		case fr.Rest:
			// The object around a wrapped list has no conversation of its own; its other keys are counted.
			rest := u
			rest.Role, rest.Index, rest.Offset, rest.Raw = roleReport, index, base+fr.Offset, fr.Raw
			if len(fr.Raw) > 2 && !yield(rest, nil) {
				return false
			}
		case fr.TooBig:
			if !bad(index, base+fr.Offset, fr.Size, codeTooBig, fmt.Sprintf("the conversation has %d bytes, more than the limit of %d; raise limits.max_conversation to read it", fr.Size, u.Limits.MaxConversation)) {
				return false
			}
			index++
		default:
			next := u
			next.Index, next.Offset, next.Raw = index, base+fr.Offset, fr.Raw
			index++
			if !yield(next, nil) {
				return false
			}
		}
		// The unit owns its bytes, for it may be decoded elsewhere; the next one will be about as long.
		buf = make([]byte, 0, min(max(len(fr.Raw), 4<<10), 4<<20))
	}
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
