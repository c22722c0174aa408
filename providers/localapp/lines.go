package localapp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// maxBadLines is how many broken lines of one file are reported one by one; what is behind them is summed up.
const maxBadLines = 1000

// Lines reads a file of JSON Lines that is one conversation: each line that is an object goes to keep, verbatim. A broken
// line is quarantined alone: bad gets a unit for it, made from u, and tells whether to go on. A file that cannot be read
// to its end or that is larger than the limit gives an *importer.UnitError; any other error is the context's.
func Lines(ctx context.Context, u importer.Unit, keep func(line []byte), bad func(importer.Unit) bool) (more bool, err error) {
	r, err := u.Member.Open(ctx)
	if err != nil {
		return true, unread(ctx, u, err)
	}
	defer func() {
		if more {
			_, _ = io.Copy(io.Discard, r) // whoever hashes what is read has all of it
		}
		_ = r.Close() // only read
	}()
	l := liner{u: u, bad: bad, r: bufio.NewReaderSize(r, 64<<10)}
	for index := 0; ; index++ {
		line, offset, end := l.next()
		if err := ctx.Err(); err != nil {
			return true, err
		}
		if l.offset > u.Limits.MaxConversation {
			return true, &importer.UnitError{
				Member: u.Member.Name, Size: max(u.Member.Size, l.offset), Code: cut.CodeTooBig,
				Reason: fmt.Sprintf("the file has more bytes than the limit of %d; raise limits.max_conversation to read it", u.Limits.MaxConversation),
			}
		}
		if index == 0 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if reason := broken(line, u.Limits.MaxDepth); reason == "" {
				keep(line)
			} else if !l.report(index, offset, int64(len(line)), reason) {
				return false, nil
			}
		}
		switch {
		case errors.Is(end, io.EOF):
			return l.sum(index), nil
		case end != nil:
			return true, unread(ctx, u, end)
		}
	}
}

type liner struct {
	u      importer.Unit
	bad    func(importer.Unit) bool
	r      *bufio.Reader
	offset int64
	count  int
	first  int64 // where the first broken line that is only counted stands
}

// next gives a line with its end, where it starts, and the error behind it. A line that passes the limit is cut short.
func (l *liner) next() (line []byte, offset int64, err error) {
	offset = l.offset
	for {
		part, err := l.r.ReadSlice('\n')
		l.offset += int64(len(part))
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) || l.offset > l.u.Limits.MaxConversation {
			return line, offset, err
		}
	}
}

// broken says why a line is no JSON object, "" when it is one.
func broken(line []byte, depth int) string {
	d, err := jsonscan.Parse(line, depth)
	var syn *jsonscan.SyntaxError
	switch {
	case errors.As(err, &syn):
		return fmt.Sprintf("the line is not JSON: %s at byte %d of it; the lines around it were read", syn.Reason, syn.Offset)
	case err != nil:
		return "the line is not JSON; the lines around it were read"
	case d.Root().Kind() != jsonscan.Object:
		return "the line is JSON, but no object; the lines around it were read"
	}
	return ""
}

func (l *liner) report(index int, offset, size int64, reason string) bool {
	if l.count++; l.count > maxBadLines {
		if l.count == maxBadLines+1 {
			l.first = offset
		}
		return true
	}
	return l.yield(index, offset, size, reason)
}

func (l *liner) yield(index int, offset, size int64, reason string) bool {
	u := l.u
	u.Index, u.Offset = index, offset
	u.Err = &importer.UnitError{Member: u.Member.Name, Index: index, Offset: offset, Size: size, Code: cut.CodeSyntax, Reason: reason}
	return l.bad(u)
}

// sum reports the broken lines that were only counted.
func (l *liner) sum(index int) bool {
	if l.count <= maxBadLines {
		return true
	}
	return l.yield(index, l.first, 0, fmt.Sprintf("%d more lines from here on are no JSON objects", l.count-maxBadLines))
}

func unread(ctx context.Context, u importer.Unit, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &importer.UnitError{
		Member: u.Member.Name, Code: cut.CodeUnread,
		Reason: "the file cannot be read to its end: " + err.Error(),
	}
}
