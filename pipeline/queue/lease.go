package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Lease lets one process of a cluster do work that needs no second one. It is a key that the server
// removes after a while, so the clocks of the processes need not agree, and a killed holder blocks
// nobody for long. It is not a lock: a holder that is cut off goes on until it notices. Work under
// a lease must be harmless when two processes do it.
type Lease struct {
	js      jetstream.JetStream
	subject string
	holder  string
	seq     uint64
}

// TryLease acquires the lease of a name for ttl. ok is false if another process holds it or has
// rested on it. The bucket must have KeyTTL. holder is for people who look into the bucket.
func (q *Queue) TryLease(ctx context.Context, bucket, name, holder string, ttl time.Duration) (l *Lease, ok bool, err error) {
	kv, err := q.js.KeyValue(ctx, bucket)
	if err != nil {
		return nil, false, classifyError(fmt.Errorf("open bucket %s: %w", bucket, err))
	}
	seq, err := kv.Create(ctx, name, []byte(holder), jetstream.KeyTTL(ttl))
	if isLostRace(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, classifyError(fmt.Errorf("acquire lease %s: %w", name, err))
	}
	return &Lease{js: q.js, subject: "$KV." + bucket + "." + name, holder: holder, seq: seq}, true, nil
}

// Renew extends the lease to ttl from now. An error means that the lease may be lost.
func (l *Lease) Renew(ctx context.Context, ttl time.Duration) error {
	return l.write(ctx, "renew", "", jetstream.WithMsgTTL(ttl))
}

// Release gives the lease up.
func (l *Lease) Release(ctx context.Context) error { return l.write(ctx, "release", "DEL") }

// write replaces the key if this holder wrote it last. A bucket's own update cannot set a time to
// live, so this writes the message below it.
func (l *Lease) write(ctx context.Context, doing, operation string, o ...jetstream.PublishOpt) error {
	msg := nats.NewMsg(l.subject)
	msg.Data = []byte(l.holder)
	if operation != "" {
		msg.Header.Set("KV-Operation", operation)
	}
	ack, err := l.js.PublishMsg(ctx, msg, append(o, jetstream.WithExpectLastSequencePerSubject(l.seq))...)
	if err != nil {
		return classifyError(fmt.Errorf("%s lease: %w", doing, err))
	}
	l.seq = ack.Sequence
	return nil
}

// Hold runs do while it renews the lease every third of ttl. The context of do ends when the lease
// is lost; then the loss is the result. Afterwards nobody gets the lease for rest, which spaces
// periodic work; 0 releases it at once.
func (l *Lease) Hold(ctx context.Context, ttl, rest time.Duration, do func(context.Context) error) error {
	work, lose := context.WithCancelCause(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for waitFor(work, ttl/3) == nil {
			// A renewal is never broken off: its sequence number is needed for the next write.
			if err := l.Renew(context.WithoutCancel(work), ttl); err != nil {
				lose(err)
			}
		}
	})
	err := do(work)
	lost := context.Cause(work)
	lose(nil)
	renewing.Wait()
	if lost != nil && ctx.Err() == nil {
		return lost
	}
	after := context.WithoutCancel(ctx)
	if rest > 0 {
		return errors.Join(err, l.Renew(after, rest))
	}
	return errors.Join(err, l.Release(after))
}
