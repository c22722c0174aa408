package copilot

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// A record is one row of a CSV file (RFC 4180) as it stands there. Beyond the standard, a quote
// inside a cell that does not begin with one is a character like any other.
type record struct {
	raw    []byte // without the line break that ends it; valid until the next one is asked for
	offset int64  // of its first byte in the text
}

// rowError says where the file stops making sense, and how much of it was passed over.
type rowError struct {
	code         string
	offset, size int64
	reason       string
}

// Codes of rows that are quarantined.
const (
	codeQuote     = "quote"
	codeTruncated = "truncated"
	codeTooBig    = "too_big"
)

// records reads rows one after the other, with one in memory, and what of it is read once more.
// Behind a row whose quotes are wrong it goes on with the next line that begins like a row. Every
// line is looked at a bounded number of times, whatever the quotes are like.
type records struct {
	in    *bufio.Reader
	delim byte
	limit int64 // bytes of one row
	// begins tells whether a line, of which more may follow, begins like a row.
	begins func(line []byte) bool

	// hold waits until there is memory for so many bytes of a row; nil does not.
	hold func(n int64) error

	again  []byte // what is read once more, from at on, before in
	at     int
	offset int64 // of the next piece
	inLine bool  // the piece before did not end its line
	raw    []byte
}

// newRecords starts to read a table. delim and begins are set when the names of its columns are
// known.
func newRecords(in io.Reader, limit int64) *records {
	return &records{in: bufio.NewReaderSize(in, bufferedLine), limit: limit}
}

// piece is a line with its end, or as much of a long one as the buffer holds.
type piece struct {
	text   []byte
	offset int64
	starts bool // at the start of a line
}

// bufferedLine is how much of a line is looked at at once, in bytes.
const bufferedLine = 64 << 10

// keptRow is how much room of a row is used again for the next, in bytes.
const keptRow = 1 << 20

// firstLine gives the first line that is not blank, without its end. It comes before the rows, when
// nobody knows yet what stands between their cells.
func (r *records) firstLine() ([]byte, error) {
	for {
		p, err := r.piece()
		if err != nil {
			return nil, err
		}
		if line := bytes.TrimRight(withoutMark(p.text), "\r\n"); len(bytes.TrimSpace(line)) > 0 {
			return bytes.Clone(line), nil
		}
	}
}

// next gives the next row that is not empty. A *rowError is a row that was passed over; the error
// is io.EOF at the end.
func (r *records) next() (record, *rowError, error) {
	for {
		rec, bad, err := r.row()
		if bad != nil || err != nil || len(rec.raw) > 0 {
			return rec, bad, err
		}
	}
}

func (r *records) row() (record, *rowError, error) {
	if r.raw = r.raw[:0]; cap(r.raw) > keptRow {
		r.raw = nil
	}
	state, size, start := cellStart, int64(0), int64(-1)
	for {
		p, err := r.piece()
		if errors.Is(err, io.EOF) && start >= 0 {
			if state == quoted {
				return record{}, r.broken(start, size, codeTruncated, "a quote that is opened in this row is not closed before the file ends; the rows before it were read, and those behind it that can be recognized"), nil
			}
			return r.whole(start, size)
		}
		if err != nil {
			return record{}, nil, err
		}
		if start < 0 {
			start = p.offset
		}
		size += int64(len(p.text))
		if size <= r.limit {
			if r.hold != nil {
				if err := r.hold(size + int64(len(r.again))); err != nil {
					return record{}, nil, err
				}
			}
			r.raw = append(r.raw, p.text...)
		}
		var used int
		state, used = advance(state, p.text, r.delim)
		switch state {
		case rowEnd:
			return r.whole(start, size)
		case misplaced:
			return record{}, r.broken(start, size, codeQuote, fmt.Sprintf("text follows the closing quote of a cell, at byte %d; the rows before it were read, and those behind it that can be recognized", p.offset+int64(used))), nil
		}
	}
}

// whole gives the row that was collected.
func (r *records) whole(start, size int64) (record, *rowError, error) {
	if size > r.limit {
		return record{}, &rowError{codeTooBig, start, size, fmt.Sprintf("the row has %d bytes, more than the limit of %d; raise limits.max_conversation to read it", size, r.limit)}, nil
	}
	raw := bytes.TrimSuffix(r.raw, []byte("\n"))
	if len(raw) < len(r.raw) {
		raw = bytes.TrimSuffix(raw, []byte("\r"))
	}
	return record{raw, start}, nil, nil
}

// broken passes over a row: to the next of its own lines that begins like one, else to such a line
// behind it. Of a row that is larger than the limit, its own lines are gone.
func (r *records) broken(start, size int64, code, reason string) *rowError {
	bad := &rowError{code: code, offset: start, reason: reason}
	if size <= r.limit {
		for i := lineEnd(r.raw, 0); i < len(r.raw); i = lineEnd(r.raw, i) {
			if r.begins(firstPiece(r.raw[i:])) {
				bad.size = int64(i)
				r.readAgain(i)
				return bad
			}
		}
	}
	for {
		p, err := r.piece()
		if err != nil {
			// The end, or what keeps the file from being read, is found again by the next row.
			bad.size = r.offset - start
			return bad
		}
		if p.starts && r.begins(p.text) {
			bad.size = p.offset - start
			r.unread(p)
			return bad
		}
	}
}

// lineEnd gives where the line ends that the byte at from belongs to, behind its line break.
func lineEnd(b []byte, from int) int {
	if n := bytes.IndexByte(b[from:], '\n'); n >= 0 {
		return from + n + 1
	}
	return len(b)
}

// firstPiece gives the first line of some bytes, or as much of it as is looked at at once.
func firstPiece(b []byte) []byte { return b[:lineEnd(b[:min(len(b), bufferedLine)], 0)] }

// readAgain puts the row that was read last back from one of its lines on.
func (r *records) readAgain(from int) {
	back := len(r.raw) - from
	r.offset -= int64(back)
	r.inLine = false
	if r.at < len(r.again) {
		r.at -= back // then all of the row came from there
		return
	}
	r.again, r.at, r.raw = r.raw, from, nil
}

// unread puts a piece back that was read last and begins a line.
func (r *records) unread(p piece) {
	r.offset, r.inLine = p.offset, false
	if r.at >= len(p.text) {
		r.at -= len(p.text)
		return
	}
	r.again, r.at = bytes.Clone(p.text), 0
}

// piece gives the next piece; its text is valid until the next one is asked for.
func (r *records) piece() (piece, error) {
	text := firstPiece(r.again[r.at:])
	r.at += len(text)
	if len(text) == 0 {
		r.again, r.at = nil, 0
		var err error
		text, err = r.in.ReadSlice('\n')
		if len(text) == 0 && err != nil {
			return piece{}, err
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
			return piece{}, err
		}
	}
	p := piece{text, r.offset, !r.inLine}
	r.offset += int64(len(text))
	r.inLine = text[len(text)-1] != '\n'
	return p, nil
}

// The states between two bytes of a row.
type state uint8

const (
	cellStart state = iota
	plain           // in a cell without quotes
	quoted          // in a quoted cell
	closing         // behind a quote in a quoted cell
	returned        // behind a carriage return behind a closing quote
	rowEnd
	misplaced // behind something that may not follow a closing quote
)

// advance reads a piece, which ends at the first line break if it has one. used is the number of
// bytes that were read.
func advance(s state, text []byte, delim byte) (_ state, used int) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch s {
		case quoted:
			n := bytes.IndexByte(text[i:], '"')
			if n < 0 {
				return quoted, len(text)
			}
			i += n
			s = closing
			continue
		case plain:
			n := bytes.IndexByte(text[i:], delim)
			switch {
			case n >= 0:
				i += n
				s = cellStart
			case text[len(text)-1] == '\n':
				return rowEnd, len(text)
			default:
				return plain, len(text)
			}
			continue
		case returned:
			if c == '\n' {
				return rowEnd, i + 1
			}
			return misplaced, i
		}
		switch {
		case c == '"' && (s == cellStart || s == closing):
			s = quoted
		case c == delim:
			s = cellStart
		case c == '\n':
			return rowEnd, i + 1
		case s == cellStart:
			s = plain
		case c == '\r':
			s = returned
		default:
			return misplaced, i
		}
	}
	return s, len(text)
}
