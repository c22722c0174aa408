package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/membudget"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Worker runs stages on the messages of a NATS connection.
type Worker struct {
	Deps
	js jetstream.JetStream
	// window is how many shards of an import are queued ahead of those already extracted.
	window int
	// embedded: the queues end with this process and are rebuilt from storage, so that stopping need not be gentle.
	embedded bool
	// ackWait is how long it may be silent about a message.
	ackWait time.Duration
	// patience is how long a pull waits for a message.
	patience time.Duration
	// mend looks after the streams ([Worker.Mend]).
	mend func(context.Context)
	// track tells how far imports have come.
	track *tracker
	// gates stop the stages while storage or NATS is out, breakers the units of one owner and importer that keep failing.
	gates    map[string]*gate
	breakers *breakers
	// suspect is taken by the one unit in hand of which nothing was heard before ([Worker.mark]).
	suspect chan struct{}
}

// shardWindow keeps one owner's archive from standing before everyone's.
const shardWindow = 64

// NewWorker checks what it is given. The streams must be there (EnsureTopology).
func NewWorker(d Deps, js jetstream.JetStream) (*Worker, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	d.Store = state.ClassedStore{Store: d.Store}
	d.budget = membudget.BudgetOr(d.budget, d.Workers, d.Memory, d.Limits)
	track := newTracker(d, js)
	d.Observe = track.before(d.Observe)
	w := &Worker{Deps: d, js: js, window: shardWindow, ackWait: cmp.Or(d.AckWait, DefaultAckWait), patience: fetchWait, track: track, gates: map[string]*gate{}}
	for _, stage := range []string{telemetry.StageEvents, telemetry.StageTake, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble} {
		w.gates[stage] = &gate{}
	}
	w.mend = func(context.Context) {}
	w.suspect = make(chan struct{}, 1)
	w.breakers = newBreakers(d.Breaker, d.Now, d.Metrics.BreakersOpen)
	return w, nil
}

// Run works on the named stages until ctx ends, then waits for the units in hand to be finished or given back.
func (w *Worker) Run(ctx context.Context, stages ...string) error {
	defer w.track.start(ctx)()
	g, ctx := errgroup.WithContext(ctx)
	ctx, stop := w.grace(ctx)
	defer stop()
	for _, name := range stages {
		switch name {
		case telemetry.StageEvents:
			g.Go(func() error { return w.readEvents(ctx) })
		case telemetry.StageTake:
			st := stage{name: name, handle: w.take, giveUp: w.giveUpTake}
			g.Go(func() error { return w.consume(ctx, StreamTake, st, lanes(name, publish.IOOverlap*w.Workers, 1)...) })
		case telemetry.StageTend:
			g.Go(func() error { w.tend(ctx); return nil })
			g.Go(func() error { w.figures(ctx); return nil })
		case telemetry.StageIngest:
			st := stage{name, w.ingest, w.giveUpIngest, w.endIngest}
			g.Go(func() error { return w.consume(ctx, StreamIngest, st, lanes(name, publish.IOOverlap*w.Workers, 1)...) })
		case telemetry.StageExtract:
			st := stage{name, w.extract, w.giveUpExtract, w.endExtract}
			g.Go(func() error { return w.consume(ctx, StreamExtract, st, lanes(name, w.Workers, w.Workers)...) })
		case telemetry.StageAssemble:
			g.Go(func() error { return w.consumeAssemble(ctx) })
		default:
			return fmt.Errorf("run worker: there is no stage %q", name)
		}
	}
	return g.Wait()
}

// Ready tells why the worker cannot work now: NATS, its streams or the store do not answer.
func (w *Worker) Ready(ctx context.Context) error {
	if nc := w.js.Conn(); !nc.IsConnected() {
		return fmt.Errorf("check NATS: %s", strings.ToLower(nc.Status().String())) // a request would only run out of time
	}
	if _, err := w.js.Stream(ctx, StreamIngest); err != nil {
		return fmt.Errorf("check NATS: %w", err)
	}
	return storeAnswers(ctx, w.Store)
}

// storeAnswers tells why the store cannot be used now. It reads an object that never is there: to a question about its
// metadata alone, a bucket that does not exist answers as one that has no such object.
func storeAnswers(ctx context.Context, s blob.Store) error {
	body, _, err := s.Get(ctx, "work/_ready", blob.Range{})
	switch {
	case state.IsMissing(err):
		return nil
	case err != nil:
		return fmt.Errorf("check store: %w", err)
	}
	return body.Close()
}

// publish stores a task in its queue.
func (w *Worker) publish(ctx context.Context, t task) error {
	return publishTask(ctx, w.js, t)
}

func (w *Worker) ingest(ctx context.Context, data []byte) error {
	r, err := decodeTask[state.Request](data)
	if err != nil {
		return &fault.Fault{Class: fault.Permanent, Err: err}
	}
	first, alone, err := w.first(ctx, r)
	if err != nil || !first {
		return err // an old message of a request that has ended, or that a newer one has taken the place of
	}
	o := &offering{w: w, ask: r.Name()}
	m, err := w.read(ctx, r, o)
	if errors.Is(err, errBulky) {
		r.Lane = state.LaneBulk // at most once: now its body says so, too
		return w.publish(ctx, r)
	}
	if err != nil {
		return err
	}
	receipt, ended, err := state.ReadReceipt(ctx, w.Store, m.Owner, m.Import)
	if err != nil {
		return err
	}
	if ended {
		if settled, err := w.settled(ctx, m, receipt, o.ask, true); err != nil || settled {
			return err
		}
		if open, err := asked(ctx, w.Store, r.Owner, r.Drop, o.ask); err != nil || !open {
			return err // reading took its time
		}
		var ok bool
		if r, ended, ok, err = w.tryAgain(ctx, r, m); err != nil || !ok {
			return err
		}
		o = &offering{w: w, ask: r.Name()} // what has just become missing is not known
	}
	for _, s := range m.Shards {
		if err := o.offer(ctx, m, s); err != nil {
			return err
		}
	}
	if err := w.converge(ctx, m, o.ask, "", ended); err != nil || alone || ended {
		return err
	}
	// Work for a request whose place this one took may have ended the import while it was looked at.
	if receipt, ended, err = state.ReadReceipt(ctx, w.Store, m.Owner, m.Import); err == nil && ended {
		_, err = w.settled(ctx, m, receipt, o.ask, true)
	}
	return err
}

// first tells whether a request is the newest that is open for its drop, and removes the older ones; alone: there were none.
func (w *Worker) first(ctx context.Context, r state.Request) (first, alone bool, err error) {
	open, err := openAsks(ctx, w.Store, r.Owner, r.Drop)
	if err != nil || len(open) == 0 {
		return false, false, err
	}
	newest, err := supersede(ctx, w.Store, open)
	if err != nil {
		return false, false, err
	}
	first, err = newest.is(ctx, w.Store, r.Name())
	return first, len(open) == 1, err
}

// read ingests under the breaker of the drop's owner and importers, who are known when the drop has been looked at.
func (w *Worker) read(ctx context.Context, r state.Request, o *offering) (m state.Manifest, err error) {
	var p pass
	d := w.Deps
	d.fresh = o.begin
	d.weigh = func(unpacked int64) error { return weigh(r.Lane, unpacked) }
	d.admit = func(importers []string) (err error) {
		key := breakerKey{telemetry.StageIngest, r.Owner, joined(importers)}
		if p.key != key { // else it is read at another place
			p, err = w.breakers.admit(key)
		}
		return err
	}
	err = fault.Recovered("run "+telemetry.StageIngest, func() (err error) {
		m, err = ingest.Ingest(ctx, d.ingest(), r, func(m state.Manifest, s state.Shard) error { return o.offer(ctx, m, s) })
		return err
	})
	return m, p.end(ctx, err)
}

// settled ends the work of an import that needs none; r is its receipt.
func (w *Worker) settled(ctx context.Context, m state.Manifest, r state.Receipt, ask string, again bool) (bool, error) {
	change, ok, err := settled(ctx, w.Deps, m, r, ask, again)
	if ok {
		w.Observe.Tell(telemetry.Event{Stage: telemetry.StageDone, Owner: m.Owner, Drop: m.Drop, Import: m.Import, Change: &change})
	}
	return ok, err
}

// tryAgain begins the extraction of an ended import anew when shards of it failed, or goes on with one that was given up: somebody
// asked for the drop again. Of the latter the markers may have gone, if it had ended well before that. It gives the request that it
// is done for then, which is another one if work that was under way has ended that of the message, and tells whether the import is
// still one that has ended. ok is false when its drop is wanted in another way by now.
func (w *Worker) tryAgain(ctx context.Context, r state.Request, m state.Manifest) (_ state.Request, ended, ok bool, err error) {
	r, ok, err = insist(ctx, w.Deps, m, r, func(r state.Request) (err error) {
		ended, err = takeAllBack(ctx, w.Store, m, r.Name())
		return err
	}, func() (state.Request, bool, error) {
		return askLike(ctx, w.Deps, r, func(open state.Request) (bool, error) { return w.Deps.ingest().ComesTo(m, open) })
	})
	return r, ended, ok, err
}

// converge asks for the import to be assembled if all its markers are there; that of the shard marked is, for the caller wrote
// it or has seen it. ended: it had a receipt, and was asked for again.
func (w *Worker) converge(ctx context.Context, m state.Manifest, ask, marked string, ended bool) error {
	w.track.read(m)
	if !ended {
		complete, err := completeWith(ctx, w.Store, m, marked)
		if err != nil || !complete {
			return err
		}
	}
	return w.publish(ctx, AssembleTask{V: state.MessageVersion, Owner: m.Owner, Drop: m.Drop, Import: m.Import, Again: ended, Ask: ask})
}

// guarded does the work of a unit under a breaker, and turns a panic into an error of the unit.
func (w *Worker) guarded(ctx context.Context, k breakerKey, do func() error) error {
	p, err := w.breakers.admit(k)
	if err != nil {
		return err
	}
	return p.end(ctx, fault.Recovered("run "+k.stage, do))
}
