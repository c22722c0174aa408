package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
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
}

// The stages by name.
const (
	StageEvents   = "events"
	StageTake     = "take"
	StageIngest   = "ingest"
	StageExtract  = "extract"
	StageAssemble = "assemble"
	// StageDone is the stage of the event that ends an import.
	StageDone = "done"
)

// shardWindow keeps one owner's archive from standing before everyone's.
const shardWindow = 64

// NewWorker checks what it is given. The streams must be there (EnsureTopology).
func NewWorker(d Deps, js jetstream.JetStream) (*Worker, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	d.Store = outages{d.Store}
	return &Worker{Deps: d, js: js, window: shardWindow, ackWait: cmp.Or(d.AckWait, DefaultAckWait)}, nil
}

// Run works on the named stages until ctx ends, then waits for the units in hand to be finished or given back.
func (w *Worker) Run(ctx context.Context, stages ...string) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, name := range stages {
		switch name {
		case StageIngest:
			st := stage{name, w.ingest, w.giveUpIngest}
			g.Go(func() error {
				return w.consume(ctx, StreamIngest, st, []string{"ingest-small", "ingest-bulk"}, 1)
			})
		case StageExtract:
			st := stage{name, w.extract, w.giveUpExtract}
			g.Go(func() error {
				return w.consume(ctx, StreamExtract, st, []string{"extract-small", "extract-bulk"}, w.Workers)
			})
		case StageAssemble:
			st := stage{name, w.assemble, w.giveUpAssemble}
			var all []string
			for p := range Partitions {
				all = append(all, fmt.Sprintf("assemble-%02d", p))
			}
			g.Go(func() error { return w.consume(ctx, StreamAssemble, st, all, 1) })
		default:
			return fmt.Errorf("run worker: there is no stage %q", name)
		}
	}
	return g.Wait()
}

// Ready tells why the worker cannot work now: NATS, its streams or the store do not answer.
func (w *Worker) Ready(ctx context.Context) error {
	if _, err := w.js.Stream(ctx, StreamIngest); err != nil {
		return fmt.Errorf("check NATS: %w", err)
	}
	if _, err := w.Store.Head(ctx, "work/_ready"); err != nil && !isMissing(err) {
		return fmt.Errorf("check store: %w", err)
	}
	return nil
}

// publish stores a task in its queue.
func (w *Worker) publish(ctx context.Context, t task) error {
	body, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	return send(ctx, w.js, t.subject(), body)
}

func (w *Worker) ingest(ctx context.Context, data []byte) error {
	r, err := decodeTask[Request](data)
	if err != nil {
		return &Fault{Class: Permanent, Err: err}
	}
	m, err := Ingest(ctx, w.Deps, r, func(m Manifest, s Shard) error { return w.offer(ctx, m, s) })
	if err != nil {
		return err
	}
	if settled, err := w.settled(ctx, m, true); err != nil || settled {
		return err
	}
	if err := w.reopen(ctx, m); err != nil {
		return err
	}
	return w.converge(ctx, m)
}

// settled ends the work of an import that needs none.
func (w *Worker) settled(ctx context.Context, m Manifest, again bool) (bool, error) {
	change, ok, err := Settled(ctx, w.Deps, m, again)
	if ok {
		w.Observe.tell(Event{Stage: StageDone, Owner: m.Owner, Drop: m.Drop, Import: m.Import, Change: &change})
	}
	return ok, err
}

// reopen begins the extraction of an ended import anew when shards of it failed: somebody asked for the drop again.
func (w *Worker) reopen(ctx context.Context, m Manifest) error {
	r, final, err := ReadReceipt(ctx, w.Store, m.Owner, m.Import)
	if err != nil || !final || len(r.Extraction.Failed) == 0 {
		return err
	}
	for _, s := range r.Extraction.Failed {
		if err := w.Store.Delete(ctx, markerKey(m.Owner, m.Import, s.Shard)); err != nil {
			return err
		}
	}
	if err := w.Store.Delete(ctx, receiptKey(m.Owner, m.Import)); err != nil {
		return err
	}
	for _, s := range m.Shards {
		if err := w.offer(ctx, m, s); err != nil {
			return err
		}
	}
	return nil
}

// offer queues a shard unless it has its marker or lies too far ahead of those that have.
func (w *Worker) offer(ctx context.Context, m Manifest, s Shard) error {
	if _, final, err := ReadReceipt(ctx, w.Store, m.Owner, m.Import); err != nil || final {
		return err
	}
	marked, err := exists(ctx, w.Store, markerKey(m.Owner, m.Import, s.ID))
	if err != nil || marked {
		return err
	}
	if s.empty() {
		return putJSON(ctx, w.Store, markerKey(m.Owner, m.Import, s.ID), Marker{V: 1, Shard: s.ID, State: MarkerOK})
	}
	if s.Pack >= w.window {
		ahead, err := exists(ctx, w.Store, markerKey(m.Owner, m.Import, m.Shards[s.Pack-w.window].ID))
		if err != nil || !ahead {
			return err // the shard's forerunner will queue it
		}
	}
	return w.publish(ctx, ExtractTask{
		V: MessageVersion, Owner: m.Owner, Drop: m.Drop, Import: m.Import, Pack: s.Pack, Shard: s.ID, Extractors: m.Extractors, Lane: m.Lane,
	})
}

// converge asks for the import to be assembled if all its markers are there.
func (w *Worker) converge(ctx context.Context, m Manifest) error {
	complete, err := Complete(ctx, w.Store, m)
	if err != nil {
		return err
	}
	_, ended, err := ReadReceipt(ctx, w.Store, m.Owner, m.Import)
	if err != nil {
		return err
	}
	if !complete && !ended {
		return nil
	}
	return w.publish(ctx, AssembleTask{V: MessageVersion, Owner: m.Owner, Drop: m.Drop, Import: m.Import, Again: ended})
}

func (w *Worker) extract(ctx context.Context, data []byte) error {
	t, err := decodeTask[ExtractTask](data)
	if err != nil {
		return &Fault{Class: Permanent, Err: err}
	}
	if _, final, err := ReadReceipt(ctx, w.Store, t.Owner, t.Import); err != nil || final {
		return err // an old message of an import that has ended
	}
	if _, err := Extract(ctx, w.Deps, t); err != nil {
		return err
	}
	return w.extracted(ctx, t)
}

// extracted goes on behind a marker: the next shard in the window is queued, and the last marker starts assembly.
func (w *Worker) extracted(ctx context.Context, t ExtractTask) error {
	w.Observe.tell(Event{Stage: StageExtract, Owner: t.Owner, Drop: t.Drop, Import: t.Import, Units: int64(t.Pack) + 1})
	next := t.Pack + w.window
	h, err := readPackHeader(ctx, w.Store, packListKey(t.Owner, t.Import, next))
	switch {
	case err == nil:
		nt := t
		nt.Pack, nt.Shard = next, h.Shard
		marked, err := exists(ctx, w.Store, markerKey(t.Owner, t.Import, h.Shard))
		if err != nil {
			return err
		}
		switch {
		case marked:
		case h.Count == 0:
			if err := putJSON(ctx, w.Store, markerKey(nt.Owner, nt.Import, nt.Shard), Marker{V: 1, Shard: nt.Shard, State: MarkerOK}); err != nil {
				return err
			}
			return w.extracted(ctx, nt)
		default:
			if err := w.publish(ctx, nt); err != nil {
				return err
			}
		}
	case !isMissing(err):
		return err
	}
	m, ok, err := readManifest(ctx, w.Store, t.Owner, t.Import)
	if err != nil || !ok {
		return err
	}
	return w.converge(ctx, m)
}

func (w *Worker) assemble(ctx context.Context, data []byte) error {
	t, err := decodeTask[AssembleTask](data)
	if err != nil {
		return &Fault{Class: Permanent, Err: err}
	}
	m, ok, err := readManifest(ctx, w.Store, t.Owner, t.Import)
	if err != nil || !ok {
		return err
	}
	if settled, err := w.settled(ctx, m, false); err != nil || settled {
		return err // whoever found the last marker sent this message, and more than one may have
	}
	w.Observe.tell(Event{Stage: StageAssemble, Owner: t.Owner, Drop: t.Drop, Import: t.Import})
	_, err = Assemble(ctx, w.Deps, t.Owner, []AssembleTask{t})
	return err
}

// giveUpIngest leaves a receipt that says why the drop was refused.
func (w *Worker) giveUpIngest(ctx context.Context, data []byte, cause error) error {
	r, err := decodeTask[Request](data)
	if err != nil {
		return nil //nolint:nilerr // a message of no owner leaves nothing but its dead letter
	}
	rec, err := readDrop(ctx, w.Store, r.Owner, r.Drop)
	if err != nil && ClassOf(err) != Permanent {
		return err
	}
	receipt := refusal(w.Deps, r, rec, cause)
	if err := putJSON(ctx, w.Store, receiptKey(r.Owner, receipt.Import), receipt); err != nil {
		return err
	}
	if err := w.Store.Delete(ctx, requestKey(r.Owner, r.Drop)); err != nil {
		return err
	}
	w.Observe.tell(Event{Stage: StageDone, Owner: r.Owner, Drop: r.Drop, Import: receipt.Import})
	return nil
}

// giveUpExtract leaves a failed marker, so that the import ends without this shard's memories.
func (w *Worker) giveUpExtract(ctx context.Context, data []byte, cause error) error {
	t, err := decodeTask[ExtractTask](data)
	if err != nil {
		return nil //nolint:nilerr // see giveUpIngest
	}
	var before Marker
	if _, err := readJSON(ctx, w.Store, markerKey(t.Owner, t.Import, t.Shard), &before); err == nil && before.State == MarkerOK {
		return w.extracted(ctx, t) // another worker did it
	} else if err != nil && !isMissing(err) {
		return err
	}
	failed := Marker{V: 1, Shard: t.Shard, State: MarkerFailed, Reason: cause.Error()}
	if err := putJSON(ctx, w.Store, markerKey(t.Owner, t.Import, t.Shard), failed); err != nil {
		return err
	}
	return w.extracted(ctx, t)
}

// giveUpAssemble leaves a receipt that says why the store is unchanged.
func (w *Worker) giveUpAssemble(ctx context.Context, data []byte, cause error) error {
	t, err := decodeTask[AssembleTask](data)
	if err != nil {
		return nil //nolint:nilerr // see giveUpIngest
	}
	m, ok, err := readManifest(ctx, w.Store, t.Owner, t.Import)
	if err != nil || !ok {
		return err
	}
	r := Receipt{V: 1, Import: t.Import, Owner: t.Owner, Drop: t.Drop, Importers: m.Importers, Extractors: m.Extractors,
		Parts: m.Parts, Counts: m.Counts, State: StateFailed, Reason: cause.Error()}
	var f *Fault
	if errors.As(cause, &f) {
		r.Reason, r.Hint = f.Err.Error(), f.Hint
	}
	if err := putJSON(ctx, w.Store, receiptKey(t.Owner, t.Import), r); err != nil {
		return err
	}
	w.Observe.tell(Event{Stage: StageDone, Owner: t.Owner, Drop: t.Drop, Import: t.Import})
	return nil
}
