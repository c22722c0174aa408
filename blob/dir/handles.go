//go:build unix

package dir

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"

	"golang.org/x/sys/unix"
)

// maxHandles is how many folders are kept open. Objects come in folders of thousands: walking from
// the root to each of them anew would cost more than writing it.
const maxHandles = 64

// handles keeps folders open. os.Root opens them, so that no link leads out; the names inside are
// then single path elements, which the *at calls take without following links.
type handles struct {
	root *os.Root
	mu   sync.Mutex
	open map[string]*handle
	tick int64
}

type handle struct {
	f *os.File
	// names is held while a name in the folder is made or removed. The kernel does that one by one
	// anyway, and threads that wait for it there spin: measured, sixteen of them burn ten times the
	// processor time of the work itself.
	names sync.Mutex

	refs int   // users, and one for being in the map
	used int64 // tick of the last use
}

// in makes a call with the folder of name and its last element. A folder that was removed and made
// again since it was opened is opened again.
func (h *handles) in(op, name string, call func(fd int, base string) error) error {
	return h.with(op, name, func(d *handle, base string) error { return call(int(d.f.Fd()), base) })
}

// change is in for calls that make or remove a name.
func (h *handles) change(op, name string, call func(fd int, base string) error) error {
	return h.with(op, name, func(d *handle, base string) error {
		d.names.Lock()
		defer d.names.Unlock()
		return call(int(d.f.Fd()), base)
	})
}

func (h *handles) with(op, name string, call func(d *handle, base string) error) error {
	folder, base := path.Split(name)
	folder = path.Clean(folder)
	for {
		d, kept, err := h.take(folder)
		if err != nil {
			return err
		}
		err = call(d, base)
		stale := errors.Is(err, unix.ENOENT) && kept && isUnlinked(int(d.f.Fd()))
		h.give(folder, d, stale)
		if stale {
			continue
		}
		if err != nil {
			return &fs.PathError{Op: op, Path: name, Err: err}
		}
		return nil
	}
}

// isUnlinked tells whether an open folder has been removed: it has no names left.
func isUnlinked(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Nlink == 0
}

// take gives an open folder; kept tells that it was open before.
func (h *handles) take(folder string) (d *handle, kept bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tick++
	if d, ok := h.open[folder]; ok {
		d.refs++
		d.used = h.tick
		return d, true, nil
	}
	f, err := h.root.Open(folder)
	if err != nil {
		return nil, false, err
	}
	h.evict()
	d = &handle{f: f, refs: 2, used: h.tick}
	h.open[folder] = d
	return d, false, nil
}

// evict makes room for one more by forgetting the folder that was used longest ago.
func (h *handles) evict() {
	if len(h.open) < maxHandles {
		return
	}
	oldest := ""
	for name, d := range h.open {
		if oldest == "" || d.used < h.open[oldest].used {
			oldest = name
		}
	}
	h.forget(oldest)
}

func (h *handles) forget(folder string) {
	if d, ok := h.open[folder]; ok {
		delete(h.open, folder)
		d.release()
	}
}

// give ends a use; a stale folder is not used again.
func (h *handles) give(folder string, d *handle, stale bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if stale && h.open[folder] == d {
		h.forget(folder)
	}
	d.release()
}

// release is called with the lock held.
func (d *handle) release() {
	if d.refs--; d.refs == 0 {
		_ = d.f.Close() // a folder opened for reading
	}
}

func (h *handles) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name := range h.open {
		h.forget(name)
	}
}
