package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// How the failures of an import are tried again, by several people and workers at once, and why nothing is lost by it.
//
// Markers and receipts are swapped, never removed, for a removal that comes late takes what somebody else has written since. Who
// asks for an import once more (a redrive, a drop that is read again)
//
//  1. records a request,
//  2. swaps the markers of the failed shards to MarkerAgain, each only if it is still the failed one that was looked at,
//  3. swaps the receipt to one that names the request in Reopened and is the same else: it stays the account of what was,
//  4. looks whether the request is still open, and begins anew with another one if somebody has ended it meanwhile (insist),
//  5. queues what has no marker, and asks for the assembly if all have one.
//
// Who assembles reads the receipt, then the markers, and leaves the import alone while one of them says again: whoever writes the
// last marker looks afterwards, and so does the asker (5), so that one of them sees that all are there. Behind the swap of the head
// the receipt is swapped, too, from the one that was read: all that was taken back before that one stands in the markers. If it is
// another one by now, somebody has asked or ended since, and the markers are read once more (writeReceipt). Then the request of the
// message has ended, and that in Reopened: 2 comes before 3. Of a request that came otherwise (its asker is between 1 and 3, or found no receipt, for
// the import had not ended the first time) nobody can tell whether its failures were tried again. So whoever has ended an import of
// which something failed ends no request with it that may be such a one (mayBeAskedFor), looks at last for an open request that comes
// to it, and has the drop read again for that (Receipt.next).

// takeBack swaps the marker of a shard whose memories are missing to one that says that it is tried again.
func takeBack(ctx context.Context, s blob.Store, owner, id, shard string) error {
	key := state.MarkerKey(owner, id, shard)
	for {
		var m state.Marker
		tag, err := state.ReadJSON(ctx, s, key, &m)
		if state.IsMissing(err) {
			return nil // nobody has done it, or it ended well and its work has gone
		}
		if err != nil && fault.Of(err) != fault.Permanent { // one that cannot be read says nothing
			return err
		}
		if _, failed := m.Failure(); err == nil && (!failed || !m.Final()) {
			return nil
		}
		if err := state.SwapJSON(ctx, s, key, tag, state.Marker{V: 1, State: state.MarkerAgain}); !errors.Is(err, blob.ErrPrecondition) {
			return err
		}
	}
}

// takeAllBack takes back all that an import has ended without, for a request; ended: there is nothing to try, for it has ended well.
func takeAllBack(ctx context.Context, s blob.Store, m state.Manifest, ask string) (ended bool, err error) {
	r, ok, err := state.ReadReceipt(ctx, s, m.Owner, m.Import)
	if err != nil || !ok || r.Reopened == ask {
		return false, err // with this name in it, it was done before
	}
	var failed []string
	for _, f := range r.Extraction.Failed {
		failed = append(failed, f.Shard)
	}
	if r.State == state.StateFailed { // it was given up while it was assembled, and names none
		for _, shard := range m.Shards {
			failed = append(failed, shard.ID)
		}
	}
	for _, shard := range failed {
		if err := takeBack(ctx, s, m.Owner, m.Import, shard); err != nil {
			return false, err
		}
	}
	return reopen(ctx, s, m.Owner, m.Import, ask)
}

// reopen names a request in the receipt of an import that is tried again for it; whole: there is nothing to try, for the import has
// ended well. One without a receipt has not ended.
func reopen(ctx context.Context, s blob.Store, owner, id, ask string) (whole bool, err error) {
	key := state.ReceiptKey(owner, id)
	for {
		var r state.Receipt
		tag, err := state.ReadJSON(ctx, s, key, &r)
		if state.IsMissing(err) {
			return false, nil
		}
		if err != nil || r.Whole() {
			return err == nil, err
		}
		if r.Reopened == ask {
			return false, nil
		}
		r.Reopened = ask
		if err := state.SwapJSON(ctx, s, key, tag, r); !errors.Is(err, blob.ErrPrecondition) {
			return false, err
		}
	}
}

// insist undoes what says that something of an import has failed, on behalf of a request that is open. Where work for another
// request has ended this one before that was undone, it asks once more and does it again. It gives the request that is open then; ok
// is false when the drop is wanted in another way, or has another result since.
func insist(ctx context.Context, d Deps, m state.Manifest, r state.Request, undo func(state.Request) error, ask func() (state.Request, bool, error)) (_ state.Request, ok bool, err error) {
	for range swapTries {
		if err := undo(r); err != nil {
			return r, false, err
		}
		if open, err := asked(ctx, d.Store, r.Owner, r.Drop, r.Name()); err != nil || open {
			return r, open, err
		}
		_, some, err := requestOf(ctx, d.Store, r.Owner, r.Drop)
		if err != nil {
			return r, false, err
		}
		if !some { // it was ended with this import, or by one that was newer and has ended, too
			if replaced, err := isReplaced(ctx, d, m); err != nil || replaced {
				return r, false, err
			}
		}
		if r, ok, err = askUnlessReplaced(ctx, d, m, m.Import, ask); err != nil || !ok {
			return r, false, err
		}
	}
	return r, false, &fault.Fault{Class: fault.Outage, Err: fmt.Errorf("ask for drop %s again: others ended it %d times", r.Drop, swapTries), Hint: "several ask for the same drop at once; ask again when they are done"}
}

// askUnlessReplaced asks for an import, and takes that back when another one has become the result of its drop just before, in the
// place of that before. Where the request has taken the place of others it stays: they came after that, and wanted the same.
func askUnlessReplaced(ctx context.Context, d Deps, m state.Manifest, before string, ask func() (state.Request, bool, error)) (r state.Request, ok bool, err error) {
	if r, ok, err = ask(); err != nil || !ok || len(r.Over) > 0 {
		return r, ok, err
	}
	now, err := acceptedImport(ctx, d.Store, r.Owner, r.Drop)
	if err != nil || now == "" || now == before || now == m.Import {
		return r, err == nil, err
	}
	return r, false, endRequest(ctx, d.Store, r.Owner, r.Drop, r.Name())
}

// marked tells whether a shard has a marker that counts.
func marked(ctx context.Context, s blob.Store, owner, id, shard string) (bool, error) {
	o, err := s.Head(ctx, state.MarkerKey(owner, id, shard))
	if state.IsMissing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return counts(ctx, s, o)
}

// counts tells whether an object among the markers is one that counts. One so small that cannot be read is none, as for whoever has
// its shard in hand.
func counts(ctx context.Context, s blob.Store, o blob.Object) (bool, error) {
	if o.Size >= state.TakenBackSize {
		return true, nil
	}
	var m state.Marker
	_, err := state.ReadJSON(ctx, s, o.Key, &m)
	if state.IsMissing(err) || fault.Of(err) == fault.Permanent {
		return false, nil
	}
	return err == nil && m.Final(), err
}

// markedShards are the shards of an import with a marker that counts.
func markedShards(ctx context.Context, s blob.Store, owner, id string) (map[string]bool, error) {
	out := map[string]bool{}
	prefix := state.WorkKey(owner, id, "markers/")
	for o, err := range s.List(ctx, prefix) {
		if err != nil {
			return nil, fmt.Errorf("list markers: %w", err)
		}
		ok, err := counts(ctx, s, o)
		if err != nil {
			return nil, err
		}
		if ok {
			out[strings.TrimSuffix(strings.TrimPrefix(o.Key, prefix), ".json")] = true
		}
	}
	return out, nil
}
