package web

import (
	"context"
	"sync"
	"time"
)

// chores are the works that may take longer than a request: at most one of each kind for an owner.
// A page shows that one runs, and then its result.
type chores struct {
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu  sync.Mutex
	all map[choreKey]*chore
}

type choreKey struct{ owner, kind string }

// chore is one work. result and err are there when done is closed.
type chore struct {
	done   chan struct{}
	result any
	err    error
}

func newChores() *chores {
	ctx, cancel := context.WithCancel(context.Background())
	return &chores{ctx: ctx, cancel: cancel, all: map[choreKey]*chore{}}
}

// start begins a work, unless one of its kind is running: then that is given.
func (c *chores) start(owner, kind string, work func(context.Context) (any, error)) *chore {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := choreKey{owner, kind}
	if running := c.all[key]; running != nil && running.isRunning() {
		return running
	}
	one := &chore{done: make(chan struct{})}
	c.all[key] = one
	c.work.Go(func() {
		defer close(one.done)
		one.result, one.err = work(c.ctx)
	})
	return one
}

// of is the last work of a kind, nil for none.
func (c *chores) of(owner, kind string) *chore {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all[choreKey{owner, kind}]
}

// Close ends the works, and waits for them.
func (c *chores) Close() {
	c.cancel()
	c.work.Wait()
}

func (one *chore) isRunning() bool {
	select {
	case <-one.done:
		return false
	default:
		return true
	}
}

// wait waits for the end of a work, though not for long.
func (one *chore) wait(ctx context.Context, most time.Duration) {
	limit := time.NewTimer(most)
	defer limit.Stop()
	select {
	case <-one.done:
	case <-limit.C:
	case <-ctx.Done():
	}
}
