package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
)

// Take makes a drop of what lies in the inbox: it hashes the objects where they lie, writes the drop's record, hands the
// request on, and writes the small record last. It may be run at any time, any number of times, by anybody, and be broken off anywhere.
//
// What is not complete yet gives a *Later. A *RefusedError inside a permanent Fault is what [GiveUpTake] makes a record of.
func Take(ctx context.Context, d Deps, t TakeTask, submit func(context.Context, Request) error) error {
	if t.Refuse != "" {
		u := inboxUnit{lying: lying{owner: t.Owner, unit: t.Key}, id: t.Refuse}
		return u.refuse(d.Inbox.unusable(t))
	}
	u, there, err := lookUp(ctx, d.Store, d.Inbox, t.Key)
	if err != nil || !there {
		return err // what has gone needs nothing
	}
	if u.owner != t.Owner {
		return u.refuse(permanent("give all workers the same setting owner", "take drop: it lies in the inbox's root, which is of another owner here"))
	}
	if before, ok, err := readTaken(ctx, d.Store, u.record()); err != nil && ClassOf(err) != Permanent {
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
		return &Later{After: movingPause, Why: "it changed while it was read"}
	case err != nil:
		return u.refuse(err)
	}
	if err := submit(ctx, r); err != nil {
		return u.refuse(err)
	}
	d.Log.Info("drop taken from the inbox", zap.String("owner", u.owner), zap.String("drop", r.Drop), zap.Int("files", u.files), zap.Int64("bytes", u.bytes))
	return putJSON(ctx, d.Store, u.record(), Taken{V: 1, Key: u.unit, Drop: r.Drop, State: TakenAs, At: d.Now().UTC().Format(time.RFC3339)})
}

// movingPause is how long what changes while it is read is left alone.
const movingPause = 2 * time.Second

// takeUnit hashes a unit, writes its drop's record, and gives the request for it.
func (d Deps) takeUnit(ctx context.Context, u inboxUnit) (Request, error) {
	switch {
	case u.files == 0:
		return Request{}, permanent("put the archive into the folder, then the marker again", "take drop: the folder holds nothing but its marker")
	case u.files > d.Inbox.parts() && u.folder():
		return Request{}, permanent("pack it into one zip, or raise drop.parts", "take drop: the folder has %d files, more than the %d that one may have", u.files, d.Inbox.parts())
	}
	s, err := d.settingsOf(ctx, u)
	if err != nil {
		return Request{}, err
	}
	hashing, done := d.span(ctx, "hash")
	rec, err := hashUnit(hashing, d.Store, u)
	done(err)
	if err != nil {
		return Request{}, err
	}
	if err := settleDrop(ctx, d.Store, rec); err != nil {
		return Request{}, err
	}
	return Request{V: MessageVersion, Owner: u.owner, Drop: rec.Drop, Ask: d.NewID(), Importer: s.importer, Extractors: s.extractors, Lane: Lane(rec.Bytes())}, nil
}

// wait gives a Later for what may still grow.
func (d Deps) wait(ctx context.Context, u inboxUnit) error {
	if u.marked || u.whole(d.Inbox) || d.Inbox.Quiet <= 0 {
		return nil
	}
	now, err := storeTime(ctx, d.Store)
	if err != nil {
		return err
	}
	if left := d.Inbox.patience(u, now); left > 0 {
		return &Later{After: max(left, time.Second), Why: "it may not be complete yet"}
	}
	return nil
}

// unusable says why what a task names cannot be taken by anybody.
func (in Inbox) unusable(t TakeTask) error {
	l := in.lies(blob.Object{Key: t.Key, Size: 1})
	switch {
	case l.owner == "" && l.folder():
		return permanent("name the folder by an owner: 1 to 63 characters of a-z, 0-9, _ and -, starting with a letter or digit",
			"take drop: the folder in the inbox is not named by an owner id")
	case l.owner == "":
		return permanent("put it into the folder of its owner, or set owner to whose the inbox's root is",
			"take drop: it lies in the inbox itself, and nobody is the owner of that")
	case l.bad == nil:
		return badObject(errBadName)
	}
	return badObject(l.bad)
}

func badObject(why error) error {
	return permanent("put it there again under a plain name, or packed into one zip", "take drop: an object of it cannot be read: %w", why)
}

// RefusedError is why something in an inbox was not taken, with what its record needs.
type RefusedError struct {
	Unit inboxUnit
	Err  error
}

func (e *RefusedError) Error() string { return e.Err.Error() }

func (e *RefusedError) Unwrap() error { return e.Err }

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
	if err := putJSON(ctx, d.Store, r.Unit.record(), refusedAs(r.Unit, r.Err, d.Now())); err != nil {
		return fmt.Errorf("record refusal: %w", err)
	}
	return nil
}

func (w *Worker) take(ctx context.Context, data []byte) error {
	t, err := decodeTask[TakeTask](data)
	if err != nil {
		return &Fault{Class: Permanent, Err: err}
	}
	return Take(ctx, w.Deps, t, func(ctx context.Context, r Request) error { return submit(ctx, w.Store, w.js, r, w.Limits.OwnerSmall) })
}

func (w *Worker) giveUpTake(ctx context.Context, _ []byte, cause error) error {
	return GiveUpTake(ctx, w.Deps, cause)
}
