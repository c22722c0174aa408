package queue

import (
	"context"
	"sync"
	"time"
)

// gate pauses fetching while storage or NATS is out; otherwise the queue would only be turned over.
// After the pause each loop fetches one task, and the first task that meets the outage again closes
// the gate for longer. It opens by a timer, so no clock matters.
type gate struct {
	backoff Backoff
	mu      sync.Mutex
	outages int           // pauses in a row
	closed  chan struct{} // closed when the pause is over; nil: there is no outage
}

// enter waits until a task may be fetched. It returns false if ctx has ended.
func (g *gate) enter(ctx context.Context) bool {
	g.mu.Lock()
	closed := g.closed
	g.mu.Unlock()
	if closed != nil {
		select {
		case <-closed:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// report says whether a task met an outage.
func (g *gate) report(outage bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed != nil {
		select {
		case <-g.closed:
		default:
			return // the task had begun before, and fetching pauses already
		}
	}
	if !outage {
		g.outages, g.closed = 0, nil
		return
	}
	g.outages++
	closed := make(chan struct{})
	g.closed = closed
	time.AfterFunc(g.backoff.After(g.outages), func() { close(closed) })
}
