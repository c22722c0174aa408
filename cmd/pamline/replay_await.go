package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/pamline/pamline/pipeline"
)

// How often storage is asked whether what others work on has ended.
const (
	firstLook   = 50 * time.Millisecond
	longestLook = 5 * time.Second
)

// awaited waits until a request that others work on has ended. alive tells why they cannot work on it any more.
func awaited(ctx context.Context, d pipeline.Deps, h *pipeline.Handed, alive func(context.Context) error) (outcome, error) {
	for wait := firstLook; ; wait = min(2*wait, longestLook) {
		r, over, err := h.Ended(ctx, d)
		if err != nil {
			return outcome{}, err
		}
		if over {
			out := ended(r, h.Changed(r))
			if told, err := h.Told(ctx, d.Store, r); err != nil || !told {
				out.Store = nil
				return out, err
			}
			return out, nil
		}
		if wait == longestLook {
			if err := alive(ctx); err != nil {
				return outcome{}, serviceError(err)
			}
		}
		select {
		case <-ctx.Done():
			return outcome{}, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// counter counts from several goroutines.
type counter struct{ n atomic.Int64 }

func (c *counter) add() int64 { return c.n.Add(1) }

func (c *counter) now() int64 { return c.n.Load() }
