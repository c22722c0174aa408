//go:build unix

package dir

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// tryFlock locks an open file exclusively, or tells that another open file has it.
func tryFlock(f *os.File) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		}
		return false, fmt.Errorf("lock file (the file system must support flock): %w", err)
	}
}
