package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// cleanTimeout bounds the removal of scratch streams, which runs when the time of the part may be
// over.
const cleanTimeout = 2 * time.Second

// queue sends a message through a scratch stream and takes it out again, as the workers do.
func (b *broker) queue() {
	name, subject := "PAM_CHECK_"+b.id, "pam.check."+b.id
	stream, err := b.js.CreateStream(b.ctx, jetstream.StreamConfig{
		Name: name, Subjects: []string{subject}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, MaxAge: time.Hour, MaxBytes: 1 << 20,
	})
	if !b.try("make a scratch stream", err) {
		return
	}
	defer b.clean("remove the scratch stream", func(ctx context.Context) error { return b.js.DeleteStream(ctx, name) })
	ack, err := b.js.Publish(b.ctx, subject, []byte("1"), jetstream.WithExpectLastSequencePerSubject(0))
	if !b.try("store a message", err) {
		return
	}
	_, err = b.js.Publish(b.ctx, subject, []byte("2"), jetstream.WithExpectLastSequencePerSubject(0))
	b.try("refuse a message under a condition that does not hold", wrongSequence(err))
	consumer, err := stream.CreateConsumer(b.ctx, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Minute})
	if !b.try("make a consumer", err) {
		return
	}
	msg, err := consumer.Next(jetstream.FetchContext(b.ctx))
	if !b.try("take the message", err) {
		return
	}
	b.try("acknowledge it", msg.DoubleAck(b.ctx))
	if info, err := b.js.Stream(b.ctx, name); err == nil {
		ahead := info.CachedInfo().TimeStamp.Sub(b.now())
		skew(b.say, "the message server's", ahead)
	}
	if ack.Sequence != 1 {
		b.say.Fail("number messages", fmt.Errorf("the first message of a new stream has the number %d", ack.Sequence), "")
	}
}

// wrongSequence turns a condition that was not honoured into an error. Replicated streams have a
// code of their own for it.
func wrongSequence(err error) error {
	var api *jetstream.APIError
	switch {
	case err == nil:
		return errors.New("the server passed over the expected sequence: use NATS 2.14 or later")
	case errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == 10164):
		return nil
	}
	return err
}

// shortest is the least time to live that the server takes.
const shortest = time.Second

// expiry tries keys that go by themselves: leases are such.
func (b *broker) expiry() {
	name := "PAM_CHECK_" + b.id
	kv, err := b.js.CreateKeyValue(b.ctx, jetstream.KeyValueConfig{Bucket: name, Storage: jetstream.FileStorage, LimitMarkerTTL: time.Minute, MaxBytes: 1 << 20})
	if !b.try("make a scratch key-value bucket", err) {
		return
	}
	defer b.clean("remove the scratch bucket", func(ctx context.Context) error { return b.js.DeleteKeyValue(ctx, name) })
	first, err := kv.Create(b.ctx, "turn", []byte("1"), jetstream.KeyTTL(shortest))
	if !b.try("make a key that expires", err) {
		return
	}
	_, err = kv.Update(b.ctx, "turn", []byte("2"), first+1)
	b.try("refuse to replace a key that somebody changed", wrongSequence(err))
	watch, err := kv.Watch(b.ctx, "turn", jetstream.UpdatesOnly())
	if !b.try("watch a key", err) {
		return
	}
	defer func() { _ = watch.Stop() }() // the bucket goes anyway
	if _, err := kv.Get(b.ctx, "turn"); errors.Is(err, jetstream.ErrKeyNotFound) {
		b.say.OK("see the key expire", "")
		return
	}
	late := time.NewTimer(10 * shortest)
	defer late.Stop()
	select {
	case <-watch.Updates():
		b.say.OK("see the key expire", "")
	case <-late.C:
		b.say.Fail("see the key expire", fmt.Errorf("it was to live %s and is still there after %s", shortest, 10*shortest), "use NATS 2.14 or later")
	case <-b.ctx.Done():
		b.try("see the key expire", context.Cause(b.ctx))
	}
}

// clean removes something even when the time is over.
func (b *broker) clean(what string, remove func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), cleanTimeout)
	defer cancel()
	if err := remove(ctx); err != nil {
		b.say.Warn(what, err.Error(), "remove PAM_CHECK_"+b.id+" by hand, `nats stream rm` or `nats kv rm` does it")
	}
}
