package gemini

import (
	"errors"
	"fmt"
	"os"
)

// largeRow is the size from which rows are put aside while they are sorted, in bytes: merging holds
// a record of each run.
const largeRow = 1 << 20

// aside is a scratch file with the rows that are too large to be sorted with the others. Nothing is
// written before there is one.
type aside struct {
	dir  string
	file *os.File
	end  int64
}

// add writes a row and gives where it lies.
func (a *aside) add(raw []byte) (at int64, err error) {
	if a.file == nil {
		if a.file, err = os.CreateTemp(a.dir, "rows-"); err != nil {
			return 0, fmt.Errorf("put row aside: %w", err)
		}
	}
	at = a.end
	n, err := a.file.WriteAt(raw, at)
	a.end += int64(n)
	if err != nil {
		return 0, fmt.Errorf("put row aside; is the disk full?: %w", err)
	}
	return at, nil
}

// load reads the bytes of a row that was put aside; of any other it has them.
func (a *aside) load(r *sortedRow) error {
	if r.raw != nil || r.size == 0 {
		return nil
	}
	raw := make([]byte, r.size)
	if _, err := a.file.ReadAt(raw, r.aside); err != nil {
		return fmt.Errorf("read row that was put aside: %w", err)
	}
	r.raw = raw
	return nil
}

// close removes the file.
func (a *aside) close() error {
	if a.file == nil {
		return nil
	}
	err := errors.Join(a.file.Close(), os.Remove(a.file.Name()))
	a.file = nil
	if err != nil {
		return fmt.Errorf("remove rows that were put aside: %w", err)
	}
	return nil
}
