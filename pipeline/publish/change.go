package publish

import (
	"context"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// recordedChange is what an export changed against the head with a sequence.
type recordedChange struct {
	Since  int64             `json:"since"`
	Change state.StoreChange `json:"change"`
}

// putChange completes the figures of a new export and records them before the head is swapped:
// after a crash behind the swap they are read again. An export that two rounds publish has the
// figures of the round that came last; readers compare its sequence.
func (o Options) putChange(ctx context.Context, r Round, next state.Head, c state.StoreChange) (state.StoreChange, error) {
	c.ExportID, c.Published = next.ExportID, true
	if r.Prior.ExportID == "" {
		c.Changes = &state.MemoryChanges{Added: c.Memories}
	} else {
		var err error
		if c.Changes, err = memoryChanges(ctx, o.Store, r.Owner, r.Prior, next); err != nil {
			return c, err
		}
	}
	return c, objects.PutJSON(ctx, o.Store, state.ChangeKey(r.Owner, next.ExportID), recordedChange{Since: r.Prior.Sequence, Change: c})
}

// ReadChange gives what the swap to a head changed for one of the imports that it accepted, as far
// as it is recorded. If the head has published nothing, or is of another import, only the figures
// of the store are known.
func ReadChange(ctx context.Context, s blob.Store, owner string, h state.Head, id string) (state.StoreChange, error) {
	figures := state.StoreChange{ExportID: h.ExportID, Memories: h.MemoryCount, Conversations: h.ConversationCount}
	var c recordedChange
	_, err := objects.ReadJSON(ctx, s, state.ChangeKey(owner, h.ExportID), &c)
	switch {
	case h.ExportID == "", objects.IsMissing(err):
		return figures, nil
	case err != nil:
		return figures, err
	case c.Since+1 != h.Sequence || c.Change.PerImport[id] == nil:
		return figures, nil
	}
	return c.Change.Of(id), nil
}
