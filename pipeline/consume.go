package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// fetchWait is how long one pull waits for a message, and so how long an idle worker takes to stop. A pull is never
// broken off: the server could deliver a message into it that nobody would see until its acknowledgement time has passed.
const fetchWait = 2 * time.Second

// stage is a consumer's work: what to do with a message, and what to leave behind when it is given up.
type stage struct {
	name string
	// handle does the work of one message; it returns after the result is durable and follow-up messages are stored.
	handle func(ctx context.Context, data []byte) error
	// giveUp leaves what a unit that has failed for good leaves before its dead letter (a receipt), or gives errDoneElsewhere.
	giveUp func(ctx context.Context, data []byte, cause error) error
	// end lets others go on without the unit, once its letter is stored: a message that comes again after that may find
	// nothing to do, and would leave no letter. nil: nobody waits for it.
	end func(ctx context.Context, data []byte, cause error) error
}

// queue is a consumer, and how many loops of this process pull from it.
type queue struct {
	name  string
	loops int
}

// lanes are the queues of a stage. Most of a small drop is waiting for storage, so that a process has several in hand; the
// bytes of their units are one budget.
func lanes(stage string, small, bulk int) []queue {
	return []queue{{stage + "-" + state.LaneSmall, small}, {stage + "-" + state.LaneBulk, bulk}}
}

// consume runs the loops of the queues, and of the stage's waiting room, until ctx ends. It begins with none before all
// consumers are there: an error must come out, and not wait behind loops that go on.
func (w *Worker) consume(ctx context.Context, stream string, st stage, queues ...queue) error {
	var names []string
	for _, q := range queues {
		names = append(names, q.name)
	}
	pullers, err := w.consumers(ctx, stream, st.name, names)
	if err != nil || pullers == nil {
		return err
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	for i, q := range queues {
		for range q.loops {
			wg.Go(func() { w.pull(ctx, pullers[i], st) })
		}
	}
	if hasRoom(st.name) {
		wg.Go(func() { w.keepRoom(ctx, pullers[len(queues)], st.name) })
	}
	return nil
}

// consumers opens the named ones and, last, that of the stage's waiting room when it has one; none when the worker was
// stopped meanwhile. It waits for a NATS that has gone away since the worker joined it.
func (w *Worker) consumers(ctx context.Context, stream, stage string, names []string) ([]jetstream.Consumer, error) {
	if hasRoom(stage) {
		names = append(names, stage+"-"+roomWait)
	}
	var out []jetstream.Consumer
	for _, name := range names {
		c, err := answered(ctx, w, func() (jetstream.Consumer, error) { return w.js.Consumer(ctx, stream, name) })
		if ctx.Err() != nil {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("open consumer %s of %s: %w", name, stream, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// answered asks JetStream until it answers.
func answered[T any](ctx context.Context, w *Worker, ask func() (T, error)) (T, error) {
	for try := uint64(1); ; try++ {
		v, err := ask()
		if err == nil || ctx.Err() != nil || !leaderless(err) {
			return v, err
		}
		w.Log.Warn("JetStream does not answer; waiting for it", zap.Error(err))
		if err := wait(ctx, backoff(try, w.Backoff)); err != nil {
			return v, err
		}
	}
}

func (w *Worker) pull(ctx context.Context, c jetstream.Consumer, st stage) {
	gate := w.gates[st.name]
	for ctx.Err() == nil {
		gate.enter(ctx)
		if ctx.Err() != nil {
			return
		}
		msgs, err := c.Fetch(1, w.fetchWait(ctx))
		if err != nil {
			w.pause(ctx, err)
			continue
		}
		for msg := range msgs.Messages() {
			w.one(ctx, msg, st)
		}
		w.pulled(ctx, msgs)
	}
}

// fetchWait is how long a pull waits. One of an embedded broker may end with ctx, for its queues end with it, too.
func (w *Worker) fetchWait(ctx context.Context) jetstream.FetchOpt {
	if w.embedded {
		return jetstream.FetchContext(ctx)
	}
	return jetstream.FetchMaxWait(w.patience)
}

// pulled waits a moment when a pull went wrong.
func (w *Worker) pulled(ctx context.Context, msgs jetstream.MessageBatch) {
	if err := msgs.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) {
		w.pause(ctx, err)
	}
}

// pause waits a moment after a failed pull, so that an outage of NATS is not hammered.
func (w *Worker) pause(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	w.Log.Warn("pull from NATS failed; trying again", zap.Error(err))
	t := time.NewTimer(backoff(2, w.Backoff))
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// one works on one message: heartbeats while it runs, then acknowledges, gives back or gives up.
func (w *Worker) one(ctx context.Context, msg jetstream.Msg, st stage) {
	work, cancel := context.WithCancelCause(lasting(ctx))
	if ctx.Err() != nil {
		cancel(nil) // it came while the worker was stopping, and nothing new is begun
	}
	defer cancel(nil)
	beat := make(chan struct{})
	var beats sync.WaitGroup
	beats.Go(func() { w.heartbeat(work, msg, beat, cancel) })
	traced, account := w.begin(work, st.name, msg)
	mark, err := w.mark(work, st.name, msg)
	defer mark.leave()
	if err == nil {
		err = guarded(traced, st, msg.Data())
	}
	account.end(err)
	if err != nil {
		mark.reported(work)
	}
	close(beat)
	beats.Wait()
	w.settleUnit(work, msg, st, err)
}

// settleUnit answers NATS for a unit that has ended: acknowledges its message, gives it back, or gives it up.
func (w *Worker) settleUnit(ctx context.Context, msg jetstream.Msg, st stage, err error) {
	keep := context.WithoutCancel(ctx)
	if !fault.IsDrain(ctx, err) {
		w.gates[st.name].left(telemetry.OutcomeOf(ctx, err) == string(fault.Outage) && !errors.Is(err, errLostRaces), w.Backoff)
	}
	if err != nil {
		w.failed(ctx, msg, st, err)
		return
	}
	if w.comesAgain(msg) {
		if bad := w.forgetAttempts(keep, st.name, msg); bad != nil {
			w.Log.Warn("forget attempts failed", zap.String("stage", st.name), zap.Error(bad))
		}
	}
	// DoubleAck: the server has the acknowledgement, so a finished unit does not come back after a crash.
	if err := msg.DoubleAck(keep); err != nil {
		w.Log.Warn("acknowledge failed; the message will come back and find its work done", zap.String("stage", st.name), zap.Error(err))
	}
}

// guarded turns a panic into an error of the unit that caused it.
func guarded(ctx context.Context, st stage, data []byte) error {
	return fault.Recovered("run "+st.name, func() error { return st.handle(ctx, data) })
}

func (w *Worker) heartbeat(ctx context.Context, msg jetstream.Msg, done <-chan struct{}, cancel context.CancelCauseFunc) {
	p := newPulse(w.ackWait)
	t := time.NewTicker(w.ackWait / 3)
	defer t.Stop()
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			return
		case at := <-t.C:
			if p.stoodStill(at) {
				cancel(errTaken)
				return
			}
			if err := msg.InProgress(); err != nil {
				w.Log.Warn("heartbeat failed; stopping this unit, another worker may take it", zap.Error(err))
				cancel(nil)
				return
			}
		}
	}
}

func (w *Worker) failed(ctx context.Context, msg jetstream.Msg, st stage, cause error) {
	keep := context.WithoutCancel(ctx)
	if errors.Is(context.Cause(ctx), errTaken) {
		w.Log.Warn("a unit was left to whoever has it now", zap.String("stage", st.name), zap.Error(errTaken))
		return
	}
	if fault.IsDrain(ctx, cause) {
		// Not to a loop of this process that has not stopped yet.
		w.settle(msg.NakWithDelay(fetchWait), st.name)
		return
	}
	if l := (*fault.Later)(nil); errors.As(cause, &l) {
		w.later(keep, msg, st.name, l.After)
		return
	}
	delivered := uint64(1)
	if meta, err := msg.Metadata(); err == nil {
		delivered = meta.NumDelivered
	}
	if fault.Of(cause) == fault.Outage {
		w.Observe.Fault(st.name, cause, true)
		w.Log.Warn("storage or NATS is out; the unit waits", zap.String("stage", st.name), zap.String("error", fault.Loggable(cause)))
		w.settle(msg.NakWithDelay(backoff(delivered, w.Backoff)), st.name)
		return
	}
	attempts := w.Attempts
	if fault.Of(cause) == fault.Permanent {
		attempts = w.attemptsBefore(keep, st.name, msg) + 1
	}
	if fault.Of(cause) == fault.Unit {
		n, err := w.countAttempt(keep, st.name, msg)
		if err != nil {
			w.Observe.Fault(st.name, &fault.Fault{Class: fault.Outage, Err: err}, true)
			w.Log.Warn("count attempt failed; the unit waits", zap.String("stage", st.name), zap.Error(err))
			w.settle(msg.NakWithDelay(backoff(delivered, w.Backoff)), st.name)
			return
		}
		if n < attempts && !spent(cause) {
			w.Observe.Fault(st.name, cause, true)
			w.Log.Warn("unit failed; it will be tried again", zap.String("stage", st.name), ownerOf(msg), zap.Int("attempt", n), zap.Int("of", attempts), zap.String("error", fault.Loggable(cause)))
			w.later(keep, msg, st.name, backoff(uint64(n), w.Backoff))
			return
		}
		attempts = n
		if s := (*silentError)(nil); errors.As(cause, &s) {
			attempts = s.times
		}
	}
	w.Observe.Fault(st.name, cause, false)
	w.Log.Error("unit given up", zap.String("stage", st.name), ownerOf(msg), zap.String("letter", letterID(letterSubject(st.name, msg.Subject(), msg.Data()))),
		zap.String("class", string(fault.Of(cause))), zap.String("error", fault.Loggable(cause)))
	if err := w.bury(keep, st, msg, cause, attempts); err != nil {
		w.Log.Warn("write dead letter failed; the unit waits", zap.String("stage", st.name), zap.Error(err))
		w.settle(msg.NakWithDelay(backoff(delivered, w.Backoff)), st.name)
		return
	}
	w.settle(msg.TermWithReason(string(fault.Of(cause))), st.name)
}

// ownerOf says in a log whose unit a message is about, when it is anybody's.
func ownerOf(msg jetstream.Msg) zap.Field {
	if owner := telemetry.UnitOf(msg.Data()).Owner; owner != "" {
		return zap.String("owner", owner)
	}
	return zap.Skip()
}

func (w *Worker) settle(err error, stage string) {
	if err != nil {
		w.Log.Warn("answer to NATS failed; the message will come back", zap.String("stage", stage), zap.Error(err))
	}
}

// backoff is the wait before try n+1, with jitter of half of it so that many workers do not come back together.
func backoff(n uint64, b Backoff) time.Duration {
	d := b.Max
	if n < 16 {
		d = min(b.Max, b.First<<max(n, 1)>>1)
	}
	if d <= 1 {
		return d
	}
	return d/2 + rand.N(d/2) //nolint:gosec // jitter, not a secret
}
