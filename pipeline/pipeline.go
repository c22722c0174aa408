package pipeline

import (
	"context"
	"errors"
	"slices"
	"sync"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/inbox"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/status"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/pipeline/work"
)

// Pipeline is a store and a queue with everything that works on them. It is safe for concurrent
// use.
type Pipeline struct {
	*View
	options    Options
	queue      *queue.Queue
	dispatcher *dispatch.Dispatcher
	worker     *work.Worker
	inbox      *inbox.Inbox
	tracker    *status.Tracker
	waiters    waiters
	replaced   replaced
	tidying    sync.Mutex // one removal at a time: one would take another for somebody else's
	// local: the queue is in this process, so all its work is done here.
	local bool
}

var _ Client = (*Pipeline)(nil)

// OpenLocal opens a pipeline with a queue in the memory of this process. The caller makes sure that
// no other process works on the store, for example by a lock. Work that was open before continues
// when it is asked for again, or with [Pipeline.Resume].
func OpenLocal(ctx context.Context, o Options) (*Pipeline, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := job.New(o.Store, job.Options{}).Prunes().FreeMarks(ctx); err != nil {
		return nil, err
	}
	q, err := queue.OpenEmbedded(ctx, dispatch.Topology(o.Topology), o.queue())
	if err != nil {
		return nil, err
	}
	return newPipeline(o, q, true)
}

// Join opens a pipeline on the queue of a cluster. All processes of the cluster use the same store.
// Errors are those of queue.Join.
func Join(ctx context.Context, o Options, c queue.ConnectOptions) (*Pipeline, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	q, err := queue.Join(ctx, c, dispatch.Topology(o.Topology), o.queue())
	if err != nil {
		return nil, err
	}
	return newPipeline(o, q, false)
}

func newPipeline(o Options, q *queue.Queue, local bool) (*Pipeline, error) {
	o.Store = objects.ClassedStore{Store: o.Store}
	jobs := job.New(o.Store, job.Options{NewID: o.NewID})
	p := &Pipeline{View: &View{store: o.Store, jobs: jobs, catalog: status.NewCatalog(o.Store)}, queue: q, local: local, replaced: replaced{many: make(chan struct{}, 1)}}
	tracking := status.TrackerOptions{Now: o.Now, Name: o.Reports.Name, Log: o.Reports.Log}
	if !local {
		tracking.Queue, tracking.Bucket = q, dispatch.BucketImports
	}
	p.tracker = status.NewTracker(tracking)
	if p.catalog.Board = p.tracker; !local {
		p.catalog.Board, p.catalog.Shared = status.BucketBoard{Queue: q, Bucket: dispatch.BucketImports}, true
	}
	o.Reports.Observe = p.observing(o.Reports.Observe)
	p.options = o
	p.dispatcher = dispatch.New(jobs, q)
	p.inbox = inbox.New(o.inbox(), q, p.dispatcher)
	var err error
	p.worker, err = work.New(work.Options{
		Store: o.Store, Ingest: o.ingest(), Extraction: o.extraction(), Publish: o.publish(),
		Log: o.Reports.Log, Now: o.Now, Observe: o.Reports.Observe, Trouble: p.tracker.ReportTrouble, Metrics: o.Reports.Metrics, Name: o.Reports.Name,
		Workers: o.Resources.Workers, Attempts: o.Retry.Attempts, Backoff: o.Retry.Backoff, Breaker: o.Retry.Breaker,
		Early: local, Wary: o.Retry.Wary, Scan: o.Scan, Maintain: p.maintain,
	}, q, p.dispatcher)
	if err != nil {
		q.Close()
		return nil, err
	}
	return p, nil
}

// observing passes events to those who wait, to the progress of imports, and on.
func (p *Pipeline) observing(next telemetry.Observe) telemetry.Observe {
	next = p.tracker.Before(next)
	return func(e telemetry.Event) {
		p.replaced.note(e)
		p.waiters.wake(e)
		next.Tell(e)
	}
}

// maintain lists the inbox, if that is a task of this pipeline.
func (p *Pipeline) maintain(ctx context.Context) error {
	if !p.options.ScanInbox {
		return nil
	}
	found, err := p.inbox.ScanInbox(ctx)
	if found.Sent > 0 {
		p.options.Reports.Log.Info("new entries in the inbox", zap.Int("entries", found.Sent))
	}
	return err
}

// Stages returns the stages that a worker process of a kind runs: ingest workers read
// notifications, accept drops and do the maintenance, too.
func Stages(worker string) []string {
	if worker == telemetry.StageIngest {
		return []string{telemetry.StageEvents, telemetry.StageInbox, telemetry.StageIngest, telemetry.StageTend}
	}
	return []string{worker}
}

// Run works on the named stages until ctx ends, and waits until the tasks in hand have ended or
// were released. Without names it runs the stages of an import: ingest, extract and assemble.
func (p *Pipeline) Run(ctx context.Context, stages ...string) error {
	if len(stages) == 0 {
		stages = []string{telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble}
	}
	reporting, stop := context.WithCancel(context.WithoutCancel(ctx))
	var reported sync.WaitGroup
	reported.Go(func() { p.tracker.Run(reporting) })
	defer func() { stop(); reported.Wait() }()

	g, ctx := errgroup.WithContext(ctx)
	var worked []string
	for _, stage := range stages {
		switch stage {
		case telemetry.StageEvents:
			g.Go(func() error { return p.inbox.ConsumeEvents(ctx) })
		case telemetry.StageInbox:
			g.Go(func() error { return p.inbox.ConsumeTakes(ctx) })
		default:
			worked = append(worked, stage)
		}
	}
	g.Go(func() error { return p.worker.Run(ctx, worked...) })
	if slices.Contains(stages, telemetry.StageAssemble) {
		g.Go(func() error { return upkeep{p}.tidyOwners(ctx) })
	}
	if isMaintaining(stages) {
		g.Go(func() error { return upkeep{p}.scrubStore(ctx) })
		g.Go(func() error { return upkeep{p}.pruneStore(ctx) })
	}
	return g.Wait()
}

// Resume sends the tasks of all open generations, and returns how many generations there are. A
// pipeline with an empty queue calls it once. Objects that cannot be decoded are logged.
func (p *Pipeline) Resume(ctx context.Context) (int, error) {
	return p.worker.Resend(ctx, job.PassOptions{})
}

// WatchFolder accepts what people put into a drop folder until ctx ends.
func (p *Pipeline) WatchFolder(ctx context.Context, f inbox.FolderOptions) error {
	err := inbox.NewFolder(p.options.inbox(), f, folderAsker{p}).Run(ctx)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// folderAsker asks for the drops of a drop folder, which is seen anew at each start. A drop that
// was imported or refused before, and that would come to the same, is not asked for. The workers of
// a cluster may read otherwise, so they decide that themselves.
type folderAsker struct{ *Pipeline }

// Ask wants work for a drop, unless it would come to the same as before: then the answer is zero.
func (a folderAsker) Ask(ctx context.Context, ref job.Ref, w job.Want) (job.Asked, error) {
	if a.local {
		if done, err := a.worker.DoneBefore(ctx, ref, w); err != nil || done {
			return job.Asked{}, err
		}
		_, same, err := a.worker.RefusedBefore(ctx, ref, w)
		if same {
			a.options.Reports.Log.Info("refused earlier: the files are not read again; change them, or use `pamline replay`; `pamline imports` shows the reason",
				zap.String("owner", ref.Owner), zap.String("drop", ref.Drop))
		}
		if err != nil || same {
			return job.Asked{}, err
		}
	}
	return a.dispatcher.Ask(ctx, ref, w)
}

// Ready returns why the pipeline cannot work now: the queue or the store does not answer.
func (p *Pipeline) Ready(ctx context.Context) error { return p.worker.Ready(ctx) }

// Queues gives the number of messages of each consumer of the queue.
func (p *Pipeline) Queues(ctx context.Context) ([]queue.Depth, error) { return p.queue.Depths(ctx) }

// Close closes the queue. Run must have returned.
func (p *Pipeline) Close() { p.queue.Close() }

// Ask wants work for a drop that is in the inbox.
func (p *Pipeline) Ask(ctx context.Context, ref job.Ref, w job.Want) (job.Asked, error) {
	if !p.options.Retry.Unguarded {
		return p.dispatcher.Ask(ctx, ref, w)
	}
	asked, err := p.jobs.Ask(ctx, ref, w)
	if err != nil {
		return asked, err
	}
	return asked, p.dispatcher.SendTasks(ctx, queue.FromAsk, asked.Tasks)
}

// Replace wants a rewritten import in the place of all that the store has of a drop.
func (p *Pipeline) Replace(ctx context.Context, ref job.Ref, id string, past []string) (job.Asked, error) {
	asked, err := p.jobs.Replace(ctx, ref, id, past)
	if err != nil {
		return asked, err
	}
	return asked, p.dispatcher.SendAsked(ctx, ref, asked)
}

// Redrive wants the failed work of a job again, from the first attempt.
func (p *Pipeline) Redrive(ctx context.Context, ref job.Ref) (job.Asked, error) {
	return p.dispatcher.Redrive(ctx, ref)
}
