package queue

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"
)

// Backoff bounds the pauses between tries: First doubles up to Max. Zero values mean one second and
// one minute.
type Backoff struct{ First, Max time.Duration }

const (
	// maxPause is a number of failures after which the pause no longer grows.
	maxPause = 16

	defaultFirst = time.Second
	defaultMax   = time.Minute
)

// After returns the pause after the nth failure in a row, from 1 on. Half of it is random, so that
// many workers do not come back together.
func (b Backoff) After(n int) time.Duration {
	first, most := cmp.Or(b.First, defaultFirst), cmp.Or(b.Max, defaultMax)
	d := most
	if n < maxPause {
		d = min(most, first<<max(n, 1)>>1)
	}
	if d <= 1 {
		return d
	}
	return d/2 + rand.N(d/2) //nolint:gosec // jitter, not a secret
}

// waitFor waits, or returns the cause of the end of ctx.
func waitFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
