package cut

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// CodeNotObject is the code of a line that is JSON, but no object.
const CodeNotObject = "not_an_object"

// maxBadLines bounds the lines of one member that are quarantined one by one; the rest are counted
// in one unit.
const maxBadLines = 100

// Lines yields one unit with all lines of a log, made from u: Raw is a JSON array whose elements
// are the lines, byte for byte and in their order. A line that is no JSON object, as a program
// leaves behind that was killed while it wrote, is quarantined alone: its Index counts lines from
// 0, and its neighbours go on. A log of more bytes than Limits.MaxConversation is quarantined as a
// whole, for its lines belong together. It tells whether to go on.
func Lines(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	u.Limits = u.Limits.WithDefaults()
	c := &cutter{ctx: ctx, u: u, yield: yield}
	r, err := u.Member.Open(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return yield(importer.Unit{}, ctx.Err())
		}
		return c.bad(0, 0, CodeUnread, "the file cannot be read: "+err.Error())
	}
	l := &lines{c: c, in: bufio.NewReaderSize(&holding{ctx: ctx, memory: u.Limits.Memory, r: importer.UTF8(r)}, 64<<10), raw: []byte{'['}}
	more := l.read()
	c.finish(r, more)
	return more
}

// lines collects the lines of one member.
type lines struct {
	c    *cutter
	in   *bufio.Reader
	raw  []byte // the array so far
	n    int    // lines read
	at   int64  // where the current line starts
	bad  int    // lines that were quarantined or counted
	left int64  // where the first line starts that was only counted
	doc  jsonscan.Doc
}

func (l *lines) read() bool {
	c := l.c
	for {
		if err := c.ctx.Err(); err != nil {
			return c.yield(importer.Unit{}, err)
		}
		start := len(l.raw)
		size, err := l.line()
		if errors.Is(err, errTooLong) {
			return l.tooBig(l.at + size)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			l.raw = l.raw[:start]
			if c.ctx.Err() != nil {
				return c.yield(importer.Unit{}, c.ctx.Err())
			}
			c.index = l.n
			if !c.bad(l.at, 0, CodeUnread, "the file cannot be read to its end: "+err.Error()) {
				return false
			}
			return l.end()
		}
		if !l.keep(start, err != nil) {
			return false
		}
		l.at += size
		if err != nil {
			return l.end()
		}
		l.n++
	}
}

// errTooLong says that the log has more bytes than a unit may have.
var errTooLong = errors.New("too long")

// line appends the next line with its end to raw and gives its length. The error is io.EOF with the
// last one.
func (l *lines) line() (size int64, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		size += int64(len(part))
		if int64(len(l.raw)+len(part)) > l.c.u.Limits.MaxConversation {
			return size, errTooLong
		}
		l.raw = append(l.raw, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return size, err
		}
	}
}

// keep makes the line that starts at start in raw an element of the array, or quarantines it. last:
// the file ends with it.
func (l *lines) keep(start int, last bool) bool {
	text := l.raw[start:]
	if l.at == 0 {
		text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	}
	text = bytes.Trim(text, " \t\r\n")
	if len(text) == 0 {
		l.raw = l.raw[:start]
		return true
	}
	code, reason := l.judge(text, last)
	if code != "" {
		size := int64(len(text))
		l.raw = l.raw[:start]
		if l.bad++; l.bad > maxBadLines {
			if l.bad == maxBadLines+1 {
				l.left = l.at
			}
			return true
		}
		l.c.index = l.n
		return l.c.bad(l.at, size, code, reason)
	}
	n := copy(l.raw[start:], text) // over the white space before it
	l.raw = append(l.raw[:start+n], ',')
	return true
}

// judge tells what is wrong with a line.
func (l *lines) judge(text []byte, last bool) (code, reason string) {
	// The array around the lines is one level more.
	err := l.doc.Parse(text, l.c.u.Limits.MaxDepth-1)
	var syn *jsonscan.SyntaxError
	switch {
	case err == nil && l.doc.Root().Kind() != jsonscan.Object:
		return CodeNotObject, "the line is not a JSON object"
	case err == nil:
		return "", ""
	case errors.Is(err, jsonscan.ErrTooDeep):
		return "too_deep", "the line is nested too deeply; raise limits.max_depth to read it"
	case last && text[0] == '{':
		return CodeTruncated, "the last line is not whole: the program that wrote it was stopped; the lines before it were read"
	case errors.As(err, &syn):
		return CodeSyntax, fmt.Sprintf("the line is not JSON: %s at byte %d of it; the other lines were read", syn.Reason, syn.Offset)
	}
	return CodeSyntax, "the line is not JSON: " + err.Error()
}

// tooBig quarantines the log as a whole. read is how many bytes of it were read.
func (l *lines) tooBig(read int64) bool {
	rest, err := io.Copy(io.Discard, l.in)
	if l.c.ctx.Err() != nil {
		return l.c.yield(importer.Unit{}, l.c.ctx.Err())
	}
	size := fmt.Sprint(read + rest)
	if err != nil {
		size = "at least " + size
	}
	l.c.index = 0
	return l.c.bad(0, read+rest, CodeTooBig, fmt.Sprintf("the log has %s bytes, more than the limit of %d for one conversation; raise limits.max_conversation to read it", size, l.c.u.Limits.MaxConversation))
}

// end yields what was counted, and the array.
func (l *lines) end() bool {
	if n := l.bad - maxBadLines; n > 0 {
		l.c.index = l.n
		if !l.c.bad(l.left, 0, CodeSyntax, fmt.Sprintf("%d more lines are not JSON objects; the others were read", n)) {
			return false
		}
	}
	if len(l.raw) == 1 {
		return true // no line at all
	}
	l.raw[len(l.raw)-1] = ']'
	u := l.c.u
	u.Raw = l.raw
	return l.c.yield(u, nil)
}
