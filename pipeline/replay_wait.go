package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// Handed is a request that others work on, and what storage said before it was theirs: enough to see in storage that it
// has ended, and how.
type Handed struct {
	Request state.Request
	limits  state.Limits
	// before is the accepted import of the drop, "" for none.
	before string
	// head is when the owner's head was written.
	head time.Time
	// refused is when the receipt was written that the request would leave if it is refused.
	refused time.Time
	// asked is when the record of the request was written; zero until it was seen.
	asked time.Time
}

// HandOver looks at storage; call it before the request is submitted.
func HandOver(ctx context.Context, d Deps, r state.Request) (*Handed, error) {
	h := &Handed{Request: r, limits: d.Limits}
	var err error
	if h.before, err = acceptedImport(ctx, d.Store, r.Owner, r.Drop); err != nil {
		return nil, err
	}
	if h.head, err = writtenAt(ctx, d.Store, state.HeadKey(r.Owner)); err != nil {
		return nil, err
	}
	h.refused, err = writtenAt(ctx, d.Store, state.ReceiptKey(r.Owner, h.refusal()))
	return h, err
}

func (h *Handed) refusal() string {
	return refusal(Deps{Limits: h.limits}, h.Request, state.DropRecord{}, publish.ErrEnough).Import
}

// Changed tells whether an import took the place of another, or is the first that the store has of its drop.
func (h *Handed) Changed(r state.Receipt) bool {
	return (r.State == state.StateDone || r.State == state.StateLosses) && r.Import != h.before
}

// Told tells whether the receipt says what the request did to the store: an import that had ended before keeps the receipt
// that it had.
func (h *Handed) Told(ctx context.Context, s blob.Store, r state.Receipt) (bool, error) {
	at, err := writtenAt(ctx, s, state.ReceiptKey(r.Owner, r.Import))
	return at.After(h.head), err
}

// Ended tells whether the request has ended, and with it the newer ones that have taken its place, and gives the receipt of the
// import that they ended in. It costs one question while the request is open. Ask once as soon as the request is submitted: a
// failure is told from an older one by the time at which the request was seen.
func (h *Handed) Ended(ctx context.Context, d Deps) (r state.Receipt, ended bool, err error) {
	owner, drop := h.Request.Owner, h.Request.Drop
	at, err := writtenAt(ctx, d.Store, state.AskKey(owner, drop, h.Request.Ask))
	if err == nil && at.IsZero() {
		var others []openRequest
		if others, err = openAsks(ctx, d.Store, owner, drop); len(others) > 0 {
			at = others[0].since
		}
	}
	if err != nil {
		return r, false, err
	}
	if !at.IsZero() {
		if h.asked.IsZero() {
			h.asked = at
		}
		return r, false, nil
	}
	id, err := acceptedImport(ctx, d.Store, owner, drop)
	if err != nil {
		return r, false, err
	}
	if id == h.before {
		if r, ended, err = h.inVain(ctx, d, id); err != nil || ended {
			return r, ended, err
		}
	}
	r, ok, err := state.ReadReceipt(ctx, d.Store, owner, id)
	if err == nil && !ok {
		err = fmt.Errorf("read receipt of drop %s of %s: it is missing: check that the workers have the same settings as this command", drop, owner)
	}
	return r, true, err
}

// inVain gives the receipt of a request that was refused or given up; ok is false when it was not: then nothing has changed.
func (h *Handed) inVain(ctx context.Context, d Deps, accepted string) (r state.Receipt, ok bool, err error) {
	at, err := writtenAt(ctx, d.Store, state.ReceiptKey(h.Request.Owner, h.refusal()))
	if err != nil {
		return r, false, err
	}
	if !at.IsZero() && (accepted == "" || !at.Equal(h.refused)) {
		return state.ReadReceipt(ctx, d.Store, h.Request.Owner, h.refusal())
	}
	if h.asked.IsZero() {
		return r, false, nil // it was gone at once: there was nothing to do
	}
	// Looking for the receipt of a failure lists all imports of the owner, which is not needed when the accepted result is
	// what the request asks for.
	if _, same, err := new(Notice).unchanged(ctx, d, h.Request); err != nil || same {
		return r, false, err
	}
	return failedSince(ctx, d.Store, h.Request.Owner, h.Request.Drop, h.asked)
}

// acceptedImport is the import whose result the store has of a drop; "" for none.
func acceptedImport(ctx context.Context, s blob.Store, owner, drop string) (string, error) {
	head, _, err := state.ReadHead(ctx, s, owner)
	if err != nil {
		return "", err
	}
	inputs, err := state.ReadInputs(ctx, s, owner, head)
	return inputs.Drops[drop], err
}

// writtenAt is when an object was written; zero when there is none.
func writtenAt(ctx context.Context, s blob.Store, key string) (time.Time, error) {
	o, err := s.Head(ctx, key)
	if state.IsMissing(err) {
		return time.Time{}, nil
	}
	return o.ModTime, err
}

// failedSince gives the receipt of an import of a drop that failed not before a time.
func failedSince(ctx context.Context, s blob.Store, owner, drop string, since time.Time) (r state.Receipt, ok bool, err error) {
	for o, err := range s.List(ctx, state.OwnerKey(owner, "imports/")) {
		if err != nil {
			return r, false, fmt.Errorf("list imports of %s: %w", owner, err)
		}
		_, id, isReceipt := receiptAt(o.Key)
		if !isReceipt || o.ModTime.Before(since) {
			continue
		}
		r, ok, err := state.ReadReceipt(ctx, s, owner, id)
		if err != nil {
			return r, false, err
		}
		if ok && r.Drop == drop && r.State == state.StateFailed {
			return r, true, nil
		}
	}
	return r, false, nil
}
