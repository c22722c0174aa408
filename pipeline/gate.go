package pipeline

import (
	"context"
	"sync"
	"time"
)

// gate stops a stage's pulling while storage or NATS is out: its queue would only be turned over. When the pause is over
// each loop of the stage pulls one message, and the first that meets the outage again shuts the gate for longer. It opens
// by a timer, so that no clock matters.
type gate struct {
	mu      sync.Mutex
	outages uint64        // pauses in a row
	shut    chan struct{} // closed when the pause is over; nil: there is no outage
}

// enter waits until a message may be pulled, or ctx ends.
func (g *gate) enter(ctx context.Context) {
	g.mu.Lock()
	shut := g.shut
	g.mu.Unlock()
	if shut == nil {
		return
	}
	select {
	case <-shut:
	case <-ctx.Done():
	}
}

// left tells whether a unit met an outage.
func (g *gate) left(out bool, b Backoff) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut != nil {
		select {
		case <-g.shut:
		default:
			return // the unit had begun before, and pulling pauses already
		}
	}
	if !out {
		g.outages, g.shut = 0, nil
		return
	}
	g.outages++
	shut := make(chan struct{})
	g.shut = shut
	time.AfterFunc(backoff(g.outages, b), func() { close(shut) })
}
