package objects

import (
	"errors"
	"fmt"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
)

// IsMissing tells whether an error says that there is no such object.
func IsMissing(err error) bool { return errors.Is(err, blob.ErrNotExist) }

// Lost makes a missing object a fault of class Permanent: another object names it, so it was there.
func Lost(key string, err error) error {
	if !IsMissing(err) {
		return err
	}
	return &fault.Fault{Class: fault.Permanent, Err: fmt.Errorf("read %s: %w", key, err), Hint: UnusableHint(key)}
}
