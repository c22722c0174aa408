package work

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers"
)

// process is one worker with its own memory.
type process struct {
	*rig
	view     blob.Store // what it sees of the store
	queue    *queue.Queue
	jobs     *job.Jobs
	dispatch *dispatch.Dispatcher
	worker   *Worker
	woken    chan struct{} // a generation has ended, or the process has crashed
	cancel   context.CancelFunc
	running  sync.WaitGroup
	dead     atomic.Bool
}

// die ends the process as a kill does: from now on it changes nothing in the store.
func (p *process) die() {
	p.dead.Store(true)
	p.wake()
}

// exit is die for a stage that is to blame: its handler never returns.
func (p *process) exit() {
	p.die()
	runtime.Goexit()
}

// see is called before each call of the store.
func (p *process) see(c statetest.Call) error {
	if p.dead.Load() {
		return statetest.ErrCrashed
	}
	if p.before == nil {
		return nil
	}
	err := p.before(c)
	if errors.Is(err, statetest.ErrCrashed) {
		p.die()
	}
	return err
}

// start makes a process; run begins its work.
func (r *rig) start() *process {
	r.t.Helper()
	p := &process{rig: r, queue: r.queue, woken: make(chan struct{}, 1)}
	p.view = objects.ClassedStore{Store: stagetest.Seal(r.store.View(p.see, nil))}
	if p.queue == nil {
		p.queue = r.openQueue()
	}
	p.jobs = job.New(p.view, job.Options{NewID: r.newID})
	p.dispatch = dispatch.New(p.jobs, p.queue)
	o := r.options(p)
	if r.change != nil {
		r.change(&o)
	}
	var err error
	if p.worker, err = New(o, p.queue, p.dispatch); err != nil {
		r.t.Fatal(err)
	}
	if r.wrap != nil {
		r.wrap(p, &p.worker.units.stages)
	}
	r.t.Cleanup(p.stop)
	return p
}

// options are those of a process with the stages as they are.
func (r *rig) options(p *process) Options {
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	scratch := r.t.TempDir()
	return Options{
		Store: p.view, Log: r.log, Now: now, Workers: 2, Attempts: 3, Backoff: quickBackoff, Name: r.newID(),
		Observe: func(e telemetry.Event) {
			if e.Stage == telemetry.StageDone {
				p.wake()
			}
		},
		Ingest: ingest.Options{Store: p.view, Registry: providers.Default(), Extractors: builtin.Registry(), Limits: r.limits, Scratch: scratch,
			Workers: 2, Log: r.log, Tracer: r.tracer},
		Extraction: extraction.Options{Store: p.view, Extractors: builtin.Registry(), Limits: r.limits, Workers: 2, Log: r.log, Tracer: r.tracer},
		Publish: publish.Options{Store: p.view, Log: r.log, Now: now, NewID: r.newID, Scratch: scratch, Workers: 2,
			SortBudget: r.limits.SortBudget, Tracer: r.tracer},
	}
}

// askModel makes the next processes ask a model beside the rules.
func (r *rig) askModel(model extract.Extractor) {
	r.change = func(o *Options) {
		all := builtin.Registry(model)
		o.Ingest.Extractors, o.Extraction.Extractors = all, all
	}
}

func (p *process) wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
}

// allStages are those without maintenance, which works by the clock.
var allStages = []string{telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble}

// run begins to work on stages, on all if none is named.
func (p *process) run(stages ...string) {
	if len(stages) == 0 {
		stages = allStages
	}
	ctx, cancel := context.WithCancel(context.Background())
	before := p.cancel
	p.cancel = func() {
		cancel()
		if before != nil {
			before()
		}
	}
	p.running.Go(func() {
		if err := p.worker.Run(ctx, stages...); err != nil {
			p.t.Error(err)
		}
	})
}

// stop ends the process; its queue goes with it unless it is shared.
func (p *process) stop() {
	if p.cancel != nil {
		p.cancel()
	}
	p.running.Wait()
	if p.queue != nil && p.queue != p.rig.queue {
		p.queue.Close()
	}
	p.queue, p.cancel = nil, nil
}

// ask wants a drop and gives its generation.
func (p *process) ask(ref job.Ref, w job.Want) int {
	p.t.Helper()
	asked, err := p.dispatch.Ask(p.t.Context(), ref, w)
	if err != nil {
		p.t.Fatal(err)
	}
	return asked.Gen
}

func (p *process) redrive(ref job.Ref) int {
	p.t.Helper()
	asked, err := p.dispatch.Redrive(p.t.Context(), ref)
	if err != nil {
		p.t.Fatal(err)
	}
	return asked.Gen
}

// until waits for a condition that events may bring about.
func (p *process) until(what string, is func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() && !p.dead.Load() {
		select {
		case <-p.woken:
		case <-tick.C:
		case <-ctx.Done():
			p.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// wait waits for the end of a generation, or of the process.
func (p *process) wait(ref job.Ref, gen int) job.Record {
	p.t.Helper()
	r := p.rig.record(ref)
	p.until(fmt.Sprintf("%s.%d has ended", ref.Drop, gen), func() bool {
		r = p.rig.record(ref)
		return r.HasEnded(gen)
	})
	return r
}

// importDrop asks for a drop and waits for its end.
func (p *process) importDrop(ref job.Ref) job.Record {
	p.t.Helper()
	return p.wait(ref, p.ask(ref, job.Want{Lane: state.LaneSmall}))
}
