package pamio

import (
	"fmt"
	"io"
)

// Section writes the elements of one collection, joined by commas, as [WriteStore] takes them. It
// holds no element.
type Section struct {
	w     io.Writer
	sum   Checksummer
	bytes int64
	err   error
}

// NewSection writes to w, which is usually a scratch file behind a buffer.
func NewSection(w io.Writer) *Section { return &Section{w: w} }

// Add writes one element, the text of a JSON value. After an error of the writer the section stays
// failed.
func (s *Section) Add(element []byte) error {
	if err := s.write(element); err != nil {
		return err
	}
	s.sum.add(element)
	return nil
}

// AddOrdered is Add for a collection in ascending order of ids, as the memories of a store are.
// Another order gives an error that wraps [ErrUnsorted] or [ErrDuplicateID], and nothing is
// written.
func (s *Section) AddOrdered(id string, element []byte) error {
	if s.sum.n > 0 && id <= string(s.sum.last) {
		return s.sum.Add(id, element) // refuses
	}
	if err := s.write(element); err != nil {
		return err
	}
	return s.sum.Add(id, element)
}

func (s *Section) write(element []byte) error {
	if s.err != nil {
		return s.err
	}
	if s.sum.n > 0 {
		s.put([]byte{','})
	}
	s.put(element)
	return s.err
}

func (s *Section) put(b []byte) {
	if s.err != nil {
		return
	}
	n, err := s.w.Write(b)
	s.bytes += int64(n)
	if err != nil {
		s.err = fmt.Errorf("write section: %w", err)
	}
}

// Count is the number of elements written.
func (s *Section) Count() int64 { return s.sum.n }

// Size is the length of the text written, in bytes.
func (s *Section) Size() int64 { return s.bytes }

// Digest is "sha256:<hex>" of the collection as an array, "[" and "]" included. For canonical
// memories in order it is integrity.checksum (PAM §15.2).
func (s *Section) Digest() string { return s.sum.Sum() }

// Integrity is the block for a store with this section as its memories (PAM §15.3).
func (s *Section) Integrity() Integrity { return s.sum.Integrity() }
