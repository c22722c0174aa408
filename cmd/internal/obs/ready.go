package obs

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// An answer about readiness holds for readyFor, so that probes cost nothing, and has to come within
// readyWait.
const (
	readyFor  = time.Second
	readyWait = 5 * time.Second
)

var errDraining = errors.New("the process is ending: it finishes what it has in hand and takes nothing new")

// readiness asks whether the process can work, and remembers the answer for a moment. Probes that
// come meanwhile wait for the one that asks.
type readiness struct {
	ask func(context.Context) error
	now func() time.Time

	draining atomic.Bool
	mu       sync.Mutex
	asked    time.Time
	last     error
}

func (r *readiness) get() error {
	if r.draining.Load() {
		return errDraining
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.now(); r.asked.IsZero() || now.Sub(r.asked) >= readyFor || now.Before(r.asked) {
		// Not the context of a probe: one that gives up says nothing about the process.
		ctx, cancel := context.WithTimeout(context.Background(), readyWait)
		defer cancel()
		r.last = r.ask(ctx)
		r.asked = r.now()
	}
	return r.last
}
