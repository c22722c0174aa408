package publish

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// exchangeFolders swaps two folders in one step.
func exchangeFolders(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// folderSync makes what is written below a folder durable. One syncfs is cheaper than a sync for
// each of thousands of files. The folder is open from before the first write: the kernel tells of a
// failed write only those who had it open then.
type folderSync struct{ f *os.File }

func openSync(folder string) (*folderSync, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, fmt.Errorf("sync %s: %w", folder, err)
	}
	return &folderSync{f}, nil
}

// early writes back what there is so far, so that less is left for the end.
func (s *folderSync) early() error { return s.all() }

func (s *folderSync) all() error {
	if err := unix.Syncfs(int(s.f.Fd())); err != nil {
		return fmt.Errorf("sync %s: %w", s.f.Name(), err)
	}
	return nil
}

func (s *folderSync) close() { _ = s.f.Close() } // only read
