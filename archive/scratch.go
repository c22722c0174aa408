package archive

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// scratchArea makes scratch files and counts what they hold together.
type scratchArea struct {
	dir   string
	max   int64
	mu    sync.Mutex
	used  int64
	files []*scratchFile
}

// scratchFile is an append-only file without a name of its own to leave behind.
type scratchFile struct {
	f    *os.File
	path string // "" once the name is gone
	size int64
	area *scratchArea
}

var errScratchFull = errors.New("scratch space is used up")

func (a *scratchArea) create() (*scratchFile, error) {
	f, err := os.CreateTemp(a.dir, "pamline-archive-*")
	if err != nil {
		return nil, fmt.Errorf("create scratch file: %w", err)
	}
	s := &scratchFile{f: f, path: f.Name(), area: a}
	// Where the system lets an open file go nameless, a killed process leaves nothing behind.
	if os.Remove(s.path) == nil {
		s.path = ""
	}
	a.mu.Lock()
	a.files = append(a.files, s)
	a.mu.Unlock()
	return s, nil
}

// Write appends. It gives errScratchFull, and writes nothing, beyond the limit.
func (s *scratchFile) Write(p []byte) (int, error) {
	s.area.mu.Lock()
	full := s.area.used+int64(len(p)) > s.area.max
	if !full {
		s.area.used += int64(len(p))
	}
	s.area.mu.Unlock()
	if full {
		return 0, errScratchFull
	}
	n, err := s.f.WriteAt(p, s.size)
	s.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("write scratch file: %w", err)
	}
	return n, nil
}

func (s *scratchFile) section(offset, size int64) Source {
	return io.NewSectionReader(s.f, offset, size)
}

func (a *scratchArea) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, s := range a.files {
		errs = append(errs, s.f.Close())
		if s.path != "" {
			errs = append(errs, os.Remove(s.path))
		}
	}
	a.files = nil
	return errors.Join(errs...)
}
