package queue

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// silentMsg counts heartbeats. Any other answer to NATS panics.
type silentMsg struct {
	jetstream.Msg
	beats int
	err   error
}

func (m *silentMsg) InProgress() error {
	m.beats++
	return m.err
}

func (m *silentMsg) Headers() nats.Header { return nil }

func (m *silentMsg) Subject() string { return "pam.jobs.small.ann.1" }

func (m *silentMsg) Data() []byte { return nil }

func (m *silentMsg) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{NumDelivered: 1}, nil
}

// stalling is a run whose clock the test sets.
func stalling(t *testing.T) (r *run, clock *time.Time) {
	t.Helper()
	q := New(nil, Topology{AckWait: 3 * time.Second}, Options{})
	at := time.Unix(0, 0)
	held := newHeldDeliveries(q)
	held.now = func() time.Time { return at }
	return &run{q: q, ctx: t.Context(), work: t.Context(), gate: &gate{}, held: held}, &at
}

func TestProcessThatWasSuspendedStopsItsTasks(t *testing.T) {
	r, clock := stalling(t)
	old := &silentMsg{}
	d := r.newDelivery(old)
	for _, gap := range []time.Duration{time.Second, 3 * time.Second} {
		*clock = clock.Add(gap)
		r.held.beatAll()
		if d.ctx.Err() != nil {
			t.Fatalf("stopped after a gap of %s", gap)
		}
	}
	*clock = clock.Add(3*time.Second + 1)
	fresh := r.newDelivery(&silentMsg{}) // it arrived after the suspension
	r.held.beatAll()
	if !errors.Is(context.Cause(d.ctx), ErrTaskLost) || old.beats != 2 {
		t.Errorf("cause %v, %d heartbeats", context.Cause(d.ctx), old.beats)
	}
	if fresh.ctx.Err() != nil {
		t.Error("a task that arrived later was stopped, too")
	}
	r.held.beatAll()
	if old.beats != 2 {
		t.Error("a lost task got a heartbeat")
	}
}

func TestLostTaskIsNotAnsweredInPlaceOfTheOtherWorker(t *testing.T) {
	r, clock := stalling(t)
	for _, result := range []Result{Done(), Outage(), RetryAfter(time.Second), Drop("x"), Release()} {
		d := r.newDelivery(&silentMsg{}) // any answer to NATS panics
		*clock = clock.Add(time.Minute)
		r.held.beatAll()
		d.Settle(result)
	}
	if r.gate.closed != nil {
		t.Error("a lost task closed the gate")
	}
}

func TestLostTaskEndsTheContextOfItsBatch(t *testing.T) {
	r, clock := stalling(t)
	d := r.newDelivery(&silentMsg{})
	r.handleBatch([]*Delivery{d}, func(ctx context.Context, batch []*Delivery) {
		*clock = clock.Add(time.Minute)
		r.held.beatAll()
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), ErrTaskLost) {
			t.Errorf("cause %v", context.Cause(ctx))
		}
	})
}

func TestTaskWhoseHeartbeatFailsIsStopped(t *testing.T) {
	r, _ := stalling(t)
	r.q.o.Log = zap.NewNop()
	for err, stopped := range map[error]bool{nats.ErrConnectionClosed: true, jetstream.ErrMsgAlreadyAckd: false} {
		d := r.newDelivery(&silentMsg{err: err})
		r.held.beatAll()
		if (d.ctx.Err() != nil) != stopped {
			t.Errorf("%v: context %v", err, d.ctx.Err())
		}
		if stopped && errors.Is(context.Cause(d.ctx), ErrTaskLost) {
			t.Error("the task counts as lost")
		}
	}
}
