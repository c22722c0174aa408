package pipeline

import (
	"context"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// reconcileOwner makes the lost messages of one owner again. Messages are looked for in the order in which work makes them
// (a message ends when the next ones are stored), and storage after them, so that work that goes on meanwhile is not taken for
// lost: at worst a message is made twice, and the second finds its work done. bad are objects that nobody can work on; they
// keep the others of the owner no more than those of others.
func (w *Worker) reconcileOwner(ctx context.Context, open openWork) (bad []error, err error) {
	ingesting, err := w.Units(ctx, StreamIngest, telemetry.StageIngest, open.owner+".*")
	if err != nil {
		return nil, err
	}
	var waiting []openRequest
	for _, r := range open.requests {
		if !ingesting[r.drop] {
			waiting = append(waiting, r)
		}
	}
	if len(waiting) == 0 {
		return nil, nil
	}
	if len(waiting) > fewWaiting {
		busy, err := w.busy(ctx, open.owner)
		if err != nil || busy >= len(waiting) {
			return nil, err // as many are at work; whether it is these is looked at when there are fewer
		}
	}
	begun, err := importsOf(ctx, w.Store, open.owner)
	if fault.Of(err) == fault.Permanent {
		bad = append(bad, err) // their drops are read once more, which writes the notes anew
	} else if err != nil {
		return nil, err
	}
	var whole []AssembleTask
	for _, o := range waiting {
		t, complete, err := w.reconcileRequest(ctx, o, begun[o.drop])
		switch {
		case fault.Of(err) == fault.Permanent:
			bad = append(bad, err)
		case err != nil:
			return bad, err
		case complete:
			whole = append(whole, t)
		}
	}
	return bad, w.reconcileAssembly(ctx, open.owner, whole)
}

// fewWaiting is up to how many open requests of an owner are looked at in storage, one by one, although there are messages for as
// many imports of the owner. Somebody with ten thousand imports, each of which takes long to extract, would else have every
// pass read all of them, before anybody else's drops are looked for.
const fewWaiting = 32

// busy is how many imports of an owner have a message for being extracted or assembled.
func (w *Worker) busy(ctx context.Context, owner string) (int, error) {
	subjects, err := queuedSubjects(ctx, w.js, StreamExtract, "pam."+telemetry.StageExtract+".*."+owner+".>")
	if err != nil {
		return 0, err
	}
	imports := map[string]bool{}
	for _, s := range subjects {
		imports[strings.Split(s, ".")[4]] = true // pam.extract.<lane>.<owner>.<import>.<shard>: some wait in another lane
	}
	n, err := w.assembling(ctx, owner)
	return len(imports) + n, err
}

// units are the ends of the subjects of a stage that a queue holds for an owner.
func (w *Worker) Units(ctx context.Context, stream, stage, filter string) (map[string]bool, error) {
	subjects, err := queuedSubjects(ctx, w.js, stream, "pam."+stage+".*."+filter)
	if err != nil {
		return nil, err
	}
	out := make(map[string]bool, len(subjects))
	for _, s := range subjects {
		out[s[strings.LastIndexByte(s, '.')+1:]] = true
	}
	return out, nil
}

// reconcileRequest queues what a request needs that has no message for being read. begun are the imports of its drop that have
// been read. complete: all shards of one have a marker, and it waits to be assembled.
func (w *Worker) reconcileRequest(ctx context.Context, open openRequest, begun []begunImport) (t AssembleTask, complete bool, err error) {
	r, ok, err := stillOpen(ctx, w.Store, open)
	if err != nil || !ok {
		return t, false, err
	}
	var ended []state.Manifest
	var receipts []state.Receipt
	for _, one := range begun {
		m, read, err := state.ReadManifest(ctx, w.Store, r.Owner, one.id)
		if err != nil {
			return t, false, err
		}
		if !read {
			continue
		}
		receipt, final, err := state.ReadReceipt(ctx, w.Store, m.Owner, m.Import)
		if err != nil {
			return t, false, err
		}
		switch ours := !final && one.ask == r.Ask || final && receipt.Reopened == r.Name(); {
		case final && receipt.Ended() && len(receipt.Extraction.Failed) == 0:
			ended, receipts = append(ended, m), append(receipts, receipt)
		case final && !ours: // it ended with losses, and was asked for since: whoever reads the drop begins the failed shards anew
		case ours:
			complete, err = w.reconcileShards(ctx, m, r.Name())
			return assembleTask(m, r), complete, err
		default: // of a request that was superseded; if it is what this one asks for, too, reading the drop finds it
		}
	}
	if len(ended) > 0 && w.Registry == nil {
		return t, false, nil // a worker, who knows the importers, sees to it
	}
	for i, m := range ended {
		same, err := w.Deps.ingest().ReadsAs(m, r)
		if err != nil {
			return t, false, err
		}
		if same {
			return w.reconcileEnded(ctx, open, r, m, receipts[i].State)
		}
	}
	return t, false, enqueue(ctx, w.js, r, w.Limits.OwnerSmall)
}

// reconcileEnded goes on with a request that is open although the import that it asks for has ended. That was asked for once
// more and its message is lost, or only the end of its work is missing. One that was given up is left to its dead letter,
// unless it was asked for since.
func (w *Worker) reconcileEnded(ctx context.Context, open openRequest, r state.Request, m state.Manifest, phase string) (t AssembleTask, complete bool, err error) {
	if phase != state.StateFailed {
		t = assembleTask(m, r)
		t.Again = true
		return t, true, nil
	}
	at, err := writtenAt(ctx, w.Store, state.ReceiptKey(m.Owner, m.Import))
	if err != nil {
		return t, false, err
	}
	if !open.since.Before(at) { // both by the store's clock, which may tell seconds only
		return t, false, enqueue(ctx, w.js, r, w.Limits.OwnerSmall)
	}
	// Whose message is still there leaves a dead letter first, and finds the request open until then.
	if queued, err := w.assembling(ctx, r.Owner); err != nil || queued > 0 {
		return t, false, err
	}
	return t, false, endRequest(ctx, w.Store, r.Owner, r.Drop, r.Name())
}

func assembleTask(m state.Manifest, r state.Request) AssembleTask {
	return AssembleTask{V: state.MessageVersion, Owner: m.Owner, Drop: m.Drop, Import: m.Import, Ask: r.Name()}
}

// reconcileShards queues the shards that have neither a marker nor a message, though their turn has come. complete: all have
// a marker.
func (w *Worker) reconcileShards(ctx context.Context, m state.Manifest, ask string) (complete bool, err error) {
	o := &offering{w: w, ask: ask}
	if err := o.look(ctx, m); err != nil {
		return false, err
	}
	for _, s := range m.Shards {
		if s.Pack >= w.window && !o.known[m.Shards[s.Pack-w.window].ID] {
			continue // not even the one before it, which will queue it, has been queued
		}
		if err := o.offer(ctx, m, s); err != nil {
			return false, err
		}
	}
	return Complete(ctx, w.Store, m)
}

// reconcileAssembly queues the imports that wait to be assembled, if the owner has fewer messages for it than imports. The
// subject does not say which of them a message is for, so all are queued; those too many find their work done.
func (w *Worker) reconcileAssembly(ctx context.Context, owner string, whole []AssembleTask) error {
	if len(whole) == 0 {
		return nil
	}
	queued, err := w.assembling(ctx, owner)
	if err != nil || queued >= len(whole) {
		return err
	}
	for _, t := range whole {
		if err := publishTask(ctx, w.js, t); err != nil {
			return err
		}
	}
	return nil
}

// assembling is how many messages there are for imports of an owner that wait to be assembled.
func (w *Worker) assembling(ctx context.Context, owner string) (n int, err error) {
	s, err := w.js.Stream(ctx, StreamAssemble)
	if err != nil {
		return 0, asOutage(fmt.Errorf("look into stream %s: %w", StreamAssemble, err))
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter("pam."+telemetry.StageAssemble+".*."+owner))
	if err != nil {
		return 0, asOutage(fmt.Errorf("look into stream %s: %w", StreamAssemble, err))
	}
	for _, some := range info.State.Subjects {
		n += int(some) //nolint:gosec // as many as a stream holds of one owner
	}
	return n, nil
}
