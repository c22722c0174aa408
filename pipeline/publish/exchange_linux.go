package publish

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

// folderSync makes what is written below a folder durable. One syncfs is cheaper than a sync for
// each of thousands of files, but it also waits for what other programs have written to the file
// system: a few files are synced one by one. The folder is open from before the first write: the
// kernel tells of a failed write only those who had it open then.
type folderSync struct{ f *os.File }

func openSync(folder string) (*folderSync, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, fmt.Errorf("sync %s: %w", folder, err)
	}
	return &folderSync{f}, nil
}

// early writes back what there is so far, so that less is left for the end.
func (s *folderSync) early() error { return s.everything() }

// fewFiles is up to how many files and folders are synced one by one.
const fewFiles = 128

func (s *folderSync) all() error {
	few, err := filesBelow(s.f.Name(), fewFiles)
	if err != nil {
		return fmt.Errorf("sync %s: %w", s.f.Name(), err)
	}
	if len(few) > 0 {
		return syncEach(few)
	}
	return s.everything()
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

func (s *folderSync) everything() error {
	if err := unix.Syncfs(int(s.f.Fd())); err != nil {
		return fmt.Errorf("sync %s: %w", s.f.Name(), err)
	}
	return nil
}

func (s *folderSync) close() { _ = s.f.Close() } // only read
