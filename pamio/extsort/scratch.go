package extsort

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// scratch is one file of sorted runs, one behind the other. Its name is removed as soon as it is
// open where the system allows that, so that a killed process leaves nothing.
type scratch struct {
	file *os.File
	name string // "" when the name is gone already
	size int64
	runs []run
}

// run is a section of a scratch file.
type run struct {
	offset, length int64
}

func newScratch(dir string) (*scratch, error) {
	f, err := os.CreateTemp(dir, "sort-*")
	if err != nil {
		return nil, fmt.Errorf("create scratch file: %w", err)
	}
	s := &scratch{file: f, name: f.Name()}
	if os.Remove(s.name) == nil {
		s.name = ""
	}
	return s, nil
}

func (s *scratch) close() error {
	if s == nil {
		return nil
	}
	err := s.file.Close()
	if s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
	}
	if err != nil {
		return fmt.Errorf("remove scratch file: %w", err)
	}
	return nil
}

// runWriter appends one run to a scratch file. The first error is kept and reported by finish.
type runWriter struct {
	s      *scratch
	out    *bufio.Writer
	length int64
	err    error
	head   [maxHead]byte
}

func (s *scratch) writer(buffer int) *runWriter {
	return &runWriter{s: s, out: bufio.NewWriterSize(io.NewOffsetWriter(s.file, s.size), buffer)}
}

func (w *runWriter) record(key, value []byte) {
	if w.err != nil {
		return
	}
	n := binary.PutUvarint(w.head[:], uint64(len(key)))
	n += binary.PutUvarint(w.head[n:], uint64(len(value)))
	w.text(w.head[:n])
	w.text(key)
	w.text(value)
}

// text writes a part of a record, or all of it.
func (w *runWriter) text(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.out.Write(b)
	w.length, w.err = w.length+int64(n), err
}

func (w *runWriter) finish() error {
	if w.err == nil {
		w.err = w.out.Flush()
	}
	if w.err != nil {
		return fmt.Errorf("write scratch file (is the disk full?): %w", w.err)
	}
	w.s.runs = append(w.s.runs, run{w.s.size, w.length})
	w.s.size += w.length
	return nil
}

// cursor reads one run.
type cursor struct {
	in     *bufio.Reader
	left   int64
	prefix uint64
	data   []byte
	key    int
}

func (s *scratch) cursor(r run, buffer int) *cursor {
	return &cursor{in: bufio.NewReaderSize(io.NewSectionReader(s.file, r.offset, r.length), buffer), left: r.length}
}

// next reads a record; more is false behind the last one.
func (c *cursor) next() (more bool, err error) {
	if c.left == 0 {
		return false, nil
	}
	key, n, err := c.length()
	if err != nil {
		return false, err
	}
	value, m, err := c.length()
	if err != nil {
		return false, err
	}
	size := key + value
	if size < key || int64(n+m)+size > c.left {
		return false, errors.New("read scratch file: its contents changed while it was in use")
	}
	if int64(cap(c.data)) < size {
		c.data = make([]byte, size, size+size/4)
	}
	c.data, c.key = c.data[:size], int(key)
	if _, err := io.ReadFull(c.in, c.data); err != nil {
		return false, readError(err)
	}
	c.left -= int64(n+m) + size
	c.prefix = prefix(c.data[:c.key])
	return true, nil
}

// length reads one length and tells how many bytes it took.
func (c *cursor) length() (int64, int, error) {
	v, err := binary.ReadUvarint(c.in)
	if err != nil {
		return 0, 0, readError(err)
	}
	if v > 1<<56 {
		return 0, 0, errors.New("read scratch file: its contents changed while it was in use")
	}
	n := 1
	for x := v; x >= 0x80; x >>= 7 {
		n++
	}
	return int64(v), n, nil
}

func readError(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read scratch file: %w", err)
}
