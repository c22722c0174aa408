package inbox

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// changedPause is how long an entry that changes while it is read is left alone.
const changedPause = 2 * time.Second

// Take makes a drop of an entry and asks for its import. It may be called at any time, any number
// of times, by anybody, and may stop anywhere.
//
// If the entry has gone or has been taken, Take does nothing. If the entry may be incomplete, the
// error is a *fault.Later. If the entry cannot become a drop, Take records the refusal and returns
// nil; with last set, so does every other failure that is no outage.
func (in *Inbox) Take(ctx context.Context, t Task, last bool) error {
	if t.Refuse != "" {
		return in.refuse(ctx, entry{owner: t.Owner, key: t.Key, id: t.Refuse}, in.refuseName(t.Key))
	}
	e, there, err := in.findEntry(ctx, in.Store, t.Key)
	if err != nil || !there {
		return err
	}
	if e.owner != t.Owner {
		return in.refuse(ctx, e, fault.Permanentf("give all workers the same setting owner",
			"take drop: it lies in the inbox's root, which has another owner here"))
	}
	taken, refused, err := in.hasRecord(ctx, e)
	if err != nil || taken {
		return err
	}
	if lane := dispatch.LaneOf(e.bytes); lane == state.LaneBulk && t.Lane == state.LaneSmall && in.queue != nil {
		t.Lane = lane // a notification does not tell the size
		return in.queue.Send(ctx, t.message(queue.FromHandler))
	}
	var drop string
	err = fault.Recovered("take drop", func() (err error) {
		drop, err = in.takeEntry(ctx, e)
		return err
	})
	later := (*fault.Later)(nil)
	switch {
	case errors.Is(err, errEntryChanged):
		return &fault.Later{After: changedPause, Why: "it changed while it was read"}
	case fault.IsDrain(ctx, err), errors.As(err, &later):
		return err
	case fault.Of(err) == fault.Permanent, err != nil && last && fault.Of(err) == fault.Unit:
		return in.refuse(ctx, e, err)
	case err != nil:
		return err
	}
	if err := in.recordTaken(ctx, e, drop); err != nil || !refused {
		return err
	}
	return in.Store.Delete(ctx, refusedKey(e.recordOwner(), e.id))
}

// takeEntry hashes an entry, writes the record of its drop and asks for the import.
func (in *Inbox) takeEntry(ctx context.Context, e entry) (drop string, err error) {
	if e.bad != nil {
		return "", refuseObject(e.bad)
	}
	if err := in.awaitComplete(ctx, e); err != nil {
		return "", err
	}
	switch {
	case e.files == 0:
		return "", errNoFiles
	case e.files > in.Parts && isFolder(e.key):
		return "", fault.Permanentf("pack it into one zip, or raise drop.parts",
			"take drop: the folder has %d files, more than the %d that one may have", e.files, in.Parts)
	}
	want, err := in.readSettings(ctx, e)
	if err != nil {
		return "", err
	}
	hashing, done := telemetry.StartSpan(ctx, in.Tracer, "hash")
	rec, err := hashEntry(hashing, in.Store, e)
	done(err)
	if err != nil {
		return "", err
	}
	if err := recordDrop(ctx, in.Store, rec); err != nil {
		return "", err
	}
	want.Lane = dispatch.LaneOf(rec.Bytes())
	if _, err := in.asker.Ask(ctx, job.Ref{Owner: e.owner, Drop: rec.Drop}, want); err != nil {
		return "", err
	}
	in.Log.Info("drop taken from the inbox", zap.String("owner", e.owner), zap.String("drop", rec.Drop), zap.Int("files", e.files), zap.Int64("bytes", e.bytes))
	return rec.Drop, nil
}

var errNoFiles = fault.Permanentf("put the export itself into the folder, then the marker again; links are not followed",
	"take drop: there is no file in the folder")

// awaitComplete gives a *fault.Later for an entry that may still grow.
func (in *Inbox) awaitComplete(ctx context.Context, e entry) error {
	if e.isWhole(in.Rules) || in.Quiet <= 0 {
		return nil
	}
	now, err := state.ReadStoreTime(ctx, in.Store)
	if err != nil {
		return err
	}
	if left := in.patience(e, now); left > 0 {
		return &fault.Later{After: max(left, time.Second), Why: "it may not be complete yet"}
	}
	return nil
}

// refuse records why an entry was refused. What is wrong with an entry is a result, and the log
// names its record. A failure of the last attempt is an error.
func (in *Inbox) refuse(ctx context.Context, e entry, cause error) error {
	if err := in.recordRefused(ctx, e, cause); err != nil {
		return err
	}
	log := in.Log.With(zap.String("owner", e.owner), zap.String("record", refusedKey(e.recordOwner(), e.id)))
	if c := fault.Of(cause); c != fault.Permanent {
		in.Metrics.DeadLetter(telemetry.StageInbox, c)
		log.Error("taking an entry of the inbox failed for good", zap.String("error", fault.Loggable(cause)))
		return nil
	}
	log.Info("an entry of the inbox was refused; its record says why and what to do")
	return nil
}
