package pipeline

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// crowdedBucket is one in which others write first, for as often as is left.
type crowdedBucket struct {
	jetstream.KeyValue
	left int
}

func (b *crowdedBucket) Update(ctx context.Context, key string, value []byte, rev uint64) (uint64, error) {
	if b.left > 0 {
		b.left--
		return 0, jetstream.ErrKeyExists
	}
	return b.KeyValue.Update(ctx, key, value, rev)
}

func TestWhatIsCrowdedOutIsToldLater(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d := testDeps(t)
	clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	d.Now = func() time.Time { return clock }
	tr := newTracker(d, js)
	bucket := &crowdedBucket{}
	open := tr.bucket
	tr.bucket = func(ctx context.Context) (_ jetstream.KeyValue, err error) {
		if bucket.KeyValue == nil {
			bucket.KeyValue, err = open(ctx)
		}
		return bucket, err
	}
	e := telemetry.Event{Stage: telemetry.StageIngest, Owner: "me", Drop: state.Digest("d"), Import: state.Digest("i")[:32], Bytes: 1, Total: 9}
	tr.observe(e)
	tr.flush(t.Context(), true)
	e.Bytes = 7
	tr.observe(e)
	bucket.left = putTries
	if !tr.flush(t.Context(), true) {
		t.Error("a telling that lost every race is taken for told")
	}
	if tr.dumb {
		t.Error("it is taken for a failure")
	}
	clock = clock.Add(trackEvery)
	if tr.flush(t.Context(), false) {
		t.Error("crowded out by nobody")
	}
	if p := told(t, js, "me", e.Import)[0]; p.BytesRead != 7 {
		t.Errorf("what was crowded out is not told: %+v", p)
	}
}
