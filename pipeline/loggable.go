package pipeline

import (
	"errors"
	"fmt"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers"
)

// Loggable is what a log or a dead letter may say of an error. Names of files and archives are a person's own words:
// receipts have them, logs do not.
func Loggable(err error) string {
	var bad *archive.Error
	var none *providers.UnrecognisedError
	var unit *providers.UnitError
	var nothing *NothingKeptError
	switch {
	case errors.As(err, &bad):
		return fmt.Sprintf("the archive or a member of it cannot be read: %s (the receipt says more)", bad.Code)
	case errors.As(err, &none):
		return "nothing in the drop is of a known export format (the receipt says more)"
	case errors.As(err, &nothing):
		return "nothing in the drop could be read (the receipt says more)"
	case errors.As(err, &unit):
		return fmt.Sprintf("a unit of the drop cannot be read: %s (the receipt says more)", unit.Code)
	}
	return err.Error()
}
