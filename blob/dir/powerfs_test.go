//go:build unix

package dir

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

var errPower = errors.New("the power is gone")

// powerFS is a file system in memory that remembers what has been synced. Before the operation
// number cut the power goes: everything fails from then on, and crash gives what a restart finds.
type powerFS struct {
	mu     sync.Mutex
	root   *node
	ops    int
	cut    int // -1: never
	inodes uint64
	stamp  time.Time
	locks  map[string]bool

	lieSync, lieSyncDir, lieSyncData bool // a broken store's file system: syncing does nothing
}

// node is a file or a folder, as running programs see it and as the disk has it.
type node struct {
	inode         uint64
	folder        bool
	data, synced  []byte
	time, timeOld time.Time
	names         map[string]*node
	onDisk        map[string]*node   // names at the last sync of the folder
	since         map[string][]*node // what a name has been since; nil for gone
}

func newPowerFS(cut int) *powerFS {
	f := &powerFS{cut: cut, locks: make(map[string]bool), stamp: time.Unix(1_700_000_000, 0)}
	f.root = f.node(true)
	return f
}

func (f *powerFS) node(folder bool) *node {
	f.inodes++
	n := &node{inode: f.inodes, folder: folder}
	if folder {
		n.names, n.onDisk, n.since = map[string]*node{}, map[string]*node{}, map[string][]*node{}
	}
	return n
}

// step counts an operation that changes something.
func (f *powerFS) step() error {
	if f.cut >= 0 && f.ops >= f.cut {
		return errPower
	}
	f.ops++
	return nil
}

func (f *powerFS) find(name string) (*node, error) {
	n := f.root
	if name == "." {
		return n, nil
	}
	for s := range strings.SplitSeq(name, "/") {
		if !n.folder {
			return nil, syscall.ENOTDIR
		}
		if n = n.names[s]; n == nil {
			return nil, fs.ErrNotExist
		}
	}
	return n, nil
}

func (f *powerFS) parent(name string) (*node, string, error) {
	p, err := f.find(path.Dir(name))
	if err == nil && !p.folder {
		err = syscall.ENOTDIR
	}
	return p, path.Base(name), err
}

func (n *node) set(name string, child *node) {
	if child == nil {
		delete(n.names, name)
	} else {
		n.names[name] = child
	}
	n.since[name] = append(n.since[name], child)
}

// change does a counted operation on a name, under the lock.
func (f *powerFS) change(name string, op func(p *node, base string) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(); err != nil {
		return err
	}
	p, base, err := f.parent(name)
	if err != nil {
		return err
	}
	return op(p, base)
}

func (f *powerFS) Close() error { return nil }

func (f *powerFS) Open(name string) (openFile, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find(name)
	if err != nil {
		return nil, err
	}
	return &powerFile{f, n}, nil
}

func (f *powerFS) Lstat(name string) (info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find(name)
	if err != nil {
		return info{}, err
	}
	return n.info(), nil
}

func (n *node) info() info {
	return info{regular: !n.folder, folder: n.folder, size: int64(len(n.data)), modTime: n.time, inode: n.inode}
}

func (f *powerFS) ReadDir(name string) ([]entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find(name)
	if err != nil {
		return nil, err
	}
	if !n.folder {
		return nil, syscall.ENOTDIR
	}
	var list []entry
	for name, c := range n.names {
		list = append(list, entry{name: name, folder: c.folder, regular: !c.folder})
	}
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

func (f *powerFS) Create(name string) (newFile, error) {
	n := f.node(false)
	err := f.change(name, func(p *node, base string) error {
		if p.names[base] != nil {
			return fs.ErrExist
		}
		p.set(base, n)
		return nil
	})
	return &powerFile{f, n}, err
}

func (f *powerFS) Mkdir(name string) error {
	return f.change(name, func(p *node, base string) error {
		if p.names[base] != nil {
			return fs.ErrExist
		}
		p.set(base, f.node(true))
		return nil
	})
}

func (f *powerFS) Link(from, to string) error {
	return f.change(to, func(p *node, base string) error {
		n, err := f.find(from)
		if err != nil {
			return err
		}
		if p.names[base] != nil {
			return fs.ErrExist
		}
		p.set(base, n)
		return nil
	})
}

func (f *powerFS) Rename(from, to string) error {
	return f.change(to, func(p *node, base string) error {
		q, old, err := f.parent(from)
		if err != nil {
			return err
		}
		n := q.names[old]
		if n == nil {
			return fs.ErrNotExist
		}
		if t := p.names[base]; t != nil && t.folder {
			return syscall.EISDIR
		}
		p.set(base, n)
		q.set(old, nil)
		return nil
	})
}

func (f *powerFS) Remove(name string) error {
	return f.change(name, func(p *node, base string) error {
		n := p.names[base]
		if n == nil {
			return fs.ErrNotExist
		}
		if len(n.names) > 0 {
			return syscall.ENOTEMPTY
		}
		p.set(base, nil)
		return nil
	})
}

func (f *powerFS) SyncDir(name string) (id any, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(); err != nil {
		return nil, err
	}
	n, err := f.find(name)
	if err != nil || f.lieSyncDir {
		return n, err
	}
	n.onDisk = make(map[string]*node)
	for name, c := range n.names {
		n.onDisk[name] = c
	}
	n.since = map[string][]*node{}
	return n, nil
}

func (f *powerFS) CanSyncData() bool { return true }

func (f *powerFS) SyncData() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(); err != nil || f.lieSyncData {
		return err
	}
	f.root.sync()
	return nil
}

func (n *node) sync() {
	n.synced, n.timeOld = bytes.Clone(n.data), n.time
	for _, child := range n.names {
		child.sync()
	}
}

func (f *powerFS) TryLock(name string) (func(), bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.locks[name] {
		return nil, false, nil
	}
	f.locks[name] = true
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.locks, name)
	}, true, nil
}

func (f *powerFS) Stamps(_ context.Context, n int) (time.Time, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first := f.stamp.Add(stampStep)
	f.stamp = f.stamp.Add(time.Duration(n) * stampStep)
	return first, nil
}

type powerFile struct {
	f *powerFS
	n *node
}

func (h *powerFile) Close() error { return nil }

func (h *powerFile) Stat() (info, error) {
	h.f.mu.Lock()
	defer h.f.mu.Unlock()
	return h.n.info(), nil
}

func (h *powerFile) ReadAt(p []byte, off int64) (int, error) {
	h.f.mu.Lock()
	defer h.f.mu.Unlock()
	return bytes.NewReader(h.n.data).ReadAt(p, off)
}

func (h *powerFile) do(op func()) error {
	h.f.mu.Lock()
	defer h.f.mu.Unlock()
	if err := h.f.step(); err != nil {
		return err
	}
	op()
	return nil
}

func (h *powerFile) Write(p []byte) (int, error) {
	// In pieces, so that the power can go in the middle.
	n := 0
	for piece := range slices.Chunk(p, 1000) {
		if err := h.do(func() { h.n.data = append(h.n.data, piece...) }); err != nil {
			return n, err
		}
		n += len(piece)
	}
	return n, nil
}

func (h *powerFile) SetTime(t time.Time) error { return h.do(func() { h.n.time = t }) }

func (h *powerFile) Sync() error {
	return h.do(func() {
		if !h.f.lieSync {
			h.n.synced, h.n.timeOld = bytes.Clone(h.n.data), h.n.time
		}
	})
}
