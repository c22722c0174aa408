package work

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
)

func isLater(err error, after time.Duration) bool {
	var l *fault.Later
	return errors.As(err, &l) && l.After == after
}

// breakerTest is a set of breakers whose clock a test moves.
func breakerTest(b Breaker) (all *breakers, now *time.Time, open map[string]int) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	open = map[string]int{}
	return newBreakers(b, func() time.Time { return at }, func(stage string, n int) { open[stage] = n }), &at, open
}

var errBad = errors.New("it failed")

func TestABreakerHoldsUpTheUnitsOfOneOwnerAndTriesOne(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b, now, open := breakerTest(Breaker{Failures: 2, Pause: time.Minute})
	ann, bob := breakerKey{"extract", "ann", "x"}, breakerKey{"extract", "bob", "x"}
	end := func(k breakerKey, err error) error {
		t.Helper()
		p, late := b.admit(k)
		if late != nil {
			t.Fatalf("%v waits: %v", k, late)
		}
		return p.report(ctx, err)
	}
	_ = end(ann, errBad)
	_ = end(ann, &fault.Fault{Class: fault.Outage, Err: errBad}) // says nothing of the owner
	_ = end(ann, fault.Permanentf("", "the drop itself"))
	_ = end(ann, job.ErrStale)
	if open["extract"] != 0 {
		t.Error("open after one failure")
	}
	_ = end(ann, errBad)
	if _, err := b.admit(ann); !isLater(err, time.Minute) || open["extract"] != 1 {
		t.Errorf("after two failures: %v, %v open", err, open)
	}
	if err := end(bob, nil); err != nil {
		t.Error(err)
	}
	*now = now.Add(time.Minute)
	probe, err := b.admit(ann)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.admit(ann); !isLater(err, time.Minute) {
		t.Errorf("beside the probe: %v", err)
	}
	_ = probe.report(ctx, errBad)
	*now = now.Add(time.Minute)
	if _, err := b.admit(ann); !isLater(err, time.Minute) {
		t.Errorf("the pause has not doubled: %v", err)
	}
	*now = now.Add(time.Minute)
	if err := end(ann, nil); err != nil || open["extract"] != 0 {
		t.Errorf("after a success: %v, %v open", err, open)
	}
	if err := end(ann, errBad); isFinal(err) {
		t.Error("a first failure is final")
	}
}

func TestUnitsGetOneAttemptWhenWaitingHasNotHelped(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b, now, _ := breakerTest(Breaker{Failures: 1, Pause: time.Minute})
	k := breakerKey{"extract", "ann", "x"}
	var last error
	for range maxDoubling + 2 {
		p, err := b.admit(k)
		if err != nil {
			t.Fatal(err)
		}
		last = p.report(ctx, errBad)
		*now = now.Add(time.Minute << maxDoubling)
	}
	if !isFinal(last) || !errors.Is(last, errBad) {
		t.Errorf("the last failure is %v", last)
	}
	for range 3 {
		p, err := b.admit(k)
		if err != nil {
			t.Fatal(err)
		}
		if !isFinal(p.report(ctx, errBad)) {
			t.Error("a unit is tried again")
		}
	}
}

func TestWithoutABreakerNoUnitWaits(t *testing.T) {
	t.Parallel()
	b, _, _ := breakerTest(Breaker{})
	for range 10 {
		p, err := b.admit(breakerKey{stage: "ingest"})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.report(context.Background(), errBad); isFinal(err) {
			t.Error("a failure is final")
		}
	}
}
