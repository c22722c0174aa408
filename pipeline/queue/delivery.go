package queue

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/queue/hints"
)

// ErrTaskLost is the cause of the end of a handler's context if the process was suspended for
// longer than the acknowledgement time: NATS has given the task to another worker by now.
var ErrTaskLost = errors.New("this process was suspended for longer than nats.ack_wait, and NATS has given the task to another worker")

// Delivery is a task in hand.
type Delivery struct {
	Task
	// NumDelivered counts deliveries of this message, from 1. Outages and crashes raise it.
	NumDelivered uint64

	r      *run
	msg    jetstream.Msg
	seq    uint64 // of the message in its stream
	ctx    context.Context
	cancel context.CancelCauseFunc
	span   trace.Span
	once   sync.Once
	beat   time.Time // of the last heartbeat; heldDeliveries guards it
}

// IsFirst reports whether this is the first delivery of a task that an Ask or a handler sent. Every
// other delivery may follow a crash of which nothing was reported.
func (d *Delivery) IsFirst() bool {
	return d.NumDelivered == 1 && (d.Origin == FromAsk || d.Origin == FromHandler)
}

// Context is the context of this delivery. It carries the trace of the sender, and ends when the
// task is settled, when the process drains, or when the task is lost ([ErrTaskLost]).
func (d *Delivery) Context() context.Context { return d.ctx }

func (r *run) newDelivery(msg jetstream.Msg) *Delivery {
	d := &Delivery{Task: readTask(msg.Subject(), msg.Headers(), msg.Data()), NumDelivered: 1, r: r, msg: msg}
	if meta, err := msg.Metadata(); err == nil {
		d.NumDelivered, d.seq = meta.NumDelivered, meta.Sequence.Stream
	}
	d.ctx, d.cancel = context.WithCancelCause(r.work)
	d.ctx, d.span = startDelivery(d.ctx, r.q.o.Tracer, d, msg.Headers())
	r.held.add(d)
	return d
}

// Settle answers NATS for a delivery. Only the first call counts. A failure to answer is logged:
// the task comes back and finds its work done.
func (d *Delivery) Settle(r Result) {
	d.once.Do(func() {
		d.settle(r)
		d.abandon()
	})
}

// abandon ends a delivery without an answer, unless it is settled. A handler that exits its
// goroutine leaves its task like a worker that dies: it comes back after the acknowledgement time.
func (d *Delivery) abandon() {
	d.r.held.remove(d)
	d.cancel(nil)
}

func (d *Delivery) settle(r Result) {
	log := d.r.q.o.Log.With(zap.String("task", d.Kind()))
	if errors.Is(context.Cause(d.ctx), ErrTaskLost) {
		endDelivery(d.span, Release())
		log.Warn("lost the task; another worker continues it", zap.Error(ErrTaskLost))
		return // an answer would be taken for that of the other worker
	}
	if d.ctx.Err() != nil && r.action == actOutage {
		r = Release()
	}
	endDelivery(d.span, r)
	if r.action != actRelease {
		d.r.gate.report(r.action == actOutage)
	}
	if err := d.answer(context.WithoutCancel(d.ctx), r); err != nil {
		log.Warn("answer to NATS failed; the task will come back", zap.Error(hints.RedactError(err)))
	}
}

func (d *Delivery) answer(ctx context.Context, r Result) error {
	switch r.action {
	case actRetry, actLater:
		return d.delay(ctx, r)
	case actOutage:
		return d.msg.NakWithDelay(d.r.q.o.Backoff.After(int(min(d.NumDelivered, maxPause)))) //nolint:gosec // bounded
	case actRelease:
		// The delay keeps it from a loop of this process that has not stopped yet.
		return d.msg.NakWithDelay(d.r.q.o.PullWait)
	case actDrop:
		return d.msg.TermWithReason(r.reason)
	case actDone:
	}
	// The server confirms the acknowledgement, so a finished task does not come back after a crash.
	return d.msg.DoubleAck(ctx)
}

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
