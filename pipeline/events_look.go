package pipeline

import (
	"context"
	"encoding/hex"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// look looks through an inbox of which more notifications came than may wait, or one that came again. One look of an inbox runs
// at a time; what comes meanwhile asks for another.
func (in *intake) look(q *inboxQueue) {
	in.pass()
	in.mu.Lock()
	n := q.wanted
	q.wanted = nil
	q.looking = n != nil
	in.mu.Unlock()
	if n != nil {
		err, kept := n.begin(), false
		if err == nil {
			err = fault.Recovered("run "+telemetry.StageEvents, func() error { return in.lookThrough(n.account.ctx, q.ownerInbox) })
			if fault.Of(err) == fault.Outage {
				kept, err = in.wantAgain(q, n, err)
			}
		}
		if !kept {
			n.release(err)
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	q.looking = false
	if q.wanted != nil {
		in.enlistLocked(&in.looks, func() { in.look(q) })
		return
	}
	q.flooded = false
	in.tidy(q.ownerInbox, q)
}

// wantAgain keeps the notice of a look that met an outage for the next try: others were acknowledged for its sake. When one is
// asked for already, that will do; when nothing new is to be begun, the error stays.
func (in *intake) wantAgain(q *inboxQueue, n *notice, err error) (kept bool, _ error) {
	in.w.gates[telemetry.StageEvents].left(true, in.w.Backoff)
	in.w.Log.Warn("storage or NATS is out; looking through an owner's inbox waits", zap.String("owner", q.owner), zap.String("error", fault.Loggable(err)))
	in.mu.Lock()
	defer in.mu.Unlock()
	switch {
	case in.stopped:
		return false, err
	case q.wanted != nil:
		return false, nil
	}
	q.wanted = n
	return true, nil
}

// lookThrough lists an inbox beside its records and queues a task for whatever has none, as a pass does for all inboxes
// ([ScanInbox]). Folders without a marker and the records of what has gone are left to the pass: no notification is about them.
// The records are listed first: of what is taken meanwhile a second task is queued, whose work is done.
func (in *intake) lookThrough(ctx context.Context, p ownerInbox) error {
	ctx, done := telemetry.StartSpan(ctx, in.w.Tracer, "look")
	asked, queued, err := lookThrough(ctx, in.w.Deps, p, in.ask())
	done(err)
	if err != nil {
		return err
	}
	in.w.gates[telemetry.StageEvents].left(false, in.w.Backoff)
	in.w.Log.Info("many notifications of an owner, or one that came again: their inbox was looked through instead",
		zap.String("owner", p.owner), zap.Int("new", asked), zap.Int("queued", queued))
	return nil
}

// ask queues the tasks of one look; queued tells that there is one for the same thing already.
func (in *intake) ask() func(ctx context.Context, t TakeTask) (queued bool, err error) {
	q := &ownerQueue{}
	return func(ctx context.Context, t TakeTask) (bool, error) {
		return q.Ask(ctx, in.w.js, t, in.w.Limits.OwnerSmall)
	}
}

func lookThrough(ctx context.Context, d Deps, p ownerInbox, ask func(context.Context, TakeTask) (bool, error)) (asked, queued int, err error) {
	records := map[[16]byte]struct{}{}
	for r, err := range takenRecords(ctx, d.Store, p.Records()) {
		if err != nil {
			return 0, 0, err
		}
		_, id, _ := takenID(r.Key)
		records[recordID(id)] = struct{}{}
	}
	for u, err := range inboxUnits(ctx, d.Store, d.Inbox, p.prefix(), 0) {
		if err != nil {
			return asked, queued, err
		}
		if _, taken := records[recordID(u.id)]; taken || !p.has(u) || u.folder() && !u.marked {
			continue
		}
		waits, err := ask(ctx, u.task())
		switch {
		case err != nil:
			return asked, queued, err
		case waits:
			queued++
		default:
			asked++
		}
	}
	return asked, queued, nil
}

// recordID is the id of a record in as few bytes as it has.
func recordID(id string) (out [16]byte) {
	_, _ = hex.Decode(out[:], []byte(id)) // 32 digits, or it is the id of no record
	return out
}
