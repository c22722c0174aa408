package status

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/telemetry"
)

func TestMergesInAnyOrderGiveTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	times := []string{"", "2026-01-02T03:04:05.000Z", "2026-01-02T03:04:06.000Z"}
	random := func() Progress {
		p := Progress{V: 2, Owner: "ann", Drop: "d0", Gen: rng.IntN(2), Ended: rng.IntN(3) == 0, BytesRead: rng.Int64N(3), BytesTotal: rng.Int64N(3), Conversations: rng.Int64N(3),
			StartedAt: times[rng.IntN(3)], UpdatedAt: times[rng.IntN(3)], Worker: []string{"a", "b"}[rng.IntN(2)], Writes: rng.IntN(4)}
		if rng.IntN(2) == 0 {
			p.Trouble = &Trouble{Stage: "ingest", Class: fault.Unit, Delivery: rng.Uint64N(2), At: times[rng.IntN(3)]}
		}
		return p
	}
	same := func(p, q Progress) bool {
		if (p.Trouble == nil) != (q.Trouble == nil) || p.Trouble != nil && *p.Trouble != *q.Trouble {
			return false
		}
		p.Trouble, q.Trouble = nil, nil
		return p == q
	}
	for range 2000 {
		p, q, r := random(), random(), random()
		if !same(p.merge(q), q.merge(p)) || !same(p.merge(q).merge(r), p.merge(q.merge(r))) || !same(p.merge(p), p) {
			t.Fatalf("%+v\n%+v\n%+v", p, q, r)
		}
	}
}

func TestTimesCompareAsTheirTextsDo(t *testing.T) {
	if !parseTime("yesterday").IsZero() || formatTime(parseTime("2026-01-02T03:04:05.1Z")) != "2026-01-02T03:04:05.100Z" {
		t.Error("times")
	}
}

func TestAWorkerWritesLessOftenIfOthersWriteTheSameEntry(t *testing.T) {
	q, err := queue.OpenEmbedded(t.Context(), queue.Topology{Buckets: []queue.Bucket{{Name: "PROGRESS"}}}, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tracker := func(name string) *Tracker {
		return NewTracker(TrackerOptions{Now: func() time.Time { return now }, Name: name, Queue: q, Bucket: "PROGRESS"})
	}
	report := func(tr *Tracker, all bool) (writes int) {
		tr.Observe(telemetry.Event{Stage: telemetry.StageIngest, Owner: "ann", Drop: "d0", Gen: 1})
		tr.flush(t.Context(), all)
		for p, err := range (BucketBoard{q, "PROGRESS"}).Progress(t.Context(), "ann", "d0") {
			if err != nil {
				t.Fatal(err)
			}
			writes = p.Writes
		}
		return writes
	}
	a, b := tracker("a"), tracker("b")
	if report(a, false) != 1 {
		t.Fatal("the first report was not written at once")
	}
	for range 4 {
		report(b, true)
	}
	now = now.Add(writeEvery)
	if got := report(a, false); got != 6 {
		t.Fatalf("%d writes after a second", got)
	}
	for _, step := range []struct{ seconds, writes int }{{4, 6}, {1, 7}, {1, 8}} { // four others wrote: once in five seconds; then nobody
		now = now.Add(time.Duration(step.seconds) * time.Second)
		if got := report(a, false); got != step.writes {
			t.Errorf("%d writes after %d seconds more, want %d", got, step.seconds, step.writes)
		}
	}
	now = now.Add(2 * forgetAfter)
	a.flush(t.Context(), false)
	a.flush(t.Context(), false)
	now = now.Add(2 * forgetAfter)
	a.flush(t.Context(), false)
	if len(a.drops) != 0 {
		t.Error("a drop without news is not forgotten")
	}
}
