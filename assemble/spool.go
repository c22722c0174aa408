package assemble

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/pamline/pamline/pamio"
)

// Spool is a scratch file that was written once and can be read any number of times.
type Spool struct {
	// Count is the number of elements, Size that of the bytes.
	Count, Size int64
	// Digest is "sha256:<hex>": of a section, that of the collection as an array, as pamio.Section
	// has it; of lines, that of their bytes.
	Digest string

	file *os.File
	name string // "" when the name is gone already
}

// Reader reads the spool from its start. Readers are independent of each other and end with Close
// of the Result.
func (s *Spool) Reader() io.Reader { return io.NewSectionReader(s.file, 0, s.Size) }

func newSpool(dir string) (*Spool, error) {
	f, err := os.CreateTemp(dir, "assemble-*")
	if err != nil {
		return nil, fmt.Errorf("create scratch file: %w", err)
	}
	s := &Spool{file: f, name: f.Name()}
	if os.Remove(s.name) == nil {
		s.name = "" // so that a killed process leaves nothing
	}
	return s, nil
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

const spoolBuffer = 128 << 10

// sectionWriter fills a spool with a section of a store.
type sectionWriter struct {
	*pamio.Section
	spool *Spool
	out   *bufio.Writer
}

func newSectionWriter(s *Spool) *sectionWriter {
	out := bufio.NewWriterSize(s.file, spoolBuffer)
	return &sectionWriter{pamio.NewSection(out), s, out}
}

func (w *sectionWriter) finish() error {
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("write scratch file (is the disk full?): %w", err)
	}
	w.spool.Count, w.spool.Size, w.spool.Digest = w.Count(), w.Size(), w.Digest()
	return nil
}

// lineWriter fills a spool with lines.
type lineWriter struct {
	spool *Spool
	out   *bufio.Writer
	hash  hash.Hash
}

func newLineWriter(s *Spool) *lineWriter {
	h := sha256.New()
	return &lineWriter{s, bufio.NewWriterSize(io.MultiWriter(s.file, h), spoolBuffer), h}
}

// add writes a line, which has no newline yet.
func (w *lineWriter) add(line []byte) error {
	_, err := w.out.Write(line)
	if err == nil {
		err = w.out.WriteByte('\n')
	}
	if err != nil {
		return fmt.Errorf("write scratch file (is the disk full?): %w", err)
	}
	w.spool.Count++
	w.spool.Size += int64(len(line)) + 1
	return nil
}

func (w *lineWriter) finish() error {
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("write scratch file (is the disk full?): %w", err)
	}
	w.spool.Digest = pamio.Digest([sha256.Size]byte(w.hash.Sum(nil)))
	return nil
}
