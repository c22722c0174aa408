package status

import (
	"math/rand/v2"
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
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
