// Package exit maps how a command ended to its exit code.
package exit

import (
	"context"
	"errors"
)

// The codes are a contract.
const (
	Done        = 0   // everything was done
	Failed      = 1   // nothing was done, or the store is unchanged because of a failure
	Usage       = 2   // wrong use: flags, settings, paths
	Partial     = 3   // done, but some units were quarantined or refused
	Interrupted = 130 // interrupted; running it again goes on
)

// Error is an end with a code of its own. Err may be nil: then everything there is to say has been
// said already.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// With gives an error a code.
func With(code int, err error) error { return &Error{code, err} }

// Code is the exit code of what a command returned: that of an [Error], 130 for a cancelled
// context, else 1.
func Code(err error) int {
	if err == nil {
		return Done
	}
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Code
	}
	if errors.Is(err, context.Canceled) {
		return Interrupted
	}
	return Failed
}
