package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Scratch makes a folder for temporary files of this process, called prefix and a number, in the
// folder parent ("": that of the system), and removes those of that name whose processes have ended
// without doing so. remove takes it away.
func Scratch(parent, prefix string) (folder string, remove func() error, err error) {
	if parent == "" {
		parent = os.TempDir()
	}
	if err := sweep(parent, prefix); err != nil {
		return "", nil, fmt.Errorf("empty scratch folder: %w", err)
	}
	for range scratchTries {
		folder, err := os.MkdirTemp(parent, prefix+"-*")
		if err != nil {
			return "", nil, fmt.Errorf("make scratch folder: %w", err)
		}
		lock, err := hold(folder)
		if err != nil {
			return "", nil, fmt.Errorf("make scratch folder: %w", err)
		}
		if lock != nil {
			return folder, func() error { return errors.Join(os.RemoveAll(folder), lock.Close()) }, nil
		}
	}
	return "", nil, errors.New("make scratch folder: others that start at the same time swept it away each time; start again")
}

// scratchTries bounds how often a folder is made that another process takes for one left behind
// before its lock is taken.
const scratchTries = 20

// lockName is the file that a living process has locked.
const lockName = "lock"

// hold locks a new folder; nil when somebody was quicker to sweep it away.
func hold(folder string) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(folder, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := lockFile(lock); err != nil {
		if errors.Is(err, errLocked) {
			err = nil
		}
		return nil, errors.Join(err, lock.Close())
	}
	if _, err := os.Stat(filepath.Join(folder, lockName)); err != nil {
		return nil, lock.Close() // it went between the two
	}
	return lock, nil
}

// sweep removes the folders of processes that have ended.
func sweep(parent, prefix string) error {
	old, err := filepath.Glob(filepath.Join(parent, prefix+"-*", lockName))
	if err != nil {
		return err
	}
	for _, name := range old {
		lock, err := os.OpenFile(name, os.O_RDWR, 0)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			continue // it has gone, or is another user's
		}
		if err != nil {
			return err
		}
		if lockFile(lock) == nil {
			err = os.RemoveAll(filepath.Dir(name))
		}
		if err = errors.Join(err, lock.Close()); err != nil {
			return err
		}
	}
	return nil
}
