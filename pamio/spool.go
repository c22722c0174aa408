package pamio

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// spools hold the elements of collections in scratch files until the whole document is known.
type spools struct {
	files map[string]*spool
}

// spool is one collection: its elements joined by commas.
type spool struct {
	file  *os.File
	w     *bufio.Writer
	count int64
}

func newSpools(folder string, keys map[string]string) (*spools, error) {
	s := &spools{files: map[string]*spool{}}
	for collection := range keys {
		f, err := os.CreateTemp(folder, "pamio-*")
		if err != nil {
			return nil, errors.Join(fmt.Errorf("create scratch file: %w", err), s.close())
		}
		s.files[collection] = &spool{file: f, w: bufio.NewWriterSize(f, 256<<10)}
	}
	return s, nil
}

func (s *spools) add(collection string, raw []byte) error {
	f := s.files[collection]
	if f.count > 0 {
		if err := f.w.WriteByte(','); err != nil {
			return fmt.Errorf("write scratch file: %w", err)
		}
	}
	f.count++
	if _, err := f.w.Write(raw); err != nil {
		return fmt.Errorf("write scratch file: %w", err)
	}
	return nil
}

// open gives the text of a collection from its beginning.
func (s *spools) open(collection string) (io.Reader, error) {
	f := s.files[collection]
	err := f.w.Flush()
	if err == nil {
		_, err = f.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, fmt.Errorf("read scratch file: %w", err)
	}
	return f.file, nil
}

// write writes the document: the open object, then the collections, of which empty ones only if
// they are wanted.
func (s *spools) write(w io.Writer, head []byte, order []string, wanted func(string) bool) error {
	out := bufio.NewWriterSize(w, 64<<10)
	out.Write(head) //nolint:errcheck // the error stays in the writer
	for _, collection := range order {
		if s.files[collection].count == 0 && !wanted(collection) {
			continue
		}
		r, err := s.open(collection)
		if err != nil {
			return err
		}
		out.WriteString(`,"` + collection + `":[`) //nolint:errcheck // the error stays in the writer
		if _, err := io.Copy(out, r); err != nil {
			return fmt.Errorf("write document: %w", err)
		}
		out.WriteByte(']') //nolint:errcheck // the error stays in the writer
	}
	out.WriteString("}\n") //nolint:errcheck // the error stays in the writer
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write document: %w", err)
	}
	return nil
}

// close removes the scratch files.
func (s *spools) close() error {
	if s == nil {
		return nil
	}
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.file.Close(), os.Remove(f.file.Name()))
	}
	return errors.Join(errs...)
}
