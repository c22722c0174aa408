package pipeline

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/telemetry"
)

func TestAProcessThatStoodStillKnowsItAtTheNextTick(t *testing.T) {
	p := newPulse(3 * time.Second)
	at := p.last
	for i, c := range []struct {
		gap  time.Duration
		want bool
	}{{time.Second, false}, {3 * time.Second, false}, {3*time.Second + 1, true}, {time.Second, false}} {
		at = at.Add(c.gap)
		if got := p.stoodStill(at); got != c.want {
			t.Errorf("tick %d, %s after the one before: %t", i, c.gap, got)
		}
	}
}

func TestAUnitThatSomebodyElseHasIsNotGivenBackInTheirPlace(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errTaken)
	var nobody jetstream.Msg // any answer to NATS would panic
	r.settleUnit(ctx, nobody, stage{name: telemetry.StageExtract}, context.Canceled)
	r.settleUnit(ctx, nobody, stage{name: telemetry.StageExtract}, &fault.Fault{Class: fault.Outage, Err: context.Canceled})
}
