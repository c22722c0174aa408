package fault

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// Class says what becomes of a failed unit of work.
type Class string

const (
	// Outage: storage or NATS cannot be used now. The unit waits and is tried again; this is no
	// attempt.
	Outage Class = "outage"
	// Unit: the work itself failed in a way that may pass. It counts as an attempt.
	Unit Class = "unit"
	// Permanent: another attempt would fail in the same way.
	Permanent Class = "permanent"
)

// Fault is an error with its class and what a person can do.
type Fault struct {
	Class Class
	Hint  string
	Err   error
}

func (f *Fault) Error() string {
	if f.Hint == "" {
		return f.Err.Error()
	}
	return f.Err.Error() + ": " + f.Hint
}

func (f *Fault) Unwrap() error { return f.Err }

// Permanentf is a permanent fault: another attempt would fail in the same way. The hint says what a
// person can do.
func Permanentf(hint string, format string, args ...any) error {
	return &Fault{Class: Permanent, Hint: hint, Err: fmt.Errorf(format, args...)}
}

// shortages are what the machine runs out of, anywhere: no unit of work is to blame.
var shortages = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE, syscall.ENFILE}

// Of is the class of an error: that of the Fault inside it, Outage for a full disk and the like,
// else Unit.
func Of(err error) Class {
	var f *Fault
	if errors.As(err, &f) {
		return f.Class
	}
	for _, s := range shortages {
		if errors.Is(err, s) {
			return Outage
		}
	}
	return Unit
}

// HintOf gives the hint of the Fault inside an error, "" if there is none.
func HintOf(err error) string {
	var f *Fault
	if errors.As(err, &f) {
		return f.Hint
	}
	return ""
}

// IsDrain tells that work was given back because the process is stopping.
func IsDrain(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
}

// Later is the answer of a unit that cannot be worked on yet: it comes back after a while, and that
// is no failure.
type Later struct {
	After time.Duration
	Why   string // for logs: no personal text
}

func (l *Later) Error() string { return "wait " + l.After.String() + ": " + l.Why }
