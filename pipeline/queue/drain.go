package queue

import (
	"context"
	"time"
)

// drainContext returns the context of handlers: it lasts for a while after ctx has ended.
// What is not finished then is released, which is no attempt. stop ends it as well.
func drainContext(ctx context.Context, drain time.Duration) (work context.Context, stop context.CancelFunc) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		_ = waitFor(work, drain) // it ends early if work has ended
		cancel()
	})
	return work, func() {
		unhook()
		cancel()
	}
}
