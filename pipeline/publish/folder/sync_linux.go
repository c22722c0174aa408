package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// exchangeFolders swaps two folders in one step.
func exchangeFolders(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// Sync makes what is written below a folder durable. One syncfs is cheaper than a sync for
// each of thousands of files, but it also waits for what other programs have written to the file
// system: a few files are synced one by one. The folder is open from before the first write: the
// kernel tells of a failed write only those who had it open then.
type Sync struct{ f *os.File }

// OpenSync is called before the first write below the folder.
func OpenSync(name string) (*Sync, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("sync %s: %w", name, err)
	}
	return &Sync{f}, nil
}

// WriteBack writes back what there is so far, so that less is left for the end.
func (s *Sync) WriteBack() error { return s.syncSystem() }

// fewFiles is up to how many files and folders are synced one by one.
const fewFiles = 128

// Finish returns when all that was written is durable.
func (s *Sync) Finish() error {
	few, err := filesBelow(s.f.Name(), fewFiles)
	if err != nil {
		return fmt.Errorf("sync %s: %w", s.f.Name(), err)
	}
	if len(few) > 0 {
		return syncEach(few)
	}
	return s.syncSystem()
}

// filesBelow lists a folder and what is below it, or nothing if that is more than most.
func filesBelow(folder string, most int) (list []string, err error) {
	err = filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		if list = append(list, name); len(list) > most {
			list = nil
			return fs.SkipAll
		}
		return err
	})
	return list, err
}

// syncEach syncs files and folders side by side: the file system makes many durable in one step.
func syncEach(names []string) error {
	var g errgroup.Group
	g.SetLimit(16)
	for _, name := range names {
		g.Go(func() error {
			f, err := os.Open(name)
			if err != nil {
				return fmt.Errorf("sync %s: %w", name, err)
			}
			return errors.Join(f.Sync(), f.Close())
		})
	}
	return g.Wait()
}

func (s *Sync) syncSystem() error {
	if err := unix.Syncfs(int(s.f.Fd())); err != nil {
		return fmt.Errorf("sync %s: %w", s.f.Name(), err)
	}
	return nil
}

// Close ends the use of the folder.
func (s *Sync) Close() { _ = s.f.Close() } // only read
