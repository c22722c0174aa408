package work

import (
	"cmp"
	"context"
	"fmt"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/membudget"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Worker runs stages on the tasks of a queue. It is safe for concurrent use.
type Worker struct {
	units    *units
	options  Options
	jobs     *job.Jobs
	queue    *queue.Queue
	dispatch *dispatch.Dispatcher

	ingest      *runner
	extract     *runner
	assemble    *assembler
	maintenance *maintenance
}

// New gives a worker for a queue with the streams of dispatch.Topology.
func New(o Options, q *queue.Queue, d *dispatch.Dispatcher) (*Worker, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Attempts, o.Scan = cmp.Or(o.Attempts, defaultAttempts), cmp.Or(o.Scan, defaultScan)
	budget := membudget.BudgetOr(o.Ingest.Budget, o.Workers, o.Ingest.Memory, o.Ingest.Limits)
	o.Ingest.Budget, o.Extraction.Budget = budget, cmp.Or(o.Extraction.Budget, budget)

	u := &units{
		Options: o, jobs: d.Jobs(), dispatch: d,
		breakers: newBreakers(o.Breaker, o.Now, o.Metrics.BreakersOpen),
		suspects: newSuspects(d.Jobs(), o.Log, q.AckWait()/4, q.AckWait()),
	}
	u.stages = stages{ingest.Ingest, extraction.ExtractShard, publish.Compute}
	w := &Worker{units: u, options: o, jobs: d.Jobs(), queue: q, dispatch: d}
	w.ingest = &runner{u, &ingestHandler{units: u, bulk: bulkUnpacked}}
	w.extract = &runner{u, &extractHandler{u}}
	w.assemble = &assembler{u}
	w.maintenance = &maintenance{units: u, queue: q}
	return w, nil
}

// assembleBatch is how many tasks of a partition are in hand together.
const assembleBatch = 512

// Run works on the named stages (telemetry.StageIngest, StageExtract, StageAssemble, and StageTend
// for the maintenance) until ctx ends, and waits for the units in hand to be finished or released.
func (w *Worker) Run(ctx context.Context, stages ...string) error {
	g, ctx := errgroup.WithContext(ctx)
	many := publish.IOOverlap * w.options.Workers
	for _, name := range stages {
		switch name {
		case telemetry.StageIngest:
			g.Go(func() error {
				return w.queue.Consume(ctx, dispatch.StreamIngest, w.ingest.handle, stageLanes(name, many, 1)...)
			})
		case telemetry.StageExtract:
			g.Go(func() error {
				return w.queue.Consume(ctx, dispatch.StreamExtract, w.extract.handle, stageLanes(name, w.options.Workers, w.options.Workers)...)
			})
		case telemetry.StageAssemble:
			g.Go(func() error {
				return w.queue.ConsumeBatches(ctx, dispatch.StreamAssemble, queue.Batches{Size: assembleBatch, Parallel: w.options.Workers}, w.assemble.handleBatch)
			})
		case telemetry.StageTend:
			g.Go(func() error { w.maintenance.run(ctx); return nil })
			g.Go(func() error { w.maintenance.measure(ctx); return nil })
		default:
			return fmt.Errorf("run worker: there is no stage %q", name)
		}
	}
	return g.Wait()
}

// stageLanes are the consumers of a stage.
func stageLanes(stage string, small, bulk int) []queue.Pull {
	return []queue.Pull{{Consumer: stage + "-" + state.LaneSmall, Parallel: small}, {Consumer: stage + "-" + state.LaneBulk, Parallel: bulk}}
}

// Resend sends the tasks of open generations that no message is for, and gives how many generations
// there were. After the start with an empty queue the zero options are right: all hints are new
// to the queue.
func (w *Worker) Resend(ctx context.Context, o job.PassOptions) (int, error) {
	return w.maintenance.resend(ctx, o)
}

// Ready tells why the worker cannot work now: the queue or the store does not answer.
func (w *Worker) Ready(ctx context.Context) error {
	if err := w.queue.Ready(ctx); err != nil {
		return fmt.Errorf("check queue: %w", err)
	}
	// An object that is never there: asked for its metadata alone, a bucket that does not exist
	// answers as one without such an object.
	body, _, err := w.options.Store.Get(ctx, "work/_ready", blob.Range{})
	switch {
	case objects.IsMissing(err):
		return nil
	case err != nil:
		return fmt.Errorf("check store: %w", err)
	}
	return body.Close()
}

// units is what the handlers of all stages share.
type units struct {
	Options
	jobs     *job.Jobs
	dispatch *dispatch.Dispatcher
	breakers *breakers
	suspects *suspects
	stages   stages
}

// stages are the functions of the stages.
type stages struct {
	ingest  func(context.Context, ingest.Options, ingest.Request, ingest.Publish) (state.Manifest, error)
	extract func(context.Context, extraction.Options, extraction.Task) (h state.ResultHeader, complete bool, err error)
	compute func(context.Context, publish.Options, publish.Round) (state.Head, state.StoreChange, error)
}

// fieldsOf are the fields of a task in a line of the log.
func fieldsOf(t job.Task) []zap.Field {
	return append(telemetry.Unit{Owner: t.Owner, Drop: t.Drop, Import: t.Import, Shard: t.Shard, Lane: t.Lane}.Fields(), zap.Int("gen", t.Gen))
}
