package pipeline

import (
	"context"
	"errors"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// errDoneElsewhere: a unit that failed here was done by another worker, so there is nothing to give up.
var errDoneElsewhere = errors.New("another worker did it")

// giveUpIngest leaves a receipt that says why the drop was refused.
func (w *Worker) giveUpIngest(ctx context.Context, data []byte, cause error) error {
	r, err := decodeTask[state.Request](data)
	if err != nil {
		return nil //nolint:nilerr // a message of no owner leaves nothing but its dead letter
	}
	rec, err := state.ReadDrop(ctx, w.Store, r.Owner, r.Drop)
	if err != nil && fault.Of(err) != fault.Permanent {
		return err
	}
	receipt := refusal(w.Deps, r, rec, cause)
	return state.PutJSON(ctx, w.Store, state.ReceiptKey(r.Owner, receipt.Import), receipt)
}

// endIngest ends the request of a drop that was refused.
func (w *Worker) endIngest(ctx context.Context, data []byte, cause error) error {
	r, err := decodeTask[state.Request](data)
	if err != nil {
		return nil //nolint:nilerr // see giveUpIngest
	}
	if err := endRequest(ctx, w.Store, r.Owner, r.Drop, r.Name()); err != nil {
		return err
	}
	receipt := refusal(w.Deps, r, state.DropRecord{}, cause)
	w.Metrics.Imported(receipt.State)
	w.Observe.Tell(telemetry.Event{Stage: telemetry.StageDone, Owner: r.Owner, Drop: r.Drop, Import: receipt.Import})
	return nil
}

// giveUpExtract looks whether another worker did the shard meanwhile.
func (w *Worker) giveUpExtract(ctx context.Context, data []byte, _ error) error {
	t, err := decodeTask[state.ExtractTask](data)
	if err != nil {
		return nil //nolint:nilerr // see giveUpIngest
	}
	var m state.Marker
	_, err = state.ReadJSON(ctx, w.Store, state.MarkerKey(t.Owner, t.Import, t.Shard), &m)
	switch {
	case err == nil && m.State == state.MarkerOK:
		return errDoneElsewhere
	case err != nil && !state.IsMissing(err):
		return err
	}
	return nil
}

// endExtract leaves a failed marker, so that the import ends without this shard's memories. From then on it may end at any moment,
// and a message of the shard would find it ended. One of an import that nobody wants any more leaves none: whoever wants it later
// has all its shards done.
func (w *Worker) endExtract(ctx context.Context, data []byte, cause error) error {
	t, err := decodeTask[state.ExtractTask](data)
	if err != nil {
		return nil //nolint:nilerr // see giveUpIngest
	}
	var before state.Marker
	tag, err := state.ReadJSON(ctx, w.Store, state.MarkerKey(t.Owner, t.Import, t.Shard), &before)
	if err == nil && before.State == state.MarkerOK {
		if err := w.extracted(ctx, t); err != nil {
			return err
		}
		return w.withdraw(ctx, t)
	} else if err != nil && !state.IsMissing(err) && fault.Of(err) != fault.Permanent { // one that cannot be read says nothing
		return err
	}
	if ok, err := w.wantedShard(ctx, t); err != nil {
		return err
	} else if !ok {
		return w.withdraw(ctx, t)
	}
	failed := state.Marker{V: 1, Shard: t.Shard, State: state.MarkerFailed, Reason: cause.Error()}
	// Another worker may be at the same shard. What it did must not be called failed: then this is looked at again.
	if err := state.SwapJSON(ctx, w.Store, state.MarkerKey(t.Owner, t.Import, t.Shard), tag, failed); err != nil {
		return err
	}
	if _, whole, err := w.tooLate(ctx, t); err != nil {
		return err
	} else if whole { // others did it, and ended the import
		return w.withdraw(ctx, t)
	}
	return w.extracted(ctx, t)
}

// giveUpAssemble leaves a receipt that says why the store is unchanged. An import that had ended well keeps its own: a message
// of it that comes once more and fails takes nothing out of the store. One that nobody wants any more gets none.
func (w *Worker) giveUpAssemble(ctx context.Context, data []byte, cause error) error {
	t, err := decodeTask[AssembleTask](data)
	if err != nil {
		return nil //nolint:nilerr // see giveUpIngest
	}
	m, ok, err := state.ReadManifest(ctx, w.Store, t.Owner, t.Import)
	if err != nil || !ok {
		return err
	}
	var before state.Receipt
	tag, bad := state.ReadJSON(ctx, w.Store, state.ReceiptKey(t.Owner, t.Import), &before)
	if bad != nil && !state.IsMissing(bad) && fault.Of(bad) != fault.Permanent {
		return bad
	}
	if bad == nil && before.Ended() && before.State != state.StateFailed && !t.Again {
		return nil
	}
	if _, ok, err := wantedImport(ctx, w.Deps, m, t.Ask); err != nil || !ok {
		return err
	}
	r := state.Receipt{V: 1, Import: t.Import, Owner: t.Owner, Drop: t.Drop, Importers: m.Importers, Extractors: m.Extractors,
		Parts: m.Parts, Counts: m.Counts, State: state.StateFailed, Reason: cause.Error()}
	var f *fault.Fault
	if errors.As(cause, &f) {
		r.Reason, r.Hint = f.Err.Error(), f.Hint
	}
	if bad != nil && !state.IsMissing(bad) {
		return state.PutJSON(ctx, w.Store, state.ReceiptKey(t.Owner, t.Import), r) // nobody can read the one that is there
	}
	if before.Reopened != t.Ask {
		r.Reopened = before.Reopened
	}
	return state.SwapJSON(ctx, w.Store, state.ReceiptKey(t.Owner, t.Import), tag, r) // else this is looked at again
}

// endAssemble ends the request of an import whose receipt says that the store is unchanged. Its markers stay, so that a redrive
// has only to assemble. For another request, which came since, it is tried again.
func (w *Worker) endAssemble(ctx context.Context, data []byte, _ error) error {
	t, err := decodeTask[AssembleTask](data)
	if err != nil {
		return nil //nolint:nilerr // see giveUpIngest
	}
	r, ended, err := state.ReadReceipt(ctx, w.Store, t.Owner, t.Import)
	if err != nil || !ended || r.State != state.StateFailed {
		return err
	}
	if err := endRequest(ctx, w.Store, t.Owner, t.Drop, t.Ask); err != nil {
		return err
	}
	if !r.Ended() && r.Reopened != t.Ask {
		t.Ask, t.Again = r.Reopened, false
		return w.publish(ctx, t)
	}
	w.Metrics.Imported(r.State)
	w.Observe.Tell(telemetry.Event{Stage: telemetry.StageDone, Owner: t.Owner, Drop: t.Drop, Import: t.Import})
	return nil
}
