package blob

import (
	"context"
	"errors"
	"fmt"
)

// ErrChanged: an object was replaced or edited while it was being read. What was read so far
// belongs to the old one; start again from a fresh Head.
var ErrChanged = errors.New("object changed while it was read")

// Error is a failure of a store, as opposed to an answer of it ([ErrNotExist], [ErrPrecondition],
// [ErrKey]). It never holds credentials or the bytes of an object.
type Error struct {
	Op    string // "get", "head", "put", "delete", "list", "open"
	Key   string // the key, or the prefix of a List; empty when the failure is about the whole store
	Hint  string // what the person who runs this can do; may be empty
	Retry bool   // the same call may succeed in a moment: a lost connection, a busy server
	Err   error
}

func (e *Error) Error() string {
	s := e.Op + " object"
	if e.Key != "" {
		s += fmt.Sprintf(" %q", e.Key)
	}
	s += ": " + e.Err.Error()
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Retryable tells whether the same call may succeed in a moment. Answers of a store and the end of
// the caller's context are final; so is every error that a store did not mark, a failing request
// body for one.
func Retryable(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Retry && !isAnswer(err) && !isEnd(err)
}

func isEnd(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func isAnswer(err error) bool {
	return errors.Is(err, ErrNotExist) || errors.Is(err, ErrPrecondition) || errors.Is(err, ErrKey) ||
		errors.Is(err, ErrChanged)
}

// ErrDamaged: the content of an object is not the one that was written.
var ErrDamaged = errors.New("its content is not the one that was written")

// DamagedError says what is wrong with a damaged object. It wraps [ErrDamaged].
type DamagedError struct {
	Key string
	Err error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("open object %q: %v: %v", e.Key, ErrDamaged, e.Err)
}

func (e *DamagedError) Unwrap() []error { return []error{ErrDamaged, e.Err} }
