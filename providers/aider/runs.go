package aider

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// mark begins a run.
const mark = "# aider chat started at "

// hasRun tells whether a run begins in a text.
func hasRun(text string) bool {
	return strings.HasPrefix(strings.TrimPrefix(text, "\ufeff"), mark) || strings.Contains(text, "\n"+mark)
}

// splitRuns yields the runs of a history. It tells whether to go on.
func splitRuns(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	r, err := u.Member.Open(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return yield(importer.Unit{}, ctx.Err())
		}
		u.Err = &importer.UnitError{Member: u.Member.Name, Code: cut.CodeUnread, Reason: "the file cannot be read: " + err.Error()}
		return yield(u, nil)
	}
	s := runSplitter{ctx: ctx, u: u, yield: yield, in: bufio.NewReaderSize(importer.UTF8(r), 64<<10)}
	more := s.split()
	if more {
		_, _ = io.Copy(io.Discard, r) // whoever hashes what is read has all of it
	}
	_ = r.Close() // only read
	return more
}

// runSplitter collects the lines of one run.
type runSplitter struct {
	ctx   context.Context
	u     importer.Unit
	yield func(importer.Unit, error) bool
	in    *bufio.Reader
	run   []byte
	parts int   // messages of the run, about
	part  byte  // the mark of the last one; 0 for an answer
	size  int64 // of the run, also of what was not kept
	at    int64 // where the run starts
	index int
}

func (s *runSplitter) split() bool {
	start := true // of a line
	for {
		if err := s.ctx.Err(); err != nil {
			return s.yield(importer.Unit{}, err)
		}
		part, err := s.in.ReadSlice('\n')
		if start && bytes.HasPrefix(part, []byte(mark)) && !s.end() {
			return false
		}
		if start {
			s.countPart(part)
		}
		start = !errors.Is(err, bufio.ErrBufferFull)
		s.size += int64(len(part))
		if s.size <= s.u.Limits.MaxConversation {
			s.run = append(s.run, part...)
		} else {
			s.run = nil
		}
		if memory := s.u.Limits.Memory; memory != nil {
			if err := memory.Hold(s.ctx, int64(len(s.run))); err != nil {
				return s.yield(importer.Unit{}, err)
			}
		}
		switch {
		case err == nil, errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return s.end()
		case s.ctx.Err() != nil:
			return s.yield(importer.Unit{}, s.ctx.Err())
		default:
			return s.end() && s.bad(cut.CodeUnread, "the file cannot be read to its end: "+err.Error())
		}
	}
}

// countPart counts a line that may begin a message: its mark differs from that of the line before.
func (s *runSplitter) countPart(line []byte) {
	mark := byte(0)
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return
	case bytes.HasPrefix(line, []byte("####")):
		mark = '#'
	case line[0] == '>':
		mark = '>'
	}
	if mark != s.part {
		s.parts++
	}
	s.part = mark
}

// end yields the run, unless it is blank.
func (s *runSplitter) end() bool {
	more := true
	switch {
	case s.size > s.u.Limits.MaxConversation:
		more = s.bad(cut.CodeTooBig, fmt.Sprintf("the run has %d bytes, more than the limit of %d; raise limits.max_conversation to read it", s.size, s.u.Limits.MaxConversation))
	case len(bytes.TrimSpace(s.run)) > 0:
		u := s.u
		u.Index, u.Offset, u.Parts = s.index, s.at, s.parts
		u.Raw = pamio.AppendString(nil, strings.ToValidUTF8(string(s.run), "\uFFFD"))
		s.index++
		more = s.yield(u, nil)
	}
	s.at += s.size
	s.run, s.size, s.parts, s.part = nil, 0, 0, 0
	return more
}

func (s *runSplitter) bad(code, reason string) bool {
	u := s.u
	u.Index, u.Offset = s.index, s.at
	u.Err = &importer.UnitError{Member: u.Member.Name, Index: s.index, Offset: s.at, Size: s.size, Code: code, Reason: reason}
	s.index++
	return s.yield(u, nil)
}
