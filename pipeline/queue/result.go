package queue

import "time"

// Result says what becomes of a delivered task. The zero value is [Done].
type Result struct {
	action action
	after  time.Duration
	reason string
}

type action int

const (
	actDone action = iota
	actRetry
	actLater
	actOutage
	actDrop
	actRelease
)

// names are the results as traces show them.
var names = [...]string{
	actDone: "ok", actRetry: "retry", actLater: "later", actOutage: "outage", actDrop: "dropped", actRelease: "drained",
}

func (r Result) String() string { return names[r.action] }

// Done acknowledges the task: its work is durable, and so are the tasks that follow from it.
func Done() Result { return Result{} }

// RetryAfter stores a delayed copy with the next attempt number: the attempt failed. In a stream
// without delayed copies, the task waits in its place and keeps its number.
func RetryAfter(d time.Duration) Result { return Result{action: actRetry, after: d} }

// Later stores a delayed copy with the same attempt number: the work could not begin yet.
func Later(d time.Duration) Result { return Result{action: actLater, after: d} }

// Outage leaves the task in its lane, to be delivered again after a pause, and pauses fetching:
// storage or another service that every task needs is out. No attempt is counted. If the delivery
// has been interrupted, an Outage counts as [Release].
func Outage() Result { return Result{action: actOutage} }

// Drop removes the task without its work being done. The reason appears in the server's advisories:
// a class, no personal text.
func Drop(reason string) Result { return Result{action: actDrop, reason: reason} }

// Release gives the task back for another worker. No attempt is counted. It is the result of a
// handler whose context ended before the work did.
func Release() Result { return Result{action: actRelease} }
