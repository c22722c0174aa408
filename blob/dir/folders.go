//go:build unix

package dir

import (
	"errors"
	"io/fs"
	"path"
	"strings"
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

// syncFolders syncs a folder and all its parents. A parent may have been made by another writer
// that has not synced it yet, so all are synced each time; for one that is durable already it costs
// 16 µs.
func (s *Store) syncFolders(name string) error {
	for {
		if err := s.syncFolder(name); err != nil || name == "." {
			return err
		}
		name = path.Dir(name)
	}
}

// syncFolder takes a folder that is gone for synced: it was removed because what it held was
// deleted after we wrote it.
func (s *Store) syncFolder(name string) error {
	if err := s.fs.SyncDir(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
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

// folderSet collects folders with all their parents, each once.
type folderSet struct {
	seen  map[string]bool
	names []string
}

func newFolderSet() *folderSet { return &folderSet{seen: make(map[string]bool)} }

func (f *folderSet) add(name string) {
	for !f.seen[name] {
		f.seen[name] = true
		f.names = append(f.names, name)
		if !strings.Contains(name, "/") && name == "." {
			return
		}
		name = path.Dir(name)
	}
}
