package pipeline

import (
	"context"

	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// extract works on one message of the extract queue.
func (w *Worker) extract(ctx context.Context, data []byte) error {
	t, err := decodeTask[state.ExtractTask](data)
	if err != nil {
		return &fault.Fault{Class: fault.Permanent, Err: err}
	}
	if ended, _, err := w.tooLate(ctx, t); err != nil {
		return err
	} else if ended { // an old message, be it of a worker that was killed before it had removed the letter
		return w.withdraw(ctx, t)
	}
	if ok, err := w.wantedShard(ctx, t); err != nil || !ok {
		return err // one of an import whose place another has taken
	}
	var late bool
	err = w.guarded(ctx, breakerKey{telemetry.StageExtract, t.Owner, joined(t.Importers)}, func() (err error) {
		_, late, err = extraction.ExtractShard(ctx, w.Deps.extraction(), t)
		return err
	})
	if err != nil {
		return err
	}
	_, whole, err := w.tooLate(ctx, t)
	if err == nil && !whole { // else somebody else was faster
		err = w.extracted(ctx, t)
	}
	if err == nil && late {
		err = w.withdraw(ctx, t)
	}
	return err
}

// tooLate tells whether nobody waits for a shard any more: its import has ended, and the shard has not been taken back since; and
// whether with all shards. The marker of one that ended so was removed with its work, and one that came after that is removed here:
// the receipt is written before the work goes, so one of the two sees the marker.
func (w *Worker) tooLate(ctx context.Context, t state.ExtractTask) (ended, whole bool, err error) {
	r, ended, err := state.ReadReceipt(ctx, w.Store, t.Owner, t.Import)
	switch {
	case err != nil || !ended || !r.Ended():
		return false, false, err
	case r.Whole():
		return true, true, w.Store.Delete(ctx, state.MarkerKey(t.Owner, t.Import, t.Shard))
	}
	ended, err = marked(ctx, w.Store, t.Owner, t.Import, t.Shard)
	return ended, false, err
}

// extracted goes on behind a marker: the next shard in the window is queued, and the last marker starts assembly. The import had
// not ended when its shard was begun; if it has now, assembling it once more takes in a shard that it ended without.
func (w *Worker) extracted(ctx context.Context, t state.ExtractTask) error {
	w.Observe.Tell(telemetry.Event{Stage: telemetry.StageExtract, Owner: t.Owner, Drop: t.Drop, Import: t.Import, Units: int64(t.Pack) + 1})
	m, read, err := state.ReadManifest(ctx, w.Store, t.Owner, t.Import)
	if err != nil {
		return err
	}
	if err := w.queueBehind(ctx, t, m, read); err != nil || !read {
		return err // who reads the drop to its end will find the marker
	}
	return w.converge(ctx, m, t.Ask, t.Shard, false)
}

// queueBehind queues the shard that waits for the marker of another. While the drop is being read (read is false) it may
// be there already, or it will find the marker.
func (w *Worker) queueBehind(ctx context.Context, t state.ExtractTask, m state.Manifest, read bool) error {
	t.Pack += w.window
	var empty bool
	if read {
		if t.Pack >= len(m.Shards) {
			return nil
		}
		t.Shard, empty = m.Shards[t.Pack].ID, m.Shards[t.Pack].Empty()
	} else {
		h, err := state.ReadPackHeader(ctx, w.Store, state.PackListKey(t.Owner, t.Import, t.Pack))
		if state.IsMissing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		t.Shard, empty = h.Shard, h.Count == 0
	}
	done, err := marked(ctx, w.Store, t.Owner, t.Import, t.Shard)
	switch {
	case err != nil || done:
		return err
	case !empty:
		return w.queueShard(ctx, t)
	}
	if err := state.PutJSON(ctx, w.Store, state.MarkerKey(t.Owner, t.Import, t.Shard), state.Marker{V: 1, Shard: t.Shard, State: state.MarkerOK}); err != nil {
		return err
	}
	return w.queueBehind(ctx, t, m, read)
}
