package work

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/edit"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// stageCalls counts the calls of stages in all processes.
type stageCalls struct{ ingest, extract atomic.Int64 }

func (c *stageCalls) wrap(_ *process, s *stages) {
	real := *s
	s.ingest = func(ctx context.Context, o ingest.Options, r ingest.Request, pub ingest.Publish) (state.Manifest, error) {
		c.ingest.Add(1)
		return real.ingest(ctx, o, r, pub)
	}
	s.extract = func(ctx context.Context, o extraction.Options, t extraction.Task) (state.ResultHeader, bool, error) {
		c.extract.Add(1)
		return real.extract(ctx, o, t)
	}
}

// send puts tasks into the queue as if their handlers had sent them.
func (p *process) send(tasks ...job.Task) {
	p.t.Helper()
	for _, t := range tasks {
		m := dispatch.Encode(t)
		m.Origin = queue.FromHandler
		if err := p.queue.Send(p.t.Context(), m); err != nil {
			p.t.Fatal(err)
		}
	}
}

// drained waits until no message is left.
func (p *process) drained() {
	p.t.Helper()
	p.until("the queue is empty", func() bool {
		return natstest.CountMessages(p.t, p.queue.JetStream(), dispatch.StreamIngest, dispatch.StreamExtract, dispatch.StreamAssemble) == 0
	})
}

func TestTasksOfAnEndedGenerationAreDropped(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.limits.ShardItems = 2
	var calls stageCalls
	r.wrap = calls.wrap
	ref := r.drop("ann", talks("a", 5, likes))
	p := r.start()
	p.run()
	rec := p.importDrop(ref)
	before := r.bodies("")
	done := calls.extract.Load()
	shards, err := state.ReadShards(t.Context(), r.data, "ann", rec.Import)
	if err != nil {
		t.Fatal(err)
	}
	for _, gen := range []int{1, 7} {
		p.send(job.Task{Kind: job.Ingest, Ref: ref, Gen: gen, Lane: state.LaneSmall}, job.Task{Kind: job.Assemble, Ref: ref, Gen: gen},
			job.Task{Kind: job.Extract, Ref: ref, Gen: gen, Import: rec.Import, Shard: shards[0].ID, Lane: state.LaneSmall})
	}
	if err := p.queue.Send(t.Context(), queue.Task{Subject: "pam.extract.small.ann.nonsense"}); err != nil {
		t.Fatal(err)
	}
	p.drained()
	p.stop()
	if calls.ingest.Load() != 1 || calls.extract.Load() != done {
		t.Error("a stage was called again")
	}
	if after := r.bodies(""); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("the store has changed")
	}
}

func TestATaskWhoseUnitIsSettledSendsWhatFollows(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.limits.ShardItems = 2
	var calls stageCalls
	r.wrap = calls.wrap
	ref := r.drop("ann", talks("a", 5, likes))
	p := r.start()
	p.ask(ref, job.Want{})
	p.run(telemetry.StageIngest)
	p.until("the drop is read", func() bool { return r.record(ref).Import != "" })
	p.until("its task is gone", func() bool { return natstest.CountMessages(t, p.queue.JetStream(), dispatch.StreamIngest) == 0 })
	p.stop() // its queue is lost
	rec := r.record(ref)
	shards, err := state.ReadShards(t.Context(), r.data, "ann", rec.Import)
	if err != nil || len(shards) != 3 {
		t.Fatal(shards, err)
	}
	p = r.start()
	o := r.options(p).Extraction
	for _, s := range shards { // another worker was lost before it could send anything
		if _, _, err := extraction.ExtractShard(t.Context(), o, extraction.Task{Owner: "ann", Import: rec.Import, Shard: s.ID, Pack: s.Pack, Gen: 1}); err != nil {
			t.Fatal(err)
		}
	}
	p.send(job.Task{Kind: job.Extract, Ref: ref, Gen: 1, Import: rec.Import, Shard: shards[1].ID, Pack: 1, Lane: state.LaneSmall})
	p.run()
	if rec := p.wait(ref, 1); rec.Outcome != job.Done || calls.extract.Load() != 0 {
		t.Errorf("record %+v after %d extractions", rec, calls.extract.Load())
	}
}

func TestARedriveTriesOnlyWhatFailedAndNeedsNoArchive(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.limits.ShardItems = 2
	var tried sync.Map
	r.wrap = failing(func(t extraction.Task, _ int64) error {
		tried.Store(fmt.Sprint(t.Gen, " ", t.Pack), true)
		if t.Gen == 1 && t.Pack == 2 {
			return fault.Permanentf("", "it is not to be")
		}
		return nil
	})
	ref := r.drop("ann", talks("a", 5, likes))
	p := r.start()
	p.run()
	p.importDrop(ref)
	for _, key := range r.store.Keys("inbox/") {
		if err := r.data.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	before := r.record(ref)
	gen := p.redrive(ref)
	rec := p.wait(ref, gen)
	p.stop()
	receipt := r.receipt(ref, gen)
	if gen != 2 || rec.Outcome != job.Done || rec.Import != before.Import || receipt.State != state.StateDone || len(r.deadLetters()) != 0 {
		t.Errorf("record %+v, receipt %+v", rec, receipt)
	}
	var all []string
	tried.Range(func(k, _ any) bool { all = append(all, k.(string)); return true })
	if _, again := tried.Load("2 2"); len(all) != 4 || !again {
		t.Errorf("tried %v", all)
	}
	if first := r.receipt(ref, 1); first.State != state.StateLosses {
		t.Errorf("the first receipt has changed: %+v", first)
	}
}

func TestAResultThatComesTooLateAsksOnceAndCostsNoExtraction(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.limits.ShardItems = 2
	var calls atomic.Int64
	r.wrap = func(p *process, s *stages) {
		real := s.extract
		s.extract = func(ctx context.Context, o extraction.Options, x extraction.Task) (state.ResultHeader, bool, error) {
			calls.Add(1)
			if x.Pack == 1 { // another worker gives the shard up, and the import ends without it
				task := job.Task{Kind: job.Extract, Ref: job.Ref{Owner: x.Owner, Drop: p.rig.onlyDrop()}, Gen: x.Gen, Import: x.Import, Shard: x.Shard, Pack: x.Pack}
				if err := p.jobs.Fail(ctx, task, job.Failure{Class: fault.Unit, Reason: "given up"}); err != nil {
					t.Error(err)
				}
				if err := p.worker.units.advance(ctx, task); err != nil {
					t.Error(err)
				}
				p.wait(task.Ref, 1)
			}
			return real(ctx, o, x)
		}
	}
	ref := r.drop("ann", talks("a", 6, likes))
	p := r.start()
	p.run()
	p.importDrop(ref)
	rec := p.wait(ref, 2)
	p.drained()
	p.stop()
	if rec := r.record(ref); rec.Gen != 2 || rec.Outcome != job.Done || calls.Load() != 3 {
		t.Errorf("record %+v after %d extractions", rec, calls.Load())
	}
	if first, second := r.receipt(ref, 1), r.receipt(ref, 2); len(first.Extraction.Failed) != 1 || second.State != state.StateDone || rec.Outcome != job.Done {
		t.Errorf("receipts %+v\n%+v", first, second)
	}
	if _, in := r.head("ann"); len(in.Short) != 0 || len(r.deadLetters()) != 0 {
		t.Errorf("inputs %+v, dead letters %+v", in, r.deadLetters())
	}
}

// onlyDrop is the drop of a rig that has one.
func (r *rig) onlyDrop() string {
	for _, key := range r.store.Keys("owners/ann/jobs/") {
		return key[len("owners/ann/jobs/") : len(key)-len(".json")]
	}
	return ""
}

func TestANewerGenerationOvertakesAnOlderOne(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	begun, goOn := make(chan struct{}, 1), make(chan struct{})
	var first sync.Once
	r.wrap = func(_ *process, s *stages) {
		real := s.extract
		s.extract = func(ctx context.Context, o extraction.Options, x extraction.Task) (state.ResultHeader, bool, error) {
			if x.Gen == 1 {
				first.Do(func() { begun <- struct{}{} })
				<-goOn
			}
			return real(ctx, o, x)
		}
	}
	ref := r.drop("ann", talks("a", 2, likes))
	p := r.start()
	p.run()
	p.ask(ref, job.Want{})
	<-begun
	gen := p.ask(ref, job.Want{Extractors: []string{"rules"}})
	rec := p.wait(ref, gen)
	close(goOn)
	p.drained()
	p.stop()
	_, in := r.head("ann")
	if now := r.record(ref); gen != 2 || now.Gen != rec.Gen || now.Outcome != job.Done || in.Drops[ref.Drop] != (state.Entry{Import: rec.Import, Gen: 2}) {
		t.Errorf("record %+v, then %+v; entry %+v", rec, now, in.Drops[ref.Drop])
	}
	if _, ok := r.store.Body(state.ReceiptKey("ann", ref.Drop, 1)); ok {
		t.Error("the overtaken generation has a receipt")
	}
	if left := append(r.store.Keys("work/"), r.store.Keys("failed/")...); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAnIncompleteReplayKeepsTheWholeImport(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.limits.ShardItems = 2
	r.wrap = failing(func(t extraction.Task, _ int64) error {
		if t.Gen == 2 && t.Pack == 1 || t.Gen == 3 && t.Pack == 1 {
			return fault.Permanentf("", "it is not to be")
		}
		return nil
	})
	reg := r.withMetrics()
	ref := r.drop("ann", talks("a", 5, likes))
	p := r.start()
	p.run()
	first := p.importDrop(ref)
	want := job.Want{Extractors: []string{"rules"}}
	rec := p.wait(ref, p.ask(ref, want))
	_, in := r.head("ann")
	if rec.Outcome != job.Failed || in.Drops[ref.Drop] != (state.Entry{Import: first.Import, Gen: 2, Failed: true}) {
		t.Fatalf("record %+v, entry %+v", rec, in.Drops[ref.Drop])
	}
	if l := r.deadLetters(); len(l) != 2 || figure(t, reg, "pam_imports_total", state.StateFailed) != 1 || figure(t, reg, "pam_dlq_total", "assemble") != 1 {
		t.Errorf("dead letters %+v", l)
	}
	want.Incomplete = true
	rec = p.wait(ref, p.ask(ref, want))
	_, in = r.head("ann")
	if receipt := r.receipt(ref, 3); rec.Outcome != job.Done || in.Drops[ref.Drop].Import != rec.Import || receipt.State != state.StateLosses || len(r.deadLetters()) != 1 {
		t.Errorf("record %+v, receipt %+v", rec, receipt)
	}
}

func TestADropThatIsUnchangedIsNotReadAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref := r.drop("ann", talks("a", 2, likes))
	p := r.start()
	p.run()
	first := p.importDrop(ref)
	if err := r.data.Delete(t.Context(), state.DropKey("ann", ref.Drop, "part-000")); err != nil {
		t.Fatal(err)
	}
	before, _ := r.head("ann")
	rec := p.importDrop(ref)
	after, _ := r.head("ann")
	if rec.Gen != 2 || rec.Outcome != job.Done || rec.Import != first.Import || after.ExportID != before.ExportID || r.receipt(ref, 2).Store.Published {
		t.Errorf("record %+v, head %+v", rec, after)
	}
}

func TestAnEditIsAnAssemblyOfTheOwner(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref := r.drop("ann", talks("a", 2, likes))
	p := r.start()
	p.run()
	p.importDrop(ref)
	before, _ := r.head("ann")
	n, err := edit.Append(t.Context(), p.view, "ann", assemble.Edit{ID: r.newID(), At: "2026-01-01T00:00:00Z", Action: assemble.EditAdd, Type: "fact", Content: "Keeps bees in the garden."})
	if err != nil {
		t.Fatal(err)
	}
	owner := job.Ref{Owner: "ann", Drop: state.OwnerJob}
	rec := p.wait(owner, p.ask(owner, job.Want{Edits: n}))
	after, in := r.head("ann")
	if receipt := r.receipt(owner, 1); rec.Outcome != job.Done || in.Edits != 1 || after.MemoryCount != before.MemoryCount+1 || !receipt.Store.Published {
		t.Errorf("record %+v, head %+v, receipt %+v", rec, after, receipt)
	}
}

func TestAnErasedDropLeavesTheStore(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	keep, erase := r.drop("ann", talks("a", 2, likes)), r.drop("ann", talks("b", 3, "My brother is called Boris %d."))
	p := r.start()
	p.run()
	p.importDrop(keep)
	p.importDrop(erase)
	rec := p.wait(erase, p.ask(erase, job.Want{Erase: true}))
	if head, in := r.head("ann"); rec.Outcome != job.Erased || head.ConversationCount != 2 || in.Drops[erase.Drop] != (state.Entry{Gen: 2}) {
		t.Errorf("record %+v, head %+v, inputs %+v", rec, head, in)
	}
}

func TestAReadingThatIsOvertakenStops(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.limits.ShardItems = 1
	var packs atomic.Int64
	var once sync.Once
	r.wrap = func(p *process, s *stages) {
		real := s.ingest
		s.ingest = func(ctx context.Context, o ingest.Options, x ingest.Request, pub ingest.Publish) (state.Manifest, error) {
			return real(ctx, o, x, func(m state.Manifest, shard state.Shard, extracted bool) error {
				if len(x.Extractors) == 0 {
					packs.Add(1)
				}
				if shard.Pack == 2 {
					once.Do(func() { p.ask(job.Ref{Owner: x.Owner, Drop: x.Drop}, job.Want{Extractors: []string{"rules"}}) })
				}
				return pub(m, shard, extracted)
			})
		}
	}
	ref := r.drop("ann", talks("a", 9, likes))
	p := r.start()
	p.run()
	p.ask(ref, job.Want{})
	rec := p.wait(ref, 2)
	p.drained()
	p.stop()
	if rec.Outcome != job.Done || packs.Load() != 3 {
		t.Errorf("record %+v after %d packs of the first reading", rec, packs.Load())
	}
	if left := append(r.store.Keys("failed/"), r.store.Keys("work/")...); len(left) > 0 {
		t.Errorf("left behind %v", left)
	}
}
