package pipeline

import (
	"errors"
	"time"
)

// errTaken is why a unit is broken off whose message NATS has given to somebody else.
var errTaken = errors.New("this process stood still for longer than nats.ack_wait, and NATS has given the message to another worker")

// pulse watches the ticks of heartbeats. A process that was stopped, swapped out or suspended for longer than it may be silent
// has lost its messages, and must neither go on with them beside its successor nor give them back in its place.
type pulse struct {
	last time.Time
	most time.Duration
}

// newPulse begins now. The times of timers and tickers are those of the clock that nobody sets.
func newPulse(ackWait time.Duration) pulse {
	t := time.NewTimer(0)
	return pulse{last: <-t.C, most: ackWait}
}

// stoodStill tells at a tick whether the one before is too long ago.
func (p *pulse) stoodStill(at time.Time) bool {
	gap := at.Sub(p.last)
	p.last = at
	return gap > p.most
}
