package pipeline

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/telemetry"
)

// A message that cannot be worked on yet (it failed and is to be tried again, or a breaker holds its owner's units up) does
// not wait in its lane. There it would hold one of the places that a consumer has for messages in hand, and a thousand such
// messages of one owner would stop everybody. It is stored in the stage's waiting room instead, whose consumer has places
// without limit, and acknowledged in its lane; when it has waited it goes back, into the lane that FairLane gives. All waits
// are lengths of time that the server counts, so that no two clocks have to agree.
const (
	// waitHeader says how long a message in the room waits, as Go writes durations.
	waitHeader = "Pamline-Wait"
	// laneHeader is the subject that it goes back to.
	laneHeader = "Pamline-Lane"
	// waitedHeader marks a message that has been in the room.
	waitedHeader = "Pamline-Waited"
)

// roomBatch is how many messages of a room are looked at with one pull.
const roomBatch = 16

// hasRoom tells whether a stage has a waiting room.
func hasRoom(stage string) bool { return workStreams[stage] != "" || stage == telemetry.StageAssemble }

// roomSubject is that of a message in the room: its own, with the room in the place of the lane or partition.
func roomSubject(subject string) string {
	parts := strings.SplitN(subject, ".", 4) // pam.<stage>.<lane or partition>.<rest>
	if len(parts) < 4 {
		return ""
	}
	parts[2] = roomWait
	return strings.Join(parts, ".")
}

// later makes a message come back after a while. A stage without a room keeps it where it is.
func (w *Worker) later(ctx context.Context, msg jetstream.Msg, stage string, after time.Duration) {
	to := roomSubject(msg.Subject())
	if !hasRoom(stage) || to == "" {
		w.settle(msg.NakWithDelay(after), stage)
		return
	}
	out := nats.NewMsg(to)
	maps.Copy(out.Header, msg.Headers())
	out.Header.Set(waitHeader, after.String())
	out.Header.Set(laneHeader, msg.Subject())
	out.Data = msg.Data()
	if _, err := w.js.PublishMsg(ctx, out); err != nil {
		w.Log.Warn("move to the waiting room failed; the message waits where it is", zap.String("stage", stage), zap.Error(err))
		w.settle(msg.NakWithDelay(after), stage)
		return
	}
	w.settle(msg.DoubleAck(ctx), stage)
}

// waited tells whether a message was given back before: then there may be attempts of its unit on record.
func waited(msg jetstream.Msg) bool {
	meta, err := msg.Metadata()
	return err != nil || meta.NumDelivered > 1 || msg.Headers().Get(waitedHeader) != ""
}

// keepRoom sees to a stage's waiting room until ctx ends.
func (w *Worker) keepRoom(ctx context.Context, c jetstream.Consumer, stage string) {
	for ctx.Err() == nil {
		msgs, err := c.Fetch(roomBatch, w.fetchWait(ctx))
		if err != nil {
			w.pause(ctx, err)
			continue
		}
		for msg := range msgs.Messages() {
			w.inRoom(context.WithoutCancel(ctx), msg, stage)
		}
		w.pulled(ctx, msgs)
	}
}

// inRoom makes a message wait when it is delivered first, and sends it back when it is delivered again.
func (w *Worker) inRoom(ctx context.Context, msg jetstream.Msg, stage string) {
	meta, err := msg.Metadata()
	if err != nil {
		w.settle(err, stage)
		return
	}
	if meta.NumDelivered == 1 {
		after, err := time.ParseDuration(msg.Headers().Get(waitHeader))
		if err != nil || after < 0 {
			after = w.Backoff.Max // somebody else put it there
		}
		w.settle(msg.NakWithDelay(max(after, 1)), stage)
		return
	}
	to, err := w.fromRoom(ctx, msg, stage)
	if err == nil && to != "" {
		out := nats.NewMsg(to)
		maps.Copy(out.Header, msg.Headers())
		out.Header.Del(waitHeader)
		out.Header.Del(laneHeader)
		out.Header.Set(waitedHeader, "1")
		out.Data = msg.Data()
		_, err = w.js.PublishMsg(ctx, out)
	}
	if err != nil {
		w.Log.Warn("bring back from the waiting room failed; the message waits on", zap.String("stage", stage), zap.Error(err))
		w.settle(msg.NakWithDelay(backoff(meta.NumDelivered, w.Backoff)), stage)
		return
	}
	w.settle(msg.DoubleAck(ctx), stage)
}

// fromRoom is the subject that a message goes back to; "" for one that nobody of us put there.
func (w *Worker) fromRoom(ctx context.Context, msg jetstream.Msg, stage string) (string, error) {
	subject := msg.Headers().Get(laneHeader)
	if roomSubject(subject) != msg.Subject() {
		w.Log.Warn("a message in the waiting room does not say where it came from and is removed", zap.String("stage", stage))
		return "", nil
	}
	parts := strings.SplitN(subject, ".", 5) // pam.<stage>.<lane>.<owner>.<rest>
	if workStreams[stage] == "" || len(parts) < 5 {
		return subject, nil
	}
	lane, err := FairLane(ctx, w.js, stage, parts[3], parts[2], w.Limits.OwnerSmall)
	parts[2] = lane
	return strings.Join(parts, "."), err
}
