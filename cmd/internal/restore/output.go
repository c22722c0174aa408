package restore

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// outputs are the files being written, one for each importer.
type outputs struct {
	o     Options
	of    map[string]*output
	order []*output
	buf   []byte // the element at hand
}

// output is a file that gets its name at the end. Like its folder it is private: mode 0600 and
// 0700, less the umask.
type output struct {
	name  string // that it will have
	f     *os.File
	w     *bufio.Writer
	count int64
	empty bool // no element yet
}

// write adds the element at hand to the file of an importer.
func (s *outputs) write(name, file string) error {
	out := s.of[name]
	if out == nil {
		path := filepath.Join(s.o.Folder, file)
		if name != s.o.Name {
			path = filepath.Join(s.o.Folder, name, file)
		}
		var err error
		if out, err = create(path, s.o.Replace); err != nil {
			return err
		}
		s.of[name] = out
		s.order = append(s.order, out)
	}
	out.count++
	if len(s.buf) == 0 {
		return nil // a conversation without entries of its own
	}
	before := ",\n"
	if out.empty {
		before, out.empty = "[", false
	}
	if _, err := out.w.WriteString(before); err != nil {
		return err
	}
	_, err := out.w.Write(s.buf)
	return err
}

func create(path string, replace bool) (*output, error) {
	if _, err := os.Lstat(path); err == nil && !replace {
		return nil, fmt.Errorf("%s is already there: move it away, or replace it with --force", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".pamline-restore-*")
	if err != nil {
		return nil, err
	}
	return &output{name: path, f: f, w: bufio.NewWriterSize(f, 1<<20), empty: true}, nil
}

// commit makes all files whole, then gives them their names.
func (s *outputs) commit() ([]File, error) {
	for _, out := range s.order {
		end := "]\n"
		if out.empty {
			end = "[]\n"
		}
		_, err := out.w.WriteString(end)
		err = errors.Join(err, out.w.Flush(), out.f.Sync(), out.f.Close())
		if err != nil {
			return nil, fmt.Errorf("restore: %w", err)
		}
	}
	var files []File
	for _, out := range slices.Clone(s.order) {
		if err := os.Rename(out.f.Name(), out.name); err != nil {
			return files, fmt.Errorf("restore: %w", err)
		}
		files = append(files, File{out.name, out.count})
		s.order = s.order[1:]
	}
	return files, nil
}

// discard removes what was not committed.
func (s *outputs) discard() error {
	var errs []error
	for _, out := range s.order {
		if err := out.f.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
		if err := os.Remove(out.f.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
