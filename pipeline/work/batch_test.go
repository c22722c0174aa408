package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/zap/zapcore"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// extracted takes drops through ingest and extraction in a process whose queue lasts; the tasks of
// their assemblies wait.
func (r *rig) extracted(refs ...job.Ref) {
	r.t.Helper()
	p := r.start()
	for _, ref := range refs {
		p.ask(ref, job.Want{})
	}
	p.run(telemetry.StageIngest, telemetry.StageExtract)
	p.until("all is extracted", func() bool {
		n := 0
		all, err := p.queue.Subjects(r.t.Context(), dispatch.StreamAssemble, ">")
		if err != nil {
			r.t.Fatal(err)
		}
		for range all {
			n++
		}
		return n == len(refs)
	})
	p.stop()
}

func TestManyDropsOfAnOwnerEnterTheStoreInFewSwaps(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.shareQueue()
	n := int64(300)
	if testing.Short() {
		n = 60
	}
	var refs []job.Ref
	for i := range n {
		refs = append(refs, r.drop("ann", talks(fmt.Sprint("talk", i), 1, likes)))
	}
	r.extracted(refs...)
	var swaps atomic.Int64
	r.before = func(c statetest.Call) error {
		if c.Op == "put" && c.Key == state.HeadKey("ann") {
			swaps.Add(1)
		}
		return nil
	}
	p := r.start()
	p.run(telemetry.StageAssemble)
	for _, ref := range refs {
		p.wait(ref, 1)
	}
	p.drained()
	p.stop()
	if swaps.Load() > 3 {
		t.Errorf("%d swaps", swaps.Load())
	}
	if head, in := r.head("ann"); head.ConversationCount != n || len(in.Drops) != int(n) {
		t.Errorf("head %+v with %d drops", head, len(in.Drops))
	}
	for _, ref := range refs {
		if rec := r.record(ref); rec.Outcome != job.Done || r.receipt(ref, 1).State != state.StateDone {
			t.Errorf("record %+v", rec)
		}
	}
}

func TestADropThatCannotBeAssembledDoesNotFailItsNeighbors(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{"permanent": fault.Permanentf("mend it", "it makes no sense"), "unit": errors.New("it failed")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.shareQueue()
			var refs []job.Ref
			for i := range 5 {
				refs = append(refs, r.drop("ann", talks(fmt.Sprint("talk", i), 2, likes)))
			}
			r.extracted(refs...)
			bad := r.record(refs[2]).Import
			r.wrap = func(_ *process, s *stages) {
				real := s.compute
				s.compute = func(ctx context.Context, o publish.Options, x publish.Round) (state.Head, state.StoreChange, error) {
					if slices.Contains(x.Accepted, bad) {
						return state.Head{}, state.StoreChange{}, failure
					}
					return real(ctx, o, x)
				}
			}
			reg := r.withMetrics()
			p := r.start()
			p.run()
			for i, ref := range refs {
				want := job.Done
				if i == 2 {
					want = job.Failed
				}
				if rec := p.wait(ref, 1); rec.Outcome != want {
					t.Errorf("drop %d ended as %+v", i, rec)
				}
			}
			p.drained()
			head, in := r.head("ann")
			if head.ConversationCount != 8 || in.Drops[refs[2].Drop] != (state.Entry{Gen: 1, Failed: true}) {
				t.Errorf("head %+v, entry %+v", head, in.Drops[refs[2].Drop])
			}
			l := r.deadLetters()
			if len(l) != 1 || l[0].Ref != refs[2] || l[0].Kind != job.Assemble || figure(t, reg, "pam_dlq_total") != 1 || len(r.logged(zapcore.ErrorLevel, "")) != 1 {
				t.Errorf("dead letters %+v, logged %v", l, r.logged(zapcore.ErrorLevel, ""))
			}
			p.stop()
			r.wrap = nil
			p = r.start()
			p.run()
			if rec := p.wait(refs[2], p.redrive(refs[2])); rec.Outcome != job.Done || len(r.deadLetters()) != 0 {
				t.Errorf("after a redrive %+v", rec)
			}
		})
	}
}

func TestOwnersWithFewDropsComeFirst(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.shareQueue()
	other := ""
	for i := 0; other == ""; i++ {
		if name := fmt.Sprint("owner-", i); dispatch.PartitionOf(name) == dispatch.PartitionOf("ann") {
			other = name
		}
	}
	var refs []job.Ref
	for i := range 4 {
		refs = append(refs, r.drop("ann", talks(fmt.Sprint("talk", i), 1, likes)))
	}
	refs = append(refs, r.drop(other, talks("a", 1, likes)))
	r.extracted(refs...)
	var mu sync.Mutex
	var order []string
	r.wrap = func(_ *process, s *stages) {
		real := s.compute
		s.compute = func(ctx context.Context, o publish.Options, x publish.Round) (state.Head, state.StoreChange, error) {
			mu.Lock()
			order = append(order, fmt.Sprint(x.Owner, " ", len(x.Accepted)))
			mu.Unlock()
			return real(ctx, o, x)
		}
	}
	p := r.start()
	p.run(telemetry.StageAssemble)
	for _, ref := range refs {
		p.wait(ref, 1)
	}
	p.stop()
	if want := []string{other + " 1", "ann 4"}; !slices.Equal(order, want) {
		t.Errorf("assembled %v, want %v", order, want)
	}
}

func TestAssemblersThatRaceLoseNoDrop(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.shareQueue()
	const n = 6
	var refs []job.Ref
	for i := range n {
		refs = append(refs, r.drop("ann", talks(fmt.Sprint("talk", i), 1, likes)))
	}
	// Each computes once before any has swapped the head.
	var computing sync.WaitGroup
	computing.Add(n)
	var rounds atomic.Int64
	r.wrap = func(_ *process, s *stages) {
		real := s.compute
		s.compute = func(ctx context.Context, o publish.Options, x publish.Round) (state.Head, state.StoreChange, error) {
			if rounds.Add(1) <= n {
				computing.Done()
				computing.Wait()
			}
			return real(ctx, o, x)
		}
	}
	reg := r.withMetrics()
	p := r.start()
	for _, ref := range refs {
		if _, err := p.jobs.Ask(t.Context(), ref, job.Want{}); err != nil {
			t.Fatal(err)
		}
	}
	q := r.extractedAlone(p, refs)
	var running sync.WaitGroup
	for _, o := range q {
		running.Go(func() {
			if errs, err := p.worker.assemble.decide(t.Context(), []job.Opened{o}, true); err != nil || errs[0] != nil {
				t.Error(err, errs)
			}
		})
	}
	running.Wait()
	head, in := r.head("ann")
	if head.ConversationCount != n || len(in.Drops) != n || head.Sequence != n || figure(t, reg, "pam_cas_conflicts_total") == 0 {
		t.Errorf("head %+v with %d drops", head, len(in.Drops))
	}
}

// extractedAlone does the work of jobs up to their assembly, without a queue.
func (r *rig) extractedAlone(p *process, refs []job.Ref) (opened []job.Opened) {
	r.t.Helper()
	ctx := r.t.Context()
	for _, ref := range refs {
		m, err := ingest.Ingest(ctx, p.worker.units.Ingest, ingest.Request{Owner: ref.Owner, Drop: ref.Drop, Lane: state.LaneSmall},
			func(state.Manifest, state.Shard, bool) error { return nil })
		if err != nil {
			r.t.Fatal(err)
		}
		body, err := ingest.EncodeManifest(m)
		if err != nil {
			r.t.Fatal(err)
		}
		if _, err := p.jobs.Decide(ctx, job.Task{Kind: job.Ingest, Ref: ref, Gen: 1}, m.Import, body); err != nil {
			r.t.Fatal(err)
		}
		for _, s := range m.Shards {
			if _, _, err := extraction.ExtractShard(ctx, p.worker.units.Extraction, extraction.Task{Owner: ref.Owner, Import: m.Import, Shard: s.ID, Pack: s.Pack, Gen: 1}); err != nil {
				r.t.Fatal(err)
			}
		}
		o, err := p.jobs.Open(ctx, job.Task{Kind: job.Assemble, Ref: ref, Gen: 1})
		if err != nil {
			r.t.Fatal(err)
		}
		opened = append(opened, o)
	}
	return opened
}

func TestAHeadThatCannotBeReadLeavesADeadLetterAndTheJobOpen(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	good, ref := r.drop("ann", talks("a", 2, likes)), r.drop("ann", talks("b", 2, likes))
	p := r.start()
	p.run()
	p.importDrop(good)
	head, _ := r.store.Body(state.HeadKey("ann"))
	for _, key := range []string{state.HeadKey("ann"), state.HeadLogKey("ann", 1)} {
		if err := objects.PutEmpty(t.Context(), r.data, key); err != nil {
			t.Fatal(err)
		}
	}
	p.ask(ref, job.Want{})
	p.until("it has a dead letter", func() bool { return len(r.deadLetters()) == 1 })
	p.drained()
	if l := r.deadLetters(); r.record(ref).State != job.Open || l[0].Kind != job.Assemble || l[0].Hint == "" {
		t.Errorf("record %+v, dead letters %+v", r.record(ref), l)
	}
	if _, err := r.data.Put(t.Context(), state.HeadKey("ann"), strings.NewReader(head), putAny); err != nil {
		t.Fatal(err)
	}
	if rec := p.wait(ref, p.redrive(ref)); rec.Outcome != job.Done || len(r.deadLetters()) != 0 {
		t.Errorf("after the repair %+v", rec)
	}
}

func TestAReceiptWhoseObjectsAreDamagedIsIncompleteAndTheImportEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref := r.drop("ann", talks("a", 2, likes))
	r.wrap = func(p *process, s *stages) {
		real := s.compute
		s.compute = func(ctx context.Context, o publish.Options, x publish.Round) (state.Head, state.StoreChange, error) {
			next, c, err := real(ctx, o, x)
			for _, key := range r.store.Keys("owners/ann/imports/") {
				if strings.HasSuffix(key, "manifest.json") {
					if err := objects.PutEmpty(ctx, r.data, key); err != nil {
						t.Error(err)
					}
				}
			}
			return next, c, err
		}
	}
	p := r.start()
	p.run()
	rec := p.importDrop(ref)
	if receipt := r.receipt(ref, 1); rec.Outcome != job.Done || !strings.Contains(receipt.Reason, "incomplete") || !receipt.Store.Published {
		t.Errorf("record %+v, receipt %+v", rec, receipt)
	}
}
