package pipeline

import (
	"errors"
	"fmt"
	"regexp"

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
	var moved *MovedError
	var taken *RefusedError
	var named *NamedError
	switch {
	case errors.As(err, &moved):
		return "a part of the drop is no longer in the inbox, or was replaced (the receipt says more)"
	case errors.As(err, &taken) && ClassOf(err) == Permanent:
		return "it was refused (the record " + taken.Unit.record() + " says more)"
	case errors.As(err, &bad):
		return fmt.Sprintf("the archive or a member of it cannot be read: %s (the receipt says more)", bad.Code)
	case errors.As(err, &none):
		return "nothing in the drop is of a known export format (the receipt says more)"
	case errors.As(err, &nothing):
		return "nothing in the drop could be read (the receipt says more)"
	case errors.As(err, &named):
		return named.Doing + ": " + Loggable(named.Err)
	case errors.As(err, &unit):
		return fmt.Sprintf("a unit of the drop cannot be read: %s (the receipt says more)", unit.Code)
	}
	return inboxName.ReplaceAllString(err.Error(), inboxRoot+"…")
}

// inboxName is a name in an inbox, which a person gave, up to the quote that ends it, or the end.
var inboxName = regexp.MustCompile(`inbox/(?:[^"\\]|\\.)*`)

// NamedError is about a file or folder of this machine, by the name that a person gave it: a message to that person has the
// name, a log has not.
type NamedError struct {
	Doing string // "open"
	Name  string
	Err   error
}

func (e *NamedError) Error() string { return e.Doing + " " + e.Name + ": " + e.Err.Error() }

func (e *NamedError) Unwrap() error { return e.Err }
