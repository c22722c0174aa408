package pipeline

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// serve runs a stage whose work the test replaces, on both its lanes.
func (r *rig) serve(t *testing.T, stream, name string, handle func(ctx context.Context, data []byte) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	st := stage{name: name, handle: handle, giveUp: func(context.Context, []byte, error) error { return nil }}
	r.done.Go(func() {
		if err := r.consume(ctx, stream, st, lanes(name, 1, 1)...); err != nil {
			t.Error(err)
		}
	})
}

func dropOf(owner string, n int) state.Request {
	return state.Request{V: state.MessageVersion, Owner: owner, Drop: state.Digest(fmt.Sprint(owner, n)), Lane: state.LaneSmall}
}

// Somebody comes with very many drops, behind an archive that is worked on for hours: another's small one is done after no
// more of them than may stand in the small lane.
func TestOneOwnersFloodDoesNotDelayAnothersSmallDrop(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const flood, limit = 120, 8
	large := dropOf("ann", -1)
	large.Lane = state.LaneBulk
	if err := submit(t.Context(), r.Store, r.js, large, limit); err != nil {
		t.Fatal(err)
	}
	for i := range flood {
		if err := submit(t.Context(), r.Store, r.js, dropOf("ann", i), limit); err != nil {
			t.Fatal(err)
		}
	}
	bob := dropOf("bob", 0)
	if err := submit(t.Context(), r.Store, r.js, bob, limit); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	before := 0
	done, archive := make(chan int, 1), make(chan struct{})
	var all atomic.Int32
	r.serve(t, StreamIngest, telemetry.StageIngest, func(_ context.Context, data []byte) error {
		q, err := decodeTask[state.Request](data)
		if err != nil {
			return err
		}
		if q.Drop == large.Drop {
			<-archive // five gigabytes
		}
		mu.Lock()
		defer mu.Unlock()
		if before++; q.Owner == "bob" {
			done <- before - 1
		}
		all.Add(1)
		return nil
	})
	if n := <-done; n != limit {
		t.Errorf("%d of the other's drops were read before it, want %d", n, limit)
	}
	close(archive)
	eventually(t, func() bool { return all.Load() == flood+2 })
}

// Many units of one owner wait, more than a consumer has places for messages in hand.
func TestUnitsThatWaitTakeNobodysPlace(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c, err := r.js.Consumer(t.Context(), StreamIngest, "ingest-small")
	if err != nil {
		t.Fatal(err)
	}
	cfg := c.CachedInfo().Config
	cfg.MaxAckPending = 4
	if _, err := r.js.UpdateConsumer(t.Context(), StreamIngest, cfg); err != nil {
		t.Fatal(err)
	}
	const waiting = 60
	for i := range waiting {
		if err := r.publish(t.Context(), dropOf("ann", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.publish(t.Context(), dropOf("bob", 0)); err != nil {
		t.Fatal(err)
	}
	bob := make(chan struct{}, 1)
	r.serve(t, StreamIngest, telemetry.StageIngest, func(_ context.Context, data []byte) error {
		if q, err := decodeTask[state.Request](data); err != nil || q.Owner == "bob" {
			bob <- struct{}{}
			return err
		}
		return &fault.Later{After: time.Hour, Why: "for the test"}
	})
	<-bob
	eventually(t, func() bool {
		room, err := queuedSubjects(t.Context(), r.js, StreamIngest, "pam.ingest.wait.ann.>")
		if err != nil {
			t.Fatal(err)
		}
		all, err := queuedSubjects(t.Context(), r.js, StreamIngest, "pam.ingest.>")
		if err != nil {
			t.Fatal(err)
		}
		return len(room) == waiting && len(all) == waiting
	})
}

func TestWhatHasWaitedComesBackOnceIntoAFairLane(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const n = 5
	var mu sync.Mutex
	tries := map[string]int{}
	done := make(chan struct{})
	r.Limits.OwnerSmall = 2
	r.serve(t, StreamIngest, telemetry.StageIngest, func(_ context.Context, data []byte) error {
		q, err := decodeTask[state.Request](data)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if tries[q.Drop]++; tries[q.Drop] == 1 {
			return &fault.Later{After: time.Millisecond, Why: "for the test"}
		}
		if len(tries) == n && tries[q.Drop] == 2 {
			for _, k := range tries {
				if k != 2 {
					return nil
				}
			}
			close(done)
		}
		return nil
	})
	for i := range n {
		if err := r.publish(t.Context(), dropOf("ann", i)); err != nil {
			t.Fatal(err)
		}
	}
	<-done
	eventually(t, func() bool {
		left, err := queuedSubjects(t.Context(), r.js, StreamIngest, "pam.ingest.>")
		return err == nil && len(left) == 0
	})
}

func TestFairLaneCountsOneOwnerOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	lane := func(owner, wanted string, limit int) string {
		t.Helper()
		got, err := FairLane(t.Context(), r.js, telemetry.StageExtract, owner, wanted, limit)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for i := range 3 {
		task := oneTask
		task.Owner, task.Shard = "ann", state.Digest(fmt.Sprint(i))[:32]
		if err := r.queueShard(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		owner, wanted string
		limit         int
		want          string
	}{
		{"ann", state.LaneSmall, 4, state.LaneSmall}, {"ann", state.LaneSmall, 3, state.LaneBulk}, {"ann", state.LaneSmall, 0, state.LaneSmall}, {"ann", state.LaneBulk, 9, state.LaneBulk},
		{"an", state.LaneSmall, 1, state.LaneSmall}, {"ann-", state.LaneSmall, 1, state.LaneSmall}, {"bob", state.LaneSmall, 1, state.LaneSmall},
	} {
		if got := lane(c.owner, c.wanted, c.limit); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
