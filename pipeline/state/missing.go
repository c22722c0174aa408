package state

import (
	"errors"

	"github.com/pamline/pamline/blob"
)

func IsMissing(err error) bool { return errors.Is(err, blob.ErrNotExist) }
