package copilot

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// A unit is a run of rows of one title, or one row where there are no titles, as JSON:
//
//	{"header":"Conversation,Time,…","dates":"day-first","rows":[{"row":"Tea,2026-…"},{"row":"…","encoding":"windows-1252","bytes":"…"}]}
//
// Rows are in the order of the file and as they stand there, without the line break at the end.
// dates is there when the run has dates that can be read in two ways; bytes, in base64, when the
// row is not UTF-8.

// unitSize is room for what a unit has beside its rows and the names of its columns, in bytes.
const unitSize = 128

// A row becomes a message, which takes rowMemory bytes however short the row is. A conversation may
// take heaviest bytes of memory for each byte of its limit, as everywhere (docs/limits.md).
const (
	rowMemory = 3 << 10
	heaviest  = 7
	// leastRefused is how many rows are never refused for their number.
	leastRefused = 32 << 10
)

// maxBadRows bounds the rows of one member that are quarantined one by one; the rest are counted in
// one unit.
const maxBadRows = 100

// splitMember gives a unit for each run of rows.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	s := splitter{ctx: ctx, yield: yield, u: u, limit: u.Limits.MaxConversation}
	return s.member()
}

// splitter cuts one member.
type splitter struct {
	ctx   context.Context
	yield func(importer.Unit, error) bool
	u     importer.Unit
	limit int64
	index int

	header []byte
	c      columns
	dates  order // what the file says of its dates; fixed: it was not asked yet
	run    run
	bad    int   // rows that were quarantined or counted
	left   int64 // where the first row starts that was only counted
}

// run is the unit that is being collected.
type run struct {
	open   bool
	title  string
	offset int64
	size   int64 // bytes of rows
	count  int64 // of rows
	dated  bool  // has a date that can be read in two ways
	tooBig bool
	rows   []byte
}

// member cuts the member and tells whether to go on.
func (s *splitter) member() bool {
	r, err := s.u.Member.Open(s.ctx)
	if err != nil {
		if s.ctx.Err() != nil {
			return s.yield(importer.Unit{}, s.ctx.Err())
		}
		return s.quarantine(rowError{cut.CodeUnread, 0, 0, "the file cannot be read: " + err.Error()})
	}
	more := s.table(importer.UTF8(r))
	if more {
		_, _ = io.Copy(io.Discard, r) // what cannot be read was reported
	}
	_ = r.Close() // only read
	return more
}

// table reads the rows.
func (s *splitter) table(in io.Reader) bool {
	r := newRecords(in, s.limit)
	header, err := r.firstLine()
	if errors.Is(err, io.EOF) {
		return true // nobody claims an empty file
	}
	if err != nil {
		return s.unreadable(r.offset, err)
	}
	var ok bool
	if s.c, ok = readHeader(header, true); !ok {
		return s.quarantine(rowError{"columns", 0, int64(len(header)), "the first line does not name columns of a time and of a message"})
	}
	s.header, r.delim, r.begins, r.hold = header, s.c.delim, s.c.begins, s.hold
	for {
		if err := s.ctx.Err(); err != nil {
			return s.yield(importer.Unit{}, err)
		}
		rec, bad, err := r.next()
		var more bool
		switch {
		case errors.Is(err, io.EOF):
			return s.end()
		case err != nil:
			return s.unreadable(r.offset, err)
		case bad != nil:
			more = s.passOver(*bad)
		default:
			more = s.row(rec)
		}
		if !more {
			return false
		}
	}
}

// hold waits until there is memory for n bytes of a row beside the rows of its run.
func (s *splitter) hold(n int64) error {
	if s.u.Limits.Memory == nil {
		return nil
	}
	return s.u.Limits.Memory.Hold(s.ctx, n+int64(len(s.run.rows)))
}

// unreadable yields what was read before the file could not be read on.
func (s *splitter) unreadable(at int64, err error) bool {
	if s.ctx.Err() != nil {
		return s.yield(importer.Unit{}, s.ctx.Err())
	}
	return s.flush() && s.quarantine(rowError{cut.CodeUnread, at, 0, "the file cannot be read to its end: " + err.Error()})
}

// row adds a row to the run, or begins another one.
func (s *splitter) row(rec record) bool {
	text, encoding := readText(rec.raw)
	cells := rec.raw
	if encoding != "" {
		cells = []byte(text)
	}
	title := ""
	if !s.c.single() {
		title = unquote(string(s.c.cell(cells, s.c.title)))
	}
	if s.run.open && (s.c.single() || title != s.run.title) && !s.flush() {
		return false
	}
	if !s.run.open {
		s.run = run{open: true, title: title, offset: rec.offset}
	}
	s.run.size += int64(len(rec.raw))
	s.run.count++
	if s.run.tooBig {
		return true
	}
	if at := s.c.cell(cells, s.c.time); !s.run.dated && at != nil {
		if m, ok := readMoment(unquote(string(at)), monthFirst); ok && m.order == either {
			s.run.dated = true
			if s.dates == fixed && !s.survey() {
				return false
			}
		}
	}
	s.run.rows = appendRow(s.run.rows, text, encoding, rec.raw)
	if int64(len(s.run.rows)+len(s.header)+unitSize) > s.limit || s.run.count*rowMemory > heaviest*s.limit && s.run.count > leastRefused {
		s.run.tooBig, s.run.rows = true, nil
	}
	return true
}

func appendRow(dst []byte, text, encoding string, raw []byte) []byte {
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	dst = pamio.AppendString(append(dst, `{"row":`...), text)
	if encoding != "" {
		dst = pamio.AppendString(append(dst, `,"encoding":`...), encoding)
		dst = base64.StdEncoding.AppendEncode(append(dst, `,"bytes":"`...), raw)
		dst = append(dst, '"')
	}
	return append(dst, '}')
}

// flush yields the run.
func (s *splitter) flush() bool {
	done := s.run
	s.run = run{}
	if !done.open {
		return true
	}
	if done.tooBig {
		return s.quarantine(rowError{codeTooBig, done.offset, done.size, fmt.Sprintf("the conversation has %d rows and %d bytes, more than the limit of %d bytes allows; raise limits.max_conversation to read it", done.count, done.size, s.limit)})
	}
	u := s.u
	u.Index, u.Offset = s.index, done.offset
	u.Raw = s.unit(done)
	s.index++
	return s.yield(u, nil)
}

// unit writes a run.
func (s *splitter) unit(run run) []byte {
	header, _ := readText(s.header)
	out := make([]byte, 0, len(run.rows)+len(header)+unitSize)
	out = pamio.AppendString(append(out, `{"header":`...), header)
	if run.dated {
		out = pamio.AppendString(append(out, `,"dates":`...), orderNames[s.dates])
	}
	out = append(append(append(out, `,"rows":[`...), run.rows...), "]}"...)
	return out
}

// end yields what is left at the end of the file.
func (s *splitter) end() bool {
	if !s.flush() {
		return false
	}
	if n := s.bad - maxBadRows; n > 0 && !s.quarantine(rowError{codeQuote, s.left, 0, fmt.Sprintf("%d more rows are broken; the others were read", n)}) {
		return false
	}
	if s.index > 0 {
		return true
	}
	u := s.u
	u.Role, u.Raw = roleEmpty, s.header
	return s.yield(u, nil)
}

// passOver quarantines a broken row, or counts it.
func (s *splitter) passOver(bad rowError) bool {
	if s.bad++; s.bad > maxBadRows {
		if s.bad == maxBadRows+1 {
			s.left = bad.offset
		}
		return true
	}
	return s.quarantine(bad)
}

func (s *splitter) quarantine(bad rowError) bool {
	u := s.u
	u.Index, u.Offset = s.index, bad.offset
	u.Err = &importer.UnitError{Member: s.u.Member.Name, Index: s.index, Offset: bad.offset, Size: bad.size, Code: bad.code, Reason: bad.reason}
	s.index++
	return s.yield(u, nil)
}
