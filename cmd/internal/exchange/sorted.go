package exchange

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// sorted is a collection whose elements are sorted by their ids, in scratch files.
type sorted struct {
	sorter *extsort.Sorter
	folder string
	file   *os.File
	// text are the elements joined by commas; nil until sort.
	text io.Reader
	buf  []byte
}

func newSorted(folder string) *sorted { return &sorted{sorter: extsort.New(folder, 0), folder: folder} }

// add adds the element that write appends.
func (s *sorted) add(id string, write func([]byte) ([]byte, error)) (err error) {
	if s.buf, err = write(s.buf[:0]); err != nil {
		return err
	}
	return s.sorter.Add([]byte(id), s.buf)
}

// sort makes the text, and the integrity block that it has if it is that of memories.
func (s *sorted) sort() (in pamio.Integrity, err error) {
	if s.file, err = os.CreateTemp(s.folder, "sorted-*"); err != nil {
		return in, fmt.Errorf("create scratch file: %w", err)
	}
	w := bufio.NewWriterSize(s.file, 256<<10)
	section := pamio.NewSection(w)
	for r, err := range s.sorter.Sorted() {
		if err == nil {
			err = section.AddOrdered(string(r.Key), r.Value)
		}
		if err != nil {
			return in, err
		}
	}
	if err = w.Flush(); err == nil {
		_, err = s.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return in, fmt.Errorf("write scratch file: %w", err)
	}
	s.text = s.file
	return section.Integrity(), nil
}

func (s *sorted) close() error {
	err := s.sorter.Close()
	if s.file != nil {
		err = errors.Join(err, s.file.Close(), os.Remove(s.file.Name()))
	}
	return err
}
