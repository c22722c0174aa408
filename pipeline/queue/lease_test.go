package queue

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/natstest"
)

func acquire(t *testing.T, q *Queue, holder string, ttl time.Duration) *Lease {
	t.Helper()
	l, ok, err := q.TryLease(t.Context(), bucketLeases, "pass", holder, ttl)
	if err != nil || !ok {
		t.Fatalf("%s did not get the lease: %v", holder, err)
	}
	return l
}

func isFree(t *testing.T, q *Queue) bool {
	t.Helper()
	l, ok, err := q.TryLease(t.Context(), bucketLeases, "pass", "other", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if ok {
		if err := l.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return ok
}

func TestLeaseHasOneHolderUntilItIsReleased(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	l := acquire(t, q, "one", time.Minute)
	if isFree(t, q) {
		t.Error("two hold the lease")
	}
	if err := l.Renew(t.Context(), time.Minute); err != nil || isFree(t, q) {
		t.Errorf("renewed: %v", err)
	}
	if err := l.Release(t.Context()); err != nil || !isFree(t, q) {
		t.Errorf("released, and not free: %v", err)
	}
}

func TestLeaseOfAKilledHolderExpires(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	acquire(t, q, "one", time.Second) // the shortest that the server knows
	natstest.Eventually(t, "the lease is free", func() bool { return isFree(t, q) })
}

func TestLeaseIsRenewedWhileItIsHeldAndRestsAfterwards(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	s, err := q.js.Stream(t.Context(), "KV_"+bucketLeases)
	if err != nil {
		t.Fatal(err)
	}
	writes := func() uint64 {
		info, err := s.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return info.State.LastSeq
	}
	l := acquire(t, q, "one", 3*time.Second)
	failed := errors.New("done badly")
	err = l.Hold(t.Context(), 3*time.Second, time.Hour, func(ctx context.Context) error {
		natstest.Eventually(t, "the lease is renewed", func() bool { return writes() > 1 })
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if isFree(t, q) {
		t.Error("the lease does not rest")
	}
	kv, err := q.js.KeyValue(t.Context(), bucketLeases)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := kv.Get(t.Context(), "pass"); err != nil || string(e.Value()) != "one" {
		t.Errorf("the holder is not named: %v, %v", e, err)
	}
}

func TestLeaseIsReleasedAtOnceWithoutARest(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	ctx, cancel := context.WithCancel(t.Context())
	err := acquire(t, q, "one", time.Minute).Hold(ctx, time.Minute, 0, func(context.Context) error { cancel(); return ctx.Err() })
	if !errors.Is(err, context.Canceled) || !isFree(t, q) {
		t.Errorf("got %v", err)
	}
}

func TestWorkEndsWhenItsLeaseIsLost(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	kv, err := q.js.KeyValue(t.Context(), bucketLeases)
	if err != nil {
		t.Fatal(err)
	}
	l := acquire(t, q, "one", time.Minute)
	err = l.Hold(t.Context(), 30*time.Millisecond, 0, func(ctx context.Context) error {
		if _, err := kv.Put(ctx, "pass", []byte("two")); err != nil && ctx.Err() == nil {
			return err
		}
		<-ctx.Done()
		return nil
	})
	if fault.Of(err) != fault.Outage || !hasAll(err.Error(), "renew lease") {
		t.Errorf("got %v", err)
	}
}

func TestMissingBucketIsNamed(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	if _, _, err := q.TryLease(t.Context(), "NONE", "pass", "one", time.Minute); !errors.Is(err, jetstream.ErrBucketNotFound) {
		t.Errorf("got %v", err)
	}
	if err := q.MergeEntry(t.Context(), "NONE", "a", nil); !errors.Is(err, jetstream.ErrBucketNotFound) {
		t.Errorf("got %v", err)
	}
	for _, err := range q.Entries(t.Context(), "NONE", "a") {
		if !errors.Is(err, jetstream.ErrBucketNotFound) {
			t.Errorf("got %v", err)
		}
	}
}
