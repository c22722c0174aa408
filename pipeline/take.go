package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Take makes a drop of what lies in the inbox: it hashes the objects where they lie, writes the drop's record, hands the
// request on, and writes the small record last. It may be run at any time, any number of times, by anybody, and be broken off anywhere.
//
// What is not complete yet gives a *Later. A *RefusedError inside a permanent Fault is what [GiveUpTake] makes a record of.
func Take(ctx context.Context, d Deps, t TakeTask, submit func(context.Context, state.Request) error) error {
	if t.Refuse != "" {
		u := inboxUnit{lying: lying{owner: t.Owner, unit: t.Key}, id: t.Refuse}
		return u.refuse(d.Inbox.unusable(t))
	}
	u, there, err := lookUp(ctx, d.Store, d.Inbox, t.Key)
	if err != nil || !there {
		return err // what has gone needs nothing
	}
	if u.owner != t.Owner {
		return u.refuse(fault.Permanentf("give all workers the same setting owner", "take drop: it lies in the inbox's root, which is of another owner here"))
	}
	if before, ok, err := readTaken(ctx, d.Store, u.Record()); err != nil && fault.Of(err) != fault.Permanent {
		return err
	} else if ok && before.State == TakenAs {
		return nil
	}
	if u.bad != nil {
		return u.refuse(badObject(u.bad))
	}
	if err := d.wait(ctx, u); err != nil {
		return err
	}
	r, err := d.takeUnit(ctx, u)
	switch {
	case errors.Is(err, errMoving):
		return &fault.Later{After: ingest.MovingPause, Why: "it changed while it was read"}
	case err != nil:
		return u.refuse(err)
	}
	if err := submit(ctx, r); err != nil {
		return u.refuse(err)
	}
	d.Log.Info("drop taken from the inbox", zap.String("owner", u.owner), zap.String("drop", r.Drop), zap.Int("files", u.files), zap.Int64("bytes", u.bytes))
	return state.PutJSON(ctx, d.Store, u.Record(), Taken{V: 1, Key: u.unit, Drop: r.Drop, State: TakenAs, At: d.Now().UTC().Format(time.RFC3339)})
}

// takeUnit hashes a unit, writes its drop's record, and gives the request for it.
func (d Deps) takeUnit(ctx context.Context, u inboxUnit) (state.Request, error) {
	switch {
	case u.files == 0:
		return state.Request{}, fault.Permanentf("put the archive into the folder, then the marker again", "take drop: the folder holds nothing but its marker")
	case u.files > d.Inbox.parts() && u.folder():
		return state.Request{}, fault.Permanentf("pack it into one zip, or raise drop.parts", "take drop: the folder has %d files, more than the %d that one may have", u.files, d.Inbox.parts())
	}
	s, err := d.settingsOf(ctx, u)
	if err != nil {
		return state.Request{}, err
	}
	hashing, done := telemetry.StartSpan(ctx, d.Tracer, "hash")
	rec, err := hashUnit(hashing, d.Store, u)
	done(err)
	if err != nil {
		return state.Request{}, err
	}
	if err := ingest.SettleDrop(ctx, d.Store, rec); err != nil {
		return state.Request{}, err
	}
	return state.Request{V: state.MessageVersion, Owner: u.owner, Drop: rec.Drop, Ask: d.NewID(), Importer: s.importer, Extractors: s.extractors, Lane: Lane(rec.Bytes())}, nil
}

// wait gives a Later for what may still grow.
func (d Deps) wait(ctx context.Context, u inboxUnit) error {
	if u.marked || u.Whole(d.Inbox) || d.Inbox.Quiet <= 0 {
		return nil
	}
	now, err := storeTime(ctx, d.Store)
	if err != nil {
		return err
	}
	if left := d.Inbox.patience(u, now); left > 0 {
		return &fault.Later{After: max(left, time.Second), Why: "it may not be complete yet"}
	}
	return nil
}

func badObject(why error) error {
	return fault.Permanentf("put it there again under a plain name, or packed into one zip", "take drop: an object of it cannot be read: %w", why)
}

// RefusedError is why something in an inbox was not taken, with what its record needs.
type RefusedError struct {
	Unit inboxUnit
	Err  error
}

func (e *RefusedError) Error() string { return e.Err.Error() }

func (e *RefusedError) Unwrap() error { return e.Err }

// LogText names the record of a refusal; a failure that may pass has none.
func (e *RefusedError) LogText() string {
	if fault.Of(e.Err) == fault.Permanent {
		return "it was refused (the record " + e.Unit.Record() + " says more)"
	}
	return fault.Loggable(e.Err)
}

// refuse says of a failure what it happened to.
func (u inboxUnit) refuse(err error) error {
	if err == nil {
		return nil
	}
	u.objects = nil
	return &RefusedError{u, err}
}

// GiveUpTake leaves the record that says why something in the inbox was refused, so that it is not looked at again.
func GiveUpTake(ctx context.Context, d Deps, cause error) error {
	var r *RefusedError
	if !errors.As(cause, &r) {
		return nil // it never came to look at anything; the next pass will
	}
	if err := state.PutJSON(ctx, d.Store, r.Unit.Record(), refusedAs(r.Unit, r.Err, d.Now())); err != nil {
		return fmt.Errorf("record refusal: %w", err)
	}
	return nil
}

func (w *Worker) take(ctx context.Context, data []byte) error {
	t, err := decodeTask[TakeTask](data)
	if err != nil {
		return &fault.Fault{Class: fault.Permanent, Err: err}
	}
	return Take(ctx, w.Deps, t, func(ctx context.Context, r state.Request) error {
		return submit(ctx, w.Store, w.js, r, w.Limits.OwnerSmall)
	})
}

func (w *Worker) giveUpTake(ctx context.Context, _ []byte, cause error) error {
	return GiveUpTake(ctx, w.Deps, cause)
}
