//go:build unix

package dir

import (
	"errors"
	"io/fs"
	"path"
	"sync"

	"golang.org/x/sync/errgroup"
)

// mkdir makes a folder unless it is there.
func (s *Store) mkdir(name string) error {
	if err := s.fs.Mkdir(name); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// mkdirs makes a folder and its parents.
func (s *Store) mkdirs(name string) error {
	if name == "." {
		return nil
	}
	for i, c := range name {
		if c == '/' {
			if err := s.mkdir(name[:i]); err != nil {
				return err
			}
		}
	}
	return s.mkdir(name)
}

// syncFolders syncs folders and those of their parents whose names are not known to be durable: a
// folder may have been made by another writer that has not synced its parent yet.
func (s *Store) syncFolders(names ...string) error {
	seen := map[string]bool{}
	for _, name := range names {
		seen[name] = true
	}
	var synced []linkedFolder
	for len(names) > 0 {
		// New folders in each other are synced side by side: that takes as long as one of them.
		for i := 0; i < len(names); i++ {
			if parent := path.Dir(names[i]); !seen[parent] && !s.linked.knows(names[i]) {
				seen[parent] = true
				names = append(names, parent)
			}
		}
		ids := make([]any, len(names))
		var g errgroup.Group
		g.SetLimit(s.parallel)
		for i, name := range names {
			g.Go(func() (err error) {
				ids[i], err = s.syncFolder(name)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		var parents []string
		for i, name := range names {
			if name == "." || s.linked.has(name, ids[i]) {
				continue
			}
			synced = append(synced, linkedFolder{name, ids[i]})
			if parent := path.Dir(name); !seen[parent] {
				seen[parent] = true
				parents = append(parents, parent)
			}
		}
		names = parents
	}
	s.linked.add(synced)
	return nil
}

// syncFolder takes a folder that is gone for synced: it was removed because what it held was
// deleted after we wrote it.
func (s *Store) syncFolder(name string) (id any, err error) {
	if id, err = s.fs.SyncDir(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return id, nil
}

// linkedFolder is a folder whose name is durable, with all names above it.
type linkedFolder struct {
	name string
	id   any // of SyncDir
}

// linkedFolders remembers them, so that a parent is not synced for each object below it. It forgets
// all when there are too many.
type linkedFolders struct {
	mu  sync.Mutex
	ids map[string]any
}

// maxLinked is how many folders are remembered: folders beyond it cost another sync.
const maxLinked = 4 * maxHandles

func (l *linkedFolders) has(name string, id any) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.ids[name]
	return ok && id != nil && known == id
}

// knows tells whether a folder of this name was durable once.
func (l *linkedFolders) knows(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.ids[name]
	return ok
}

func (l *linkedFolders) add(list []linkedFolder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ids == nil || len(l.ids)+len(list) > maxLinked {
		l.ids = map[string]any{}
	}
	for _, f := range list {
		if f.id != nil {
			l.ids[f.name] = f.id
		}
	}
}

// prune removes folders that have become empty, from name upwards. Removing a folder fails when a
// racing Put has filled it, and a Put whose folder vanished makes it again (place).
func (s *Store) prune(name string) error {
	for name != "." {
		if err := s.fs.Remove(name); err != nil {
			if isNotEmpty(err) || errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		name = path.Dir(name)
	}
	return nil
}
