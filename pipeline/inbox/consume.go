package inbox

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// ConsumeTakes handles the tasks of the inbox until ctx ends.
func (in *Inbox) ConsumeTakes(ctx context.Context) error {
	return in.queue.Consume(ctx, dispatch.StreamTake, in.handleTake,
		queue.Pull{Consumer: "take-small", Parallel: in.Parallel}, queue.Pull{Consumer: "take-bulk", Parallel: 1})
}

func (in *Inbox) handleTake(ctx context.Context, d *queue.Delivery) queue.Result {
	in.Metrics.Began(telemetry.StageInbox, d.NumDelivered > 1)
	began := in.Now()
	err := fault.Recovered("take drop", func() error {
		t, err := decodeTask(d.Task)
		switch {
		case err != nil:
			return &fault.Fault{Class: fault.Permanent, Err: err}
		case t.Scan:
			return in.scanForEvents(ctx, t)
		}
		return in.Take(ctx, t, d.Attempt >= in.Attempts)
	})
	in.Metrics.Ended(telemetry.StageInbox, telemetry.OutcomeOf(ctx, err), in.Now(), in.Now().Sub(began))
	return in.resultOf(ctx, d, err)
}

// resultOf says what becomes of a task of the inbox. Nothing is lost with a task that is dropped:
// the next listing finds its entry.
func (in *Inbox) resultOf(ctx context.Context, d *queue.Delivery, err error) queue.Result {
	later := (*fault.Later)(nil)
	switch {
	case err == nil:
		return queue.Done()
	case fault.IsDrain(ctx, err):
		return queue.Release()
	case errors.As(err, &later):
		return queue.Later(later.After)
	case fault.Of(err) == fault.Outage:
		in.Log.Warn("storage or NATS is out; taking drops waits", zap.String("error", fault.Loggable(err)))
		return queue.Outage()
	case fault.Of(err) == fault.Permanent, d.Attempt >= in.Attempts:
		in.Log.Error("removed a task of the inbox; the next listing finds what it was for", zap.String("error", fault.Loggable(err)))
		return queue.Drop("permanent")
	}
	in.Log.Warn("take drop failed; trying again", zap.Int("attempt", d.Attempt), zap.String("error", fault.Loggable(err)))
	return queue.RetryAfter(in.Backoff.After(d.Attempt))
}
