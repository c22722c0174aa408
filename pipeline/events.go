package pipeline

import (
	"context"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// A notification is a hint and no more: what it says of an object is asked of the store again, and what no notification tells of
// is found by the next listing.

// hint is what a notification tells of one object.
type hint struct {
	inbox ownerInbox
	// keys are what the object may be called, all in that inbox, the likeliest first.
	keys []string
}

// told asks the store for the object that a hint means, and makes the task for it; ok is false when it has gone again.
func (d Deps) told(ctx context.Context, h hint) (t TakeTask, ok bool, err error) {
	for _, key := range h.keys {
		o, err := d.Store.Head(ctx, key)
		if state.IsMissing(err) {
			continue // it is called otherwise
		}
		if err != nil {
			return t, false, err
		}
		l := d.Inbox.lies(blob.Object{Key: key, Size: 1})
		return TakeTask{V: state.MessageVersion, Owner: l.owner, Key: l.unit, Lane: Lane(o.Size)}, true, nil
	}
	return t, false, nil
}
