package search

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	driver "modernc.org/sqlite"
)

// Result codes of SQLite that say that a file is not what it should be.
const (
	codeError   = 1 // a table or column is missing
	codeCorrupt = 11
	codeNotADB  = 26
)

// codeBusy says that another process has the file.
const codeBusy = 5

// Result codes that say that a file cannot be used now: busy, locked, read-only, a failed read or
// write, full, cannot be opened.
var unusable = []int{codeBusy, 6, 8, 10, 13, 14}

func isBusy(err error) bool {
	var failed *driver.Error
	return errors.As(err, &failed) && failed.Code()&0xff == codeBusy
}

// cacheError wraps ErrCache when the file is to blame and not the bundle.
func cacheError(err error) error {
	var failed *driver.Error
	var file *fs.PathError
	if errors.As(err, &failed) && slices.Contains(unusable, failed.Code()&0xff) || errors.As(err, &file) && errors.Is(err, errFile) {
		return fmt.Errorf("%w: %w", ErrCache, err)
	}
	return err
}

// errFile is wrapped when the file of an index, or its folder, cannot be made.
var errFile = errors.New("open search index")

// isDamage tells whether an index must be made again.
func isDamage(err error) bool {
	if errors.Is(err, errStale) || errors.Is(err, sql.ErrNoRows) {
		return true
	}
	var failed *driver.Error
	if !errors.As(err, &failed) {
		return false
	}
	switch failed.Code() & 0xff {
	case codeError, codeCorrupt, codeNotADB:
		return true
	}
	return false
}
