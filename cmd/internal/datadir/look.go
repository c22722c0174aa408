package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Look is the folder for a command that only reads: nothing is made or locked in it, and it need be
// neither writable nor one's own. An empty path is [Default]. Whether it is there is for who reads
// it to find out.
func Look(path string) (*Dir, error) {
	path, err := Find(path)
	if err != nil {
		return nil, err
	}
	return &Dir{path: path}, nil
}

// Still calls do while nobody changes the folder: for files that cannot be read beside somebody who
// writes them. Several may look at once. A folder that another process works in gives an
// *InUseError; one without a lock file was copied from somewhere, and nobody works in it.
func (d *Dir) Still(do func() error) (err error) {
	lock, err := os.Open(filepath.Join(d.path, lockName))
	if errors.Is(err, os.ErrNotExist) {
		return do()
	}
	if err != nil {
		return fmt.Errorf("read data folder: %w: ask its user for access, or choose another with --data", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	switch err := shareFile(lock); {
	case errors.Is(err, errLocked):
		return &InUseError{Path: d.path, PID: lockHolder(lock)}
	case err != nil:
		return fmt.Errorf("read data folder %s: %w", d.path, err)
	}
	return do()
}
