package fault

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers"
)

// LogTexter is an error that says itself what a log may hold of it: its own text quotes a person's
// words.
type LogTexter interface {
	error
	LogText() string
}

// Loggable is the text of an error for logs and dead letters. Names of files and archives are a
// person's own words: receipts have them, logs do not.
func Loggable(err error) string {
	var texter LogTexter
	var bad *archive.Error
	var none *providers.UnrecognizedError
	var unit *providers.UnitError
	switch {
	case errors.As(err, &texter):
		return texter.LogText()
	case errors.As(err, &bad):
		return fmt.Sprintf("the archive or a member of it cannot be read: %s (the receipt says more)", bad.Code)
	case errors.As(err, &none):
		return "nothing in the drop is of a known export format (the receipt says more)"
	case errors.As(err, &unit):
		return fmt.Sprintf("a unit of the drop cannot be read: %s (the receipt says more)", unit.Code)
	}
	return inboxName.ReplaceAllString(err.Error(), "inbox/…")
}

// inboxName is a name in an inbox, which a person gave, up to the quote that ends it, or the end.
var inboxName = regexp.MustCompile(`inbox/(?:[^"\\]|\\.)*`)

// NamedError is about a file or folder of this machine, by the name that a person gave it: a
// message to that person has the name, a log has not.
type NamedError struct {
	Doing string // "open"
	Name  string
	Err   error
}

func (e *NamedError) Error() string { return e.Doing + " " + e.Name + ": " + e.Err.Error() }

func (e *NamedError) Unwrap() error { return e.Err }

// LogText is what was done, and what a log may hold of why it failed.
func (e *NamedError) LogText() string { return e.Doing + ": " + Loggable(e.Err) }
