package pipeline

import (
	"context"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// withdraw removes the letter of a shard that somebody has done although it was given up. It is asked by the one who wrote the
// marker, when that took the place of a failed one, and by the one who wrote the letter and then finds the shard done: one of
// the two sees the other. Who is killed before has their message delivered again, and whoever gets it finds the shard done. While its import is one that has ended without the shard, the letter stays: who assembles it again
// removes it.
func (w *Worker) withdraw(ctx context.Context, t state.ExtractTask) error {
	if done, err := w.needsNoLetter(ctx, t); err != nil || !done {
		return err
	}
	return w.removeShardLetter(ctx, t.Owner, t.Import, t.Shard)
}

// needsNoLetter tells whether a shard is done, and its import not one that has ended without it.
func (w *Worker) needsNoLetter(ctx context.Context, t state.ExtractTask) (bool, error) {
	var m state.Marker
	_, err := state.ReadJSON(ctx, w.Store, state.MarkerKey(t.Owner, t.Import, t.Shard), &m)
	if err != nil && !state.IsMissing(err) || err == nil && m.State != state.MarkerOK {
		return false, err
	}
	r, ended, bad := state.ReadReceipt(ctx, w.Store, t.Owner, t.Import)
	switch {
	case bad != nil:
		return false, bad
	case ended && r.Lacks(t.Shard), state.IsMissing(err) && !(ended && (r.State == state.StateDone || r.State == state.StateLosses)):
		return false, nil // without a marker and an end, somebody is trying it again
	}
	return true, nil
}

// withdrawAll removes the letters of all shards of an import that is whole, as a worker may have been about to that was killed.
func (w *Worker) withdrawAll(ctx context.Context, t AssembleTask) error {
	subjects, err := queuedSubjects(ctx, w.js, StreamDLQ, "pam.dlq."+telemetry.StageExtract+"."+t.Owner+"."+t.Import+".>")
	if err != nil {
		return err
	}
	for _, subject := range subjects {
		if shard, ok := lettersShard(subject); ok {
			if err := w.withdraw(ctx, shard); err != nil {
				return err
			}
		}
	}
	return nil
}

// healed removes the letters of shards that their imports had ended without and have now.
func (w *Worker) healed(ctx context.Context, now []state.Receipt) error {
	for _, r := range now {
		for _, shard := range r.Healed {
			if err := w.removeShardLetter(ctx, r.Owner, r.Import, shard); err != nil {
				return err
			}
		}
	}
	return nil
}

// goOn has the drops of imports that have ended read for the requests that came for them at the end, when nobody could tell whether
// what failed was tried again for them: the one who asked, or this, sees to it.
func (w *Worker) goOn(ctx context.Context, now []state.Receipt) error {
	for _, r := range now {
		if r.Next == nil {
			continue
		}
		if err := enqueue(ctx, w.js, *r.Next, w.Limits.OwnerSmall); err != nil {
			return err
		}
	}
	return nil
}

func (w *Worker) removeShardLetter(ctx context.Context, owner, id, shard string) error {
	return removeLetter(ctx, w.js, "pam.dlq."+telemetry.StageExtract+"."+owner+"."+id+"."+shard)
}

// doneSince is the outcome of redriving a shard that has its marker: its import may have ended without it, and is assembled again.
func (l *Letters) doneSince(ctx context.Context, t state.ExtractTask, m state.Manifest, before string) (outcome, drop string, err error) {
	r, ended, err := state.ReadReceipt(ctx, l.Store, t.Owner, t.Import)
	if err != nil || !ended || !r.Lacks(t.Shard) {
		return RedriveHealed, "", err
	}
	var whole bool
	asked, ok, err := l.askAnew(ctx, m, before, func() (state.Request, bool, error) { return l.askForImport(ctx, t, m) }, func(r state.Request) (err error) {
		whole, err = l.takeBackFor(ctx, r, m, "")
		return err
	})
	if err != nil || !ok {
		return RedriveReplaced, "", err
	}
	return RedriveQueued, t.Drop, l.goOn(ctx, m, asked.Name(), whole)
}
