package assemble

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/pamline/pamline/pamio"
)

// spoolMemory is up to how many bytes a spool stays in memory: the stores of most people need no
// scratch file.
const spoolMemory = 128 << 10

// Spool is written once and can be read any number of times. It is in memory while it is small,
// else a scratch file.
type Spool struct {
	// Count is the number of elements, Size that of the bytes.
	Count, Size int64
	// Digest is "sha256:<hex>": of a section, that of the collection as an array, as pamio.Section
	// has it; of lines, that of their bytes.
	Digest string

	dir   string
	small []byte
	out   *bufio.Writer // to the file; nil: it is small
	file  *os.File
	name  string // "" when the name is gone already
}

// Reader reads the spool from its start. Readers are independent of each other and end with Close
// of the Result.
func (s *Spool) Reader() io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.small)
	}
	return io.NewSectionReader(s.file, 0, s.Size)
}

func newSpool(dir string) *Spool { return &Spool{dir: dir} }

// Write appends to the spool.
func (s *Spool) Write(p []byte) (n int, err error) {
	if s.out == nil && len(s.small)+len(p) <= spoolMemory {
		s.small = append(s.small, p...)
		return len(p), nil
	}
	if s.out == nil {
		if err := s.openFile(); err != nil {
			return 0, err
		}
	}
	if n, err = s.out.Write(p); err != nil {
		return n, fmt.Errorf("write scratch file (is the disk full?): %w", err)
	}
	return n, nil
}

// openFile moves the spool to a scratch file.
func (s *Spool) openFile() (err error) {
	if s.file, err = os.CreateTemp(s.dir, "assemble-*"); err != nil {
		return fmt.Errorf("create scratch file: %w", err)
	}
	s.name = s.file.Name()
	if os.Remove(s.name) == nil {
		s.name = "" // so that a killed process leaves nothing
	}
	s.out = bufio.NewWriterSize(s.file, spoolMemory)
	_, err = s.out.Write(s.small)
	s.small = nil
	return err
}

// flush ends the writing.
func (s *Spool) flush() error {
	if s.out == nil {
		return nil
	}
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("write scratch file (is the disk full?): %w", err)
	}
	s.out = nil
	return nil
}

func (s *Spool) close() error {
	if s == nil || s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	if s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
	}
	if err != nil {
		return fmt.Errorf("remove scratch file: %w", err)
	}
	return nil
}

// sectionWriter fills a spool with a section of a store.
type sectionWriter struct {
	*pamio.Section
	spool *Spool
}

func newSectionWriter(s *Spool) *sectionWriter { return &sectionWriter{pamio.NewSection(s), s} }

func (w *sectionWriter) finish() error {
	w.spool.Count, w.spool.Size, w.spool.Digest = w.Count(), w.Size(), w.Digest()
	return w.spool.flush()
}

// lineWriter fills a spool with lines.
type lineWriter struct {
	spool *Spool
	out   io.Writer
	hash  hash.Hash
}

func newLineWriter(s *Spool) *lineWriter {
	h := sha256.New()
	return &lineWriter{s, io.MultiWriter(s, h), h}
}

// add writes a line, which has no newline yet.
func (w *lineWriter) add(line []byte) error {
	for _, p := range [...][]byte{line, {'\n'}} {
		if _, err := w.out.Write(p); err != nil {
			return err
		}
	}
	w.spool.Count++
	w.spool.Size += int64(len(line)) + 1
	return nil
}

func (w *lineWriter) finish() error {
	w.spool.Digest = pamio.Digest([sha256.Size]byte(w.hash.Sum(nil)))
	return w.spool.flush()
}
