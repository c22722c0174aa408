package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap/zapcore"

	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/pipeline/telemetry"
)

func TestAWorkerThatStopsGivesItsUnitsBackWithoutAnAttempt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var tries atomic.Int64
	begun := make(chan struct{}, 1)
	r.wrap = func(_ *process, s *stages) {
		real := s.extract
		s.extract = func(ctx context.Context, o extraction.Options, x extraction.Task) (state.ResultHeader, bool, error) {
			if tries.Add(1) <= 4 { // more often than a unit has attempts
				begun <- struct{}{}
				<-ctx.Done()
				return state.ResultHeader{}, false, ctx.Err()
			}
			return real(ctx, o, x)
		}
	}
	ref := r.drop("ann", talks("a", 2, likes))
	for i := 0; ; i++ {
		p := r.start()
		if i == 0 {
			p.ask(ref, job.Want{})
		} else if n, err := p.worker.Resend(t.Context(), job.PassOptions{}); n != 1 || err != nil {
			t.Fatalf("%d generations are open, %v", n, err)
		}
		p.run()
		if i < 4 {
			<-begun
			p.stop()
			if marks := r.store.Keys("work/begun/"); len(marks) > 0 {
				t.Errorf("a worker that stopped left %v", marks)
			}
			continue
		}
		if rec := p.wait(ref, 1); rec.Outcome != job.Done || r.receipt(ref, 1).State != state.StateDone {
			t.Errorf("record %+v", rec)
		}
		break
	}
	if lines := r.logged(zapcore.WarnLevel, ""); len(lines) > 0 {
		t.Errorf("logged %v", lines)
	}
}

func TestAWorkerFinishesWhatItDecidedWhileItStops(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	begun := make(chan struct{}, 1)
	r.wrap = func(p *process, s *stages) {
		s.extract = func(ctx context.Context, _ extraction.Options, _ extraction.Task) (state.ResultHeader, bool, error) {
			begun <- struct{}{}
			<-ctx.Done()
			return state.ResultHeader{}, false, &finalError{errors.New("it is hopeless")}
		}
	}
	ref := r.drop("ann", talks("a", 2, likes))
	p := r.start()
	p.ask(ref, job.Want{})
	p.run()
	<-begun
	p.stop()
	if failed := r.store.Keys("failed/"); len(failed) != 1 {
		t.Errorf("failed objects %v", failed)
	}
}

func TestOneOwnersFloodDoesNotHoldUpAnothersDrop(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var mu sync.Mutex
	var small []string // owners, in the order of the small lane
	r.wrap = func(_ *process, s *stages) {
		real := s.ingest
		s.ingest = func(ctx context.Context, o ingest.Options, x ingest.Request, pub ingest.Publish) (state.Manifest, error) {
			if x.Lane == state.LaneSmall {
				mu.Lock()
				small = append(small, x.Owner)
				mu.Unlock()
			}
			return real(ctx, o, x, pub)
		}
	}
	p := r.start()
	var refs []job.Ref
	for i := range 30 {
		refs = append(refs, r.drop("ann", talks(fmt.Sprint("talk", i), 1, likes)))
	}
	refs = append(refs, r.drop("bob", talks("a", 1, likes)))
	for _, ref := range refs {
		p.ask(ref, job.Want{Lane: state.LaneSmall})
	}
	p.run()
	for _, ref := range refs {
		p.wait(ref, 1)
	}
	if at := slices.Index(small, "bob"); at < 0 || at > 8+2 { // those before him in the lane, and in hand
		t.Errorf("bob's drop was number %d of %v", at, small)
	}
}

func TestADropThatUnpacksToMuchLeavesTheSmallLane(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var mu sync.Mutex
	var lanes []string
	r.wrap = func(p *process, s *stages) {
		p.worker.ingest.handler.(*ingestHandler).bulk = 1000
		real := s.ingest
		s.ingest = func(ctx context.Context, o ingest.Options, x ingest.Request, pub ingest.Publish) (state.Manifest, error) {
			mu.Lock()
			lanes = append(lanes, x.Lane)
			mu.Unlock()
			return real(ctx, o, x, pub)
		}
	}
	ref := r.drop("ann", talks("a", 9, likes))
	p := r.start()
	p.run()
	if rec := p.importDrop(ref); rec.Outcome != job.Done || !slices.Equal(lanes, []string{state.LaneSmall, state.LaneBulk}) {
		t.Errorf("read in lanes %v, record %+v", lanes, rec)
	}
	if lines := r.logged(zapcore.WarnLevel, ""); len(lines) > 0 {
		t.Errorf("logged %v", lines)
	}
}

func TestSeveralWorkersShareTheWork(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.limits.ShardItems = 1
	r.shareQueue()
	var refs []job.Ref
	for i := range 6 {
		refs = append(refs, r.drop(fmt.Sprint("owner-", i%2), talks(fmt.Sprint("talk", i), 5, likes)))
	}
	a, b := r.start(), r.start()
	a.run(telemetry.StageIngest, telemetry.StageAssemble)
	b.run(telemetry.StageExtract, telemetry.StageAssemble)
	for _, ref := range refs {
		a.ask(ref, job.Want{})
	}
	for _, ref := range refs {
		if rec := a.wait(ref, 1); rec.Outcome != job.Done || r.receipt(ref, 1).Extraction.Shards != 5 {
			t.Errorf("record %+v", rec)
		}
	}
	a.drained()
}

func TestALargeDropIsSentInAWindow(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.limits.ShardItems = 1
	var most, now atomic.Int64
	r.wrap = func(p *process, s *stages) {
		real := s.extract
		s.extract = func(ctx context.Context, o extraction.Options, x extraction.Task) (state.ResultHeader, bool, error) {
			all, err := p.queue.Subjects(ctx, "PAM_EXTRACT", ">")
			if err != nil {
				t.Error(err)
			}
			now.Store(int64(len(all)))
			most.Store(max(most.Load(), now.Load()))
			return real(ctx, o, x)
		}
	}
	ref := r.drop("ann", talks("a", 90, likes))
	p := r.start()
	p.run()
	rec := p.importDrop(ref)
	if receipt := r.receipt(ref, 1); rec.Outcome != job.Done || receipt.Extraction.Shards != 90 || receipt.State != state.StateDone {
		t.Errorf("receipt %+v", receipt)
	}
	if most.Load() < 2 || most.Load() > 64+4 { // the shards in hand, beside the window
		t.Errorf("%d tasks waited at a time", most.Load())
	}
	p.drained()
}

func TestMaintenanceFindsLostMessagesAndLeftovers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var calls atomic.Int64
	r.change = func(o *Options) {
		o.Scan = 20 * time.Millisecond
		o.Maintain = func(context.Context) error { calls.Add(1); return nil }
	}
	reg := r.withMetrics()
	ref, other := r.drop("ann", talks("a", 2, likes)), job.Ref{Owner: "ann", Drop: fmt.Sprintf("%064x", 7)}
	p := r.start()
	if _, err := p.jobs.Ask(t.Context(), ref, job.Want{}); err != nil { // nothing is sent
		t.Fatal(err)
	}
	for range 2 { // the first generation leaves a failed object behind
		asked, err := p.jobs.Ask(t.Context(), other, job.Want{})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.jobs.Fail(t.Context(), asked.Tasks[0], job.Failure{Class: fault.Unit, Reason: "x"}); err != nil {
			t.Fatal(err)
		}
		for _, key := range r.store.Keys("failed/") {
			body, _ := r.store.Body(key)
			if _, err := objects.PutOnce(t.Context(), r.data, state.FailedKey("ann", other.Drop, 1, "ingest"), []byte(body)); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.store.Advance(time.Hour) // now the hints are old
	p.run(append(allStages, telemetry.StageTend)...)
	if rec := p.wait(ref, 1); rec.Outcome != job.Done {
		t.Errorf("record %+v", rec)
	}
	p.until("leftovers are gone", func() bool { return len(r.store.Keys("failed/")) == 1 })
	p.until("the hook was called", func() bool { return calls.Load() > 0 })
	p.until("the age of the oldest open import is told", func() bool { return figure(t, reg, "pam_import_oldest_age_seconds") == 0 })
}

func TestTheAgeOfTheOldestOpenImportIsTold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	reg := r.withMetrics()
	p := r.start()
	if _, err := p.jobs.Ask(t.Context(), job.Ref{Owner: "ann", Drop: fmt.Sprintf("%064x", 7)}, job.Want{}); err != nil {
		t.Fatal(err)
	}
	r.store.Advance(time.Hour)
	if err := p.worker.maintenance.passOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := figure(t, reg, "pam_import_oldest_age_seconds"), time.Hour.Seconds(); got != want {
		t.Errorf("age %v, want %v", got, want)
	}
	if all, err := p.queue.Subjects(t.Context(), "PAM_INGEST", ">"); len(all) != 1 || err != nil {
		t.Errorf("sent %v, %v", all, err)
	}
}

func TestAPassLeavesGenerationsWithMessagesAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.start()
	ref := job.Ref{Owner: "ann", Drop: fmt.Sprintf("%064x", 7)}
	p.ask(ref, job.Want{})
	if n, err := p.worker.Resend(t.Context(), job.PassOptions{HasMessage: p.dispatch.HasMessage}); n != 0 || err != nil {
		t.Errorf("%d generations, %v", n, err)
	}
}

func TestAWaryWorkerMarksFirstDeliveries(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.change = func(o *Options) { o.Wary = true }
	var marks atomic.Int64
	r.before = func(c statetest.Call) error {
		if c.Op == "put" && len(c.Key) > 11 && c.Key[:11] == "work/begun/" {
			marks.Add(1)
		}
		return nil
	}
	ref := r.drop("ann", talks("a", 2, likes))
	p := r.start()
	p.run()
	p.importDrop(ref)
	p.stop()
	if left := r.store.Keys("work/begun/"); marks.Load() != 3 || len(left) > 0 {
		t.Errorf("%d marks; left %v", marks.Load(), left)
	}
}

func TestAWorkerIsReadyWhenQueueAndStoreAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var away atomic.Bool
	r.before = func(statetest.Call) error {
		if away.Load() {
			return errors.New("no route to the store")
		}
		return nil
	}
	p := r.start()
	if err := p.worker.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	away.Store(true)
	if err := p.worker.Ready(t.Context()); err == nil {
		t.Error("ready without a store")
	}
	away.Store(false)
	p.stop()
	if err := p.worker.Ready(t.Context()); err == nil {
		t.Error("ready without a queue")
	}
	if err := p.worker.Run(t.Context(), "dance"); err == nil {
		t.Error("there is no such stage")
	}
}
