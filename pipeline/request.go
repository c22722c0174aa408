package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// Why no request for a drop is lost, and why of two the newer wins.
//
// Every request has a name that no other has (Request.Ask) and a record under it, work/<owner>/requests/<drop>.<name>.json.
// Stores have no conditional removal. So no key is written for a second request, and whoever ends one removes its key without
// a look: however late that comes, it takes no other's.
//
// Who asks writes the record first and the message second. Who ends writes the result first (head, receipt, dead letter) and
// removes the record last. So a message whose request has a record belongs to what is open, and one whose request has none is
// old: what was asked for has ended, or a newer request has taken its place. A record without a message is found by Reconcile.
//
// Of several that are open the newest counts, by the time at which the store wrote their records, and among equal times by
// their keys: everybody who lists them sees the same one. Whoever begins to work for a request (ingest, a redrive, Reconcile)
// first lists them and removes the older ones (supersede), and leaves off if its own is not the newest. A crash between writing
// a record and removing older ones is made good by whoever lists them next, before anything else is done for the newest.
//
// Messages of an import carry the name of their request. The assembler lists the requests after it has read the head and before
// it swaps it, and does nothing for one that is not the newest. One that comes after that list takes the older ones away before
// it does anything itself, and before that makes sure that the head is another one than that which their assemblers have read
// (fence): it may end without a swap of its own, because the store already has what it asks for. So a swap for an older
// request comes before, and the newer one finds its result and replaces it, or it fails, and the next list shows why. What the
// store has already is not undone by assembling it once more, so that an import whose worker died right after the swap still
// gets its receipt.
//
// The same archive put again, and a redrive, are new requests for the import that an older one is being made for. Its messages
// are not sent again: they carry the older name, and whoever finds that gone goes on on behalf of the newest open request,
// if this would be read as the import was (wanted).
//
// A request of an older version has no name. Its record is work/<owner>/requests/<drop>.json, its messages name it by a digest
// of its words, and ending it looks before it removes, as those versions do.

// openRequest is a request whose record is in storage: it has not ended. It is known by its key alone.
type openRequest struct {
	owner, drop, key string
	since            time.Time // by the clock of storage
}

// openRequestAt gives the request that an object is the record of; ok is false when it is no record. What lies among them
// under another name is a request that nobody can read: its drop is that name.
func openRequestAt(o blob.Object) (r openRequest, ok bool) {
	owner, rest, _ := strings.Cut(strings.TrimPrefix(o.Key, "work/"), "/")
	name, ok := strings.CutPrefix(rest, "requests/")
	if !ok || state.CheckOwner(owner) != nil {
		return r, false
	}
	name = strings.TrimSuffix(name, ".json")
	drop, ask, _ := strings.Cut(name, ".")
	if state.AskKey(owner, drop, ask) != o.Key {
		drop = name
	}
	return openRequest{owner, drop, o.Key, o.ModTime}, true
}

// openAsks lists the open requests for a drop, the newest last.
func openAsks(ctx context.Context, s blob.Store, owner, drop string) (open []openRequest, err error) {
	for o, err := range s.List(ctx, state.RequestPrefix(owner)+drop+".") {
		if err != nil {
			return nil, fmt.Errorf("list requests for drop %s: %w", drop, err)
		}
		if r, ok := openRequestAt(o); ok && r.drop == drop {
			open = append(open, r)
		}
	}
	slices.SortFunc(open, openRequest.compare)
	return open, nil
}

// compare puts the newer of two requests last.
func (r openRequest) compare(o openRequest) int {
	return cmp.Or(r.since.Compare(o.since), cmp.Compare(r.key, o.key))
}

// supersede gives the newest of the open requests for one drop, of which there is at least one, and removes the others.
func supersede(ctx context.Context, s blob.Store, open []openRequest) (openRequest, error) {
	newest := slices.MaxFunc(open, openRequest.compare)
	if len(open) > 1 {
		if err := fence(ctx, s, newest.owner, newest.drop); err != nil {
			return newest, err
		}
	}
	for _, o := range open {
		if o.key == newest.key {
			continue
		}
		if err := s.Delete(ctx, o.key); err != nil {
			return newest, fmt.Errorf("remove superseded request: %w", err)
		}
	}
	return newest, nil
}

// fence lets the swaps of those fail who have read the head before, if it has a result of the drop; it names the same as before.
func fence(ctx context.Context, s blob.Store, owner, drop string) error {
	head, tag, err := state.ReadHead(ctx, s, owner)
	if err != nil {
		return err
	}
	inputs, err := state.ReadInputs(ctx, s, owner, head)
	if err != nil || inputs.Drops[drop] == "" {
		return err // nobody ends without a swap
	}
	head.Sequence++
	if err := state.SwapJSON(ctx, s, state.HeadKey(owner), tag, head); !errors.Is(err, blob.ErrPrecondition) {
		return err
	}
	return nil // it is another one already
}

// stillOpen reads the record of a request; ok is false when it has ended meanwhile.
func stillOpen(ctx context.Context, s blob.Store, open openRequest) (r state.Request, ok bool, err error) {
	_, err = state.ReadJSON(ctx, s, open.key, &r)
	if state.IsMissing(err) {
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}
	if r.Owner != open.owner || r.Check() != nil || state.AskKey(r.Owner, r.Drop, r.Ask) != open.key {
		return r, false, fault.Permanentf(state.UnusableHint(open.key), "read request %s: it names another owner or drop", open.key)
	}
	return r, true, nil
}

// requestOf gives the newest open request for a drop; ok is false when there is none.
func requestOf(ctx context.Context, s blob.Store, owner, drop string) (r state.Request, ok bool, err error) {
	open, err := openAsks(ctx, s, owner, drop)
	for i := len(open) - 1; i >= 0 && err == nil && !ok; i-- {
		r, ok, err = stillOpen(ctx, s, open[i])
	}
	return r, ok, err
}

// is tells whether a request is the one of a name.
func (r openRequest) is(ctx context.Context, s blob.Store, ask string) (bool, error) {
	if key := state.AskKey(r.owner, r.drop, ask); r.key != key || key != state.RequestKey(r.owner, r.drop) {
		return r.key == key, nil
	}
	return asked(ctx, s, r.owner, r.drop, ask) // the words alone tell one from another that had this key
}

// asked tells whether the request of a name is open.
func asked(ctx context.Context, s blob.Store, owner, drop, ask string) (bool, error) {
	key := state.AskKey(owner, drop, ask)
	if key != state.RequestKey(owner, drop) {
		return state.Exists(ctx, s, key)
	}
	var r state.Request
	_, err := state.ReadJSON(ctx, s, key, &r)
	if state.IsMissing(err) {
		return false, nil
	}
	return err == nil && r.Name() == ask, err
}

// endRequest removes the record of the request of a name, if it is there. Of requests without a name, "" ends any.
func endRequest(ctx context.Context, s blob.Store, owner, drop, ask string) error {
	key := state.AskKey(owner, drop, ask)
	if key == state.RequestKey(owner, drop) && ask != "" {
		if same, err := asked(ctx, s, owner, drop, ask); err != nil || !same {
			return err
		}
	}
	return s.Delete(ctx, key)
}
