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

// syncAll makes what was written to a folder durable. One syncfs is cheaper than a sync for each of
// thousands of files.
func syncAll(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return fmt.Errorf("sync %s: %w", folder, err)
	}
	defer f.Close()
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return fmt.Errorf("sync %s: %w", folder, err)
	}
	return nil
}
