package blob

import (
	"context"
	"math/rand/v2"
	"time"
)

// Backoff says how often and after what pauses something is tried again. The zero value gives the
// defaults.
type Backoff struct {
	Attempts int           // calls in all; 0 means 6
	Base     time.Duration // the first pause; 0 means 250 ms
	Max      time.Duration // no pause is longer; 0 means 10 s
	// Sleep waits or ends with the context's error. Nil waits on the real clock.
	Sleep func(context.Context, time.Duration) error
	// Jitter gives numbers in [0,1), which spread the pauses of workers that failed together. Nil
	// draws them at random.
	Jitter func() float64
}

// Tries is the number of calls in all.
func (b Backoff) Tries() int {
	if b.Attempts > 0 {
		return b.Attempts
	}
	return 6
}

// Wait pauses after the given number of failed calls, from 1 on: between half and the whole of Base
// doubled each time.
func (b Backoff) Wait(ctx context.Context, failed int) error {
	d := b.pause(failed)
	if b.Sleep != nil {
		return b.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b Backoff) pause(failed int) time.Duration {
	base, top := b.Base, b.Max
	if base <= 0 {
		base = 250 * time.Millisecond
	}
	if top <= 0 {
		top = 10 * time.Second
	}
	d := base
	for i := 1; i < failed && d < top; i++ {
		d *= 2
	}
	d = min(d, top)
	jitter := b.Jitter
	if jitter == nil {
		jitter = rand.Float64
	}
	return d/2 + time.Duration(jitter()*float64(d/2))
}
