//go:build unix

package datadir

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

const goos = runtime.GOOS

var errLocked = errors.New("locked by another process")

// lockFile takes the lock that the kernel drops when the process ends, however it ends.
func lockFile(f *os.File) error { return flock(f, unix.LOCK_EX) }

// unlockFile drops the lock also if a child process that is being started has the file open for
// an instant more.
func unlockFile(f *os.File) error { return flock(f, unix.LOCK_UN) }

func flock(f *os.File, how int) error {
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil && !errors.Is(err, unix.EINVAL) {
		return errors.Join(fmt.Errorf("sync folder: %w", err), d.Close())
	}
	return d.Close()
}
