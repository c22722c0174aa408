package state

import (
	"errors"

	"github.com/pamline/pamline/blob"
)

// IsMissing tells whether an error says that there is no such object.
func IsMissing(err error) bool { return errors.Is(err, blob.ErrNotExist) }
