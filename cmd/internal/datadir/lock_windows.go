package datadir

import (
	"errors"
	"os"
	"runtime"

	"golang.org/x/sys/windows"
)

const goos = runtime.GOOS

var errLocked = errors.New("locked by another process")

// lockFile locks a byte far behind the end, so that the process id at the start stays readable.
func lockFile(f *os.File) error { return lockByte(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

func lockByte(f *os.File, how uint32) error {
	at := windows.Overlapped{OffsetHigh: 1}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errLocked
	}
	return err
}

func unlockFile(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
}

// syncFolder does nothing: Windows has no such call, and renames are in the journal.
func syncFolder(string) error { return nil }
