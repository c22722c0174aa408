package pipeline

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// clock is one that a test moves.
type clock struct{ t atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(0, c.t.Load()).UTC() }

func (c *clock) pass(d time.Duration) { c.t.Add(int64(d)) }

func waits(err error) time.Duration {
	var l *fault.Later
	if errors.As(err, &l) {
		return l.After
	}
	return 0
}

func TestBreakerHoldsUpOneOwnersUnitsAndTriesOneOfThem(t *testing.T) {
	var c clock
	c.pass(time.Hour)
	open := map[string]int{}
	b := newBreakers(Breaker{Failures: 3, Pause: time.Minute}, c.now, func(stage string, n int) { open[stage] = n })
	ann := breakerKey{telemetry.StageExtract, "ann", "chatgpt-importer/1"}
	try := func(k breakerKey, outcome string) error {
		p, err := b.admit(k)
		if err == nil {
			p.Ended(outcome)
		}
		return err
	}
	bad := string(fault.Unit)
	for range 2 {
		if err := try(ann, bad); err != nil {
			t.Fatal(err)
		}
	}
	for _, outcome := range []string{string(fault.Outage), string(fault.Permanent), telemetry.OutcomeLater, telemetry.OutcomeDrained} {
		if err := try(ann, outcome); err != nil {
			t.Fatalf("%s opens it: %v", outcome, err)
		}
	}
	if err := try(ann, bad); err != nil {
		t.Fatal(err)
	}
	if got := waits(try(ann, bad)); got != time.Minute || open[telemetry.StageExtract] != 1 {
		t.Errorf("after three failures the next waits %v, %d open", got, open[telemetry.StageExtract])
	}
	for _, k := range []breakerKey{{telemetry.StageExtract, "bob", ann.importer}, {telemetry.StageExtract, "ann", "claude-importer/1"}, {telemetry.StageAssemble, "ann", ""}} {
		if err := try(k, telemetry.OutcomeOK); err != nil {
			t.Errorf("%+v waits, too: %v", k, err)
		}
	}
	pause := time.Minute
	for range maxDoubling {
		c.pass(pause)
		probe, err := b.admit(ann)
		if err != nil {
			t.Fatalf("after %v nobody may try: %v", pause, err)
		}
		if waits(try(ann, telemetry.OutcomeOK)) == 0 {
			t.Error("a second one is tried with the first")
		}
		probe.Ended(bad)
		pause *= 2
		if got := waits(try(ann, telemetry.OutcomeOK)); got != pause {
			t.Errorf("the pause is %v, want %v", got, pause)
		}
	}
	c.pass(pause)
	probe, err := b.admit(ann)
	if err != nil {
		t.Fatal(err)
	}
	probe.Ended(telemetry.OutcomeDrained)
	if err := try(ann, telemetry.OutcomeOK); err != nil || open[telemetry.StageExtract] != 0 {
		t.Errorf("a probe that was broken off keeps others from trying: %v; %d open after a success", err, open[telemetry.StageExtract])
	}
	for range 2 {
		if err := try(ann, bad); err != nil {
			t.Errorf("success did not close it: %v", err)
		}
	}
}

func TestBreakerThatWaitingDidNotHelpLetsUnitsFailAtOnce(t *testing.T) {
	var c clock
	b := newBreakers(Breaker{Failures: 1, Pause: time.Second}, c.now, nil)
	k := breakerKey{telemetry.StageExtract, "ann", ""}
	for i := range maxDoubling + 2 {
		p, err := b.admit(k)
		if err != nil {
			t.Fatalf("probe %d: %v", i, err)
		}
		p.Ended(string(fault.Unit))
		c.pass(time.Second << i)
		if p.spent() != (i == maxDoubling+1) {
			t.Fatalf("spent after probe %d: %v", i, p.spent())
		}
	}
	for range 3 {
		p, err := b.admit(k)
		if err != nil || !p.spent() {
			t.Fatalf("%v, spent %v", err, p.spent())
		}
		p.Ended(string(fault.Unit))
	}
	p, err := b.admit(k)
	if err != nil {
		t.Fatal(err)
	}
	p.Ended(telemetry.OutcomeOK)
	if p, err := b.admit(k); err != nil || p.spent() {
		t.Errorf("a success does not close it: %v", err)
	}
}

func TestNoBreakerNeverWaits(t *testing.T) {
	b := newBreakers(Breaker{}, new(clock).now, nil)
	for range 50 {
		p, err := b.admit(breakerKey{})
		if err != nil {
			t.Fatal(err)
		}
		p.Ended(string(fault.Unit))
	}
}

// Every unit of one owner fails, and between them are others': all of the first are given up in the end, and the others are
// done at their first attempt.
func TestUnitsThatAllFailEndInBoundedTimeAndDisturbNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var c clock
	c.pass(time.Hour)
	r.Limits.OwnerSmall = 1000 // the rig works on the small lane only
	r.breakers = newBreakers(Breaker{Failures: 3, Pause: 2 * time.Millisecond}, func() time.Time { c.pass(time.Millisecond); return c.now() }, nil)
	var bad, good, given atomic.Int32
	r.start(t, stage{
		name: telemetry.StageExtract,
		handle: func(ctx context.Context, data []byte) error {
			task, err := decodeTask[state.ExtractTask](data)
			if err != nil {
				return err
			}
			return r.guarded(ctx, breakerKey{telemetry.StageExtract, task.Owner, ""}, func() error {
				if task.Owner == "bad" {
					bad.Add(1)
					return errors.New("bad luck")
				}
				good.Add(1)
				return nil
			})
		},
		giveUp: func(context.Context, []byte, error) error { given.Add(1); return nil },
	})
	const units = 30
	for i := range units {
		for _, owner := range []string{"bad", "good"} {
			task := oneTask
			task.Owner, task.Pack, task.Shard = owner, i, state.Digest(owner + string(rune('a'+i)))[:32]
			if err := r.publish(t.Context(), task); err != nil {
				t.Fatal(err)
			}
		}
	}
	eventually(t, func() bool { return r.queued(t) == 0 })
	if good.Load() != units || given.Load() != units {
		t.Errorf("%d good ones done, %d bad ones given up, want %d each", good.Load(), given.Load(), units)
	}
	if n := int(bad.Load()); n >= units*r.Attempts {
		t.Errorf("%d attempts at units that all fail: the breaker saves none", n)
	}
	if l := r.letters(t); len(l) != units {
		t.Errorf("%d dead letters, want %d", len(l), units)
	}
}
