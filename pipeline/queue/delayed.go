package queue

import (
	"context"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/queue/hints"
)

// returnBatch is how many delayed copies one pull asks for.
const returnBatch = 16

// delayedCopy makes a message wait: its subject is in the lane of delayed copies, and two headers
// say for how long, and where it returns to. The last token is the sequence number of the message
// that it replaces, or 0. A task may fail again before its copy of the attempt before is removed;
// without the token, the copy of the new attempt would be refused.
func delayedCopy(msg *nats.Msg, delay time.Duration, seq uint64) *nats.Msg {
	msg.Header.Set(headerDelay, delay.String())
	msg.Header.Set(headerLane, tokenAt(msg.Subject, tokenLane))
	msg.Subject = withLane(msg.Subject, laneDelayed) + "." + strconv.FormatUint(seq, 10)
	return msg
}

// laneSubject is where the delayed copy of a subject returns to.
func laneSubject(subject, lane string) string {
	if end := strings.LastIndexByte(subject, '.'); end >= 0 {
		subject = subject[:end]
	}
	return withLane(subject, lane)
}

// canDelay reports whether the stream of a subject has a consumer of delayed copies.
func (t Topology) canDelay(subject string) bool {
	s, _ := t.streamOf(subject)
	_, ok := s.delayed()
	return ok
}

// delay replaces the task in its lane by a delayed copy. A copy that exists already is of this very
// message, whose acknowledgement was lost. If the copy cannot be stored, the task waits in its
// lane.
func (d *Delivery) delay(ctx context.Context, r Result) error {
	q := d.r.q
	out := nats.NewMsg(d.Subject)
	maps.Copy(out.Header, d.msg.Headers())
	out.Data = d.Body
	if r.action == actRetry {
		out.Header.Set(headerAttempt, strconv.Itoa(d.Attempt+1))
	}
	out.Header.Set(headerOrigin, string(FromRetry))
	if !q.t.canDelay(d.Subject) {
		return d.msg.NakWithDelay(max(r.after, 1))
	}
	if _, err := q.store(ctx, delayedCopy(out, r.after, d.seq)); err != nil {
		q.o.Log.Warn("store delayed copy failed; the task waits in its lane", zap.String("task", d.Kind()), zap.Error(hints.RedactError(err)))
		return d.msg.NakWithDelay(max(r.after, 1))
	}
	return d.msg.DoubleAck(ctx)
}

// returnDelayed brings delayed copies back until the run ends.
func (r *run) returnDelayed(c jetstream.Consumer) {
	for r.ctx.Err() == nil {
		r.fetchOnce(c, returnBatch, func(msg jetstream.Msg) {
			if err := r.handleDelayed(context.WithoutCancel(r.ctx), msg); err != nil {
				r.q.o.Log.Warn("answer to NATS failed; the delayed copy will come back", zap.Error(hints.RedactError(err)))
			}
		})
	}
}

// handleDelayed starts the delay of a copy at its first delivery, and sends the copy to its lane at
// the next. While the lane holds a task of its subject, the copy waits: that task may be the one
// that it replaces, just before its acknowledgement, and nothing would be left.
func (r *run) handleDelayed(ctx context.Context, msg jetstream.Msg) error {
	q := r.q
	meta, err := msg.Metadata()
	if err != nil {
		return err
	}
	header := msg.Headers()
	if meta.NumDelivered == 1 {
		delay, err := time.ParseDuration(header.Get(headerDelay))
		if err != nil || delay < 0 {
			delay = q.o.Backoff.After(maxPause) // not a message of ours
		}
		return msg.NakWithDelay(max(delay, 1))
	}
	task := Task{Subject: laneSubject(msg.Subject(), header.Get(headerLane))}
	if err := task.check(); err != nil {
		q.o.Log.Warn("removed a delayed copy that does not say where it came from", zap.Error(err))
		return msg.TermWithReason("no lane")
	}
	stored := false
	subject, err := q.fairSubject(ctx, task.Subject)
	if err == nil {
		out := nats.NewMsg(subject)
		maps.Copy(out.Header, header)
		out.Header.Del(headerDelay)
		out.Header.Del(headerLane)
		out.Data = msg.Data()
		stored, err = q.store(ctx, out)
	}
	if err != nil {
		q.o.Log.Warn("return of a delayed copy failed; it waits longer", zap.Error(hints.RedactError(err)))
	}
	if !stored {
		return msg.NakWithDelay(q.o.Backoff.After(int(min(meta.NumDelivered, maxPause)))) //nolint:gosec // bounded
	}
	return msg.DoubleAck(ctx)
}
