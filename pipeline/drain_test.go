package pipeline

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

func TestUnitsInHandGoOnForAsLongAsTheSettingSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &Worker{Deps: Deps{Drain: time.Minute}}
		ctx, stopPulling := context.WithCancel(t.Context())
		loop, stop := w.grace(ctx)
		defer stop()
		work, cancel := context.WithCancel(lasting(loop))
		defer cancel()
		stopPulling()
		synctest.Wait()
		if loop.Err() == nil || work.Err() != nil {
			t.Fatalf("stopping: the loop %v, the unit %v", loop.Err(), work.Err())
		}
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if work.Err() != nil {
			t.Error("the unit was cut off before its time")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if work.Err() == nil {
			t.Error("the unit goes on for ever")
		}
	})
}

func TestADrainingWorkerFinishesWhatItHasAndTakesNothingNew(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.Drain = time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	begun, finish := make(chan string, 4), make(chan struct{})
	st := stage{
		name: "extract",
		handle: func(ctx context.Context, data []byte) error {
			begun <- telemetry.UnitOf(data).Shard
			select {
			case <-finish:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		giveUp: func(context.Context, []byte, error) error { t.Error("given up"); return nil },
	}
	loop, stop := r.grace(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- r.consume(loop, StreamExtract, st, queue{name: "extract-small", loops: 1}) }()
	if err := r.publish(t.Context(), oneTask); err != nil {
		t.Fatal(err)
	}
	<-begun
	cancel()
	second := oneTask
	second.Shard = state.Digest("second")[:32]
	if err := r.publish(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	close(finish)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	select {
	case s := <-begun:
		t.Errorf("a draining worker began %s", s)
	default:
	}
	if n := r.queued(t); n != 1 {
		t.Errorf("%d messages are left, want the second alone", n)
	}
}
