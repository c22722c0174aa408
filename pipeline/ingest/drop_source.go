package ingest

import (
	"errors"
	"io"
	"sync"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pipeline/objects"
)

// watched is the source of a part that remembers the first failure of the storage below it.
// Importers quarantine a member that cannot be read; when storage was at fault it is the whole
// reading that must be done again.
type watched struct {
	archive.Source
	first *firstFault
	// pinned is the key of an object that lies where a person put it; "" of a copy of our own.
	pinned string
}

func (w watched) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.Source.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		err = movedFrom(w.pinned, err)
		w.first.keep(err)
	}
	return n, err
}

type firstFault struct {
	mu  sync.Mutex
	err error
}

func (f *firstFault) keep(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = objects.AsOutage(err)
	}
}

func (f *firstFault) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
