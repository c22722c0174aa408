package pipeline

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/telemetry"
)

// awayAtFirst is a JetStream that does not answer the first questions for consumers and streams.
type awayAtFirst struct {
	jetstream.JetStream
	asked *atomic.Int64
	err   error
}

func (a awayAtFirst) Consumer(ctx context.Context, stream, name string) (jetstream.Consumer, error) {
	if a.asked.Add(1) <= 3 {
		return nil, a.err
	}
	return a.JetStream.Consumer(ctx, stream, name)
}

func (a awayAtFirst) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	if a.asked.Add(1) <= 7 {
		return nil, a.err
	}
	return a.JetStream.Stream(ctx, name)
}

// A server may go away between the moment at which a worker joins it and the one at which the worker begins to pull.
func TestAWorkerWaitsForANATSThatGoesAwayAsItStarts(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d := testDeps(t)
	d.Backoff = Backoff{First: time.Millisecond, Max: time.Millisecond}
	a := awayAtFirst{js, new(atomic.Int64), context.DeadlineExceeded}
	w, err := NewWorker(d, a)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := w.consumers(t.Context(), StreamTake, telemetry.StageTake, []string{"take-small"}); err != nil || len(c) != 2 {
		t.Errorf("%d consumers, %v", len(c), err)
	}
	if _, err := answered(t.Context(), w, func() (jetstream.Stream, error) { return a.Stream(t.Context(), StreamTake) }); err != nil {
		t.Error(err)
	}
	a = awayAtFirst{js, new(atomic.Int64), jetstream.ErrConsumerNotFound}
	if w, err = NewWorker(d, a); err != nil {
		t.Fatal(err)
	}
	if _, err := w.consumers(t.Context(), StreamTake, telemetry.StageTake, []string{"take-small"}); !errors.Is(err, jetstream.ErrConsumerNotFound) || a.asked.Load() != 1 {
		t.Errorf("what waiting does not mend is asked for %d times: %v", a.asked.Load(), err)
	}
}
