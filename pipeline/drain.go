package pipeline

import (
	"context"
	"time"
)

// A worker that is told to stop pulls nothing more at once, and goes on with the units in hand for Deps.Drain. What is not
// finished then is given back, which is no attempt.

type lastingKey struct{}

// grace gives a context that ends with ctx, and in which units last for longer ([lasting]). stop ends them, too.
func (w *Worker) grace(ctx context.Context) (_ context.Context, stop func()) {
	if w.embedded || w.Drain <= 0 {
		return ctx, func() {} // the queues end with this process and are rebuilt: there is nobody to give anything back to
	}
	work, cut := context.WithCancel(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		t := time.NewTimer(w.Drain)
		defer t.Stop()
		select {
		case <-t.C:
			cut()
		case <-work.Done():
		}
	})
	return context.WithValue(ctx, lastingKey{}, work), func() {
		unhook()
		cut()
	}
}

// lasting is the context of the units of a loop that ends with ctx.
func lasting(ctx context.Context) context.Context {
	if work, ok := ctx.Value(lastingKey{}).(context.Context); ok {
		return work
	}
	return ctx
}
