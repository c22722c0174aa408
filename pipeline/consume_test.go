package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// rig is a worker on an embedded broker whose extract stage is replaced by the test.
type rig struct {
	*Worker
	js     jetstream.JetStream
	cancel context.CancelFunc
	done   sync.WaitGroup
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return newRigOf(t, testDeps(t))
}

func newRigOf(t *testing.T, d Deps) *rig {
	t.Helper()
	js := broker(t)
	w, err := newImpatient(d, js)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Worker: w, js: js}
	t.Cleanup(r.stop)
	return r
}

func (r *rig) start(t *testing.T, st stage) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	r.done.Go(func() {
		if err := r.consume(ctx, StreamExtract, st, queue{name: "extract-small", loops: 2}); err != nil {
			t.Error(err)
		}
	})
}

func (r *rig) stop() {
	if r.cancel != nil {
		r.cancel()
		r.done.Wait()
		r.cancel = nil
	}
}

var oneTask = state.ExtractTask{V: 1, Owner: "me", Drop: state.Digest("drop"), Import: state.Digest("import")[:32], Shard: state.Digest("shard")[:32], Lane: state.LaneSmall}

func (r *rig) letters(t *testing.T) []DeadLetter {
	t.Helper()
	s, err := r.js.Stream(t.Context(), StreamDLQ)
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []DeadLetter
	for seq := info.State.FirstSeq; seq <= info.State.LastSeq && info.State.Msgs > 0; seq++ {
		m, err := s.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		var l DeadLetter
		if err := json.Unmarshal(m.Data, &l); err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}

func (r *rig) queued(t *testing.T) uint64 {
	t.Helper()
	s, err := r.js.Stream(t.Context(), StreamExtract)
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.State.Msgs
}

func TestFailingUnitIsTriedAsOftenAsConfiguredThenBuried(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var tries atomic.Int32
	gone := make(chan error, 1)
	r.start(t, stage{
		name:   "extract",
		handle: func(context.Context, []byte) error { tries.Add(1); return errors.New("bad luck") },
		giveUp: func(_ context.Context, _ []byte, cause error) error { gone <- cause; return nil },
	})
	if err := r.publish(t.Context(), oneTask); err != nil {
		t.Fatal(err)
	}
	<-gone
	eventually(t, func() bool { return r.queued(t) == 0 })
	if got := int(tries.Load()); got != r.Attempts {
		t.Errorf("tried %d times, want %d", got, r.Attempts)
	}
	l := r.letters(t)
	if len(l) != 1 || l[0].Class != fault.Unit || l[0].Attempts != r.Attempts || l[0].Reason != "bad luck" {
		t.Errorf("dead letters: %+v", l)
	}
}

func TestPermanentFaultIsBuriedAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	gone := make(chan error, 1)
	var tries atomic.Int32
	r.start(t, stage{
		name:   "extract",
		handle: func(context.Context, []byte) error { tries.Add(1); return fault.Permanentf("do that", "it is broken") },
		giveUp: func(_ context.Context, _ []byte, cause error) error { gone <- cause; return nil },
	})
	if err := r.publish(t.Context(), oneTask); err != nil {
		t.Fatal(err)
	}
	<-gone
	eventually(t, func() bool { return r.queued(t) == 0 })
	if l := r.letters(t); tries.Load() != 1 || len(l) != 1 || l[0].Hint != "do that" || l[0].Class != fault.Permanent {
		t.Errorf("%d tries, letters %+v", tries.Load(), l)
	}
}

func TestOutageIsNoAttempt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var tries atomic.Int32
	done := make(chan struct{})
	limit := int32(r.Attempts + 3)
	r.start(t, stage{
		name: "extract",
		handle: func(context.Context, []byte) error {
			if tries.Add(1) <= limit {
				return &fault.Fault{Class: fault.Outage, Err: errors.New("no storage")}
			}
			close(done)
			return nil
		},
		giveUp: func(context.Context, []byte, error) error { t.Error("given up"); return nil },
	})
	if err := r.publish(t.Context(), oneTask); err != nil {
		t.Fatal(err)
	}
	<-done
	eventually(t, func() bool { return r.queued(t) == 0 })
	if l := r.letters(t); len(l) != 0 {
		t.Errorf("dead letters: %+v", l)
	}
}

func TestPanicIsAFailureOfItsUnitAndQuotesNothing(t *testing.T) {
	err := guarded(t.Context(), stage{name: "extract", handle: func(context.Context, []byte) error { panic("secret words") }}, nil)
	if err == nil || fault.Of(err) != fault.Unit {
		t.Fatalf("error %v", err)
	}
	if contains(err.Error(), "secret words") {
		t.Errorf("the error quotes the panic: %v", err)
	}
}

func TestDrainGivesTheUnitBackWithoutAnAttempt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	started := make(chan struct{}, 1)
	block := stage{
		name: "extract",
		handle: func(ctx context.Context, _ []byte) error {
			started <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		},
		giveUp: func(context.Context, []byte, error) error { t.Error("given up"); return nil },
	}
	r.start(t, block)
	if err := r.publish(t.Context(), oneTask); err != nil {
		t.Fatal(err)
	}
	<-started
	r.stop()
	done := make(chan struct{})
	r.start(t, stage{
		name:   "extract",
		handle: func(context.Context, []byte) error { close(done); return nil },
		giveUp: block.giveUp,
	})
	<-done
	eventually(t, func() bool { return r.queued(t) == 0 }) // until then the second delivery is marked
	for _, err := range r.Store.List(t.Context(), "work/_attempts/") {
		t.Errorf("an attempt was counted (list error %v)", err)
	}
}

func TestBackoffGrowsToItsBound(t *testing.T) {
	b := Backoff{First: 100 * time.Millisecond, Max: time.Second}
	for n := uint64(1); n < 70; n++ {
		want := b.Max
		if n < 10 {
			want = min(b.Max, b.First<<(n-1))
		}
		for range 20 {
			if d := backoff(n, b); d < want/2 || d > want {
				t.Fatalf("backoff(%d) = %v, want %v to %v", n, d, want/2, want)
			}
		}
	}
}

// eventually polls for what another goroutine is about to do. Its end only keeps a test that hangs from hanging for ever: a slow
// machine must not reach it.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Minute)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatal("it did not come to pass")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestWorkerThatIsStoppedAtOnceEndsWithoutAnError(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Run(ctx, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble); err != nil {
		t.Error(err)
	}
}
