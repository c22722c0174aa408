package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// turn lets one process of a cluster do what needs no second one. It is a key that the server removes by itself after a while,
// so that the clocks of the processes need not agree and a killed holder blocks nobody for long. It is no lock: a holder that
// is cut off goes on until it notices. What is done under it must be harmless when two do it.
type turn struct {
	js      jetstream.JetStream
	subject string
	seq     uint64
}

// takeTurn gives the turn of a name for a while; ok is false when somebody else has it, or has had it a moment ago.
func takeTurn(ctx context.Context, js jetstream.JetStream, name, who string, hold time.Duration) (t *turn, ok bool, err error) {
	kv, err := js.KeyValue(ctx, BucketTurns)
	if err != nil {
		return nil, false, asOutage(fmt.Errorf("open bucket %s: %w", BucketTurns, err))
	}
	seq, err := kv.Create(ctx, name, []byte(who), jetstream.KeyTTL(hold))
	if errors.Is(err, jetstream.ErrKeyExists) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, asOutage(fmt.Errorf("take turn %s: %w", name, err))
	}
	return &turn{js: js, subject: "$KV." + BucketTurns + "." + name, seq: seq}, true, nil
}

// hold keeps the turn for so long from now, or gives an error when it is lost. A bucket's own update knows no expiry, so the
// message below it is written.
func (t *turn) hold(ctx context.Context, who string, d time.Duration) error {
	msg := nats.NewMsg(t.subject)
	msg.Data = []byte(who)
	ack, err := t.js.PublishMsg(ctx, msg, jetstream.WithMsgTTL(d), jetstream.WithExpectLastSequencePerSubject(t.seq))
	if err != nil {
		return asOutage(fmt.Errorf("hold turn: %w", err))
	}
	t.seq = ack.Sequence
	return nil
}

// holding does something while the turn is held, which ends when it is lost. Afterwards nobody has the turn for rest.
func (t *turn) holding(ctx context.Context, who string, hold, rest time.Duration, do func(context.Context) error) error {
	work, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	ended := make(chan struct{})
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		beat := time.NewTicker(hold / 3)
		defer beat.Stop()
		for {
			select {
			case <-ended:
				return
			case <-work.Done():
				return
			case <-beat.C:
				if err := t.hold(work, who, hold); err != nil {
					lost(err)
					return
				}
			}
		}
	}()
	err := do(work)
	close(ended)
	<-kept
	if cause := context.Cause(work); cause != nil && ctx.Err() == nil {
		return cause
	}
	return errors.Join(err, t.hold(context.WithoutCancel(ctx), who, rest))
}
