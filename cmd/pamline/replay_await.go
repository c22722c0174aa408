package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/state"
)

// How often storage is asked whether what others work on has ended.
const (
	firstLook   = 50 * time.Millisecond
	longestLook = 5 * time.Second
)

// awaited is the outcome of a request that others work on. alive tells why they cannot work on it any more.
func awaited(ctx context.Context, d pipeline.Deps, h *pipeline.Handed, alive func(context.Context) error) (outcome, error) {
	r, told, err := awaitEnd(ctx, d, h, alive)
	if err != nil {
		return outcome{}, err
	}
	out := ended(r, h.Changed(r))
	if !told {
		out.Store = nil
	}
	return out, nil
}

// awaitEnd waits for the receipt of a request that others work on. told: the receipt says what this request did to the store.
func awaitEnd(ctx context.Context, d pipeline.Deps, h *pipeline.Handed, alive func(context.Context) error) (r state.Receipt, told bool, err error) {
	for wait := firstLook; ; wait = min(2*wait, longestLook) {
		r, over, err := h.Ended(ctx, d)
		if err != nil {
			return r, false, err
		}
		if over {
			told, err := h.Told(ctx, d.Store, r)
			return r, told, err
		}
		if wait == longestLook {
			if err := alive(ctx); err != nil {
				return r, false, serviceError(err)
			}
		}
		select {
		case <-ctx.Done():
			return r, false, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// counter counts from several goroutines.
type counter struct{ n atomic.Int64 }

func (c *counter) add() int64 { return c.n.Add(1) }

func (c *counter) now() int64 { return c.n.Load() }
