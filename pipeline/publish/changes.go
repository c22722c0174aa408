package publish

import (
	"bytes"
	"context"
	"errors"
	"iter"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

var errEnough = errors.New("read store: enough")

// memoryChanges compares two exports, whose memories ascend by id.
func memoryChanges(ctx context.Context, s blob.Store, owner string, before, after state.Head) (*state.MemoryChanges, error) {
	c := &state.MemoryChanges{}
	next, stop := iter.Pull2(ExportMemories(ctx, s, owner, before))
	defer stop()
	old, err, more := next()
	for now, failed := range ExportMemories(ctx, s, owner, after) {
		if failed != nil {
			return nil, failed
		}
		for ; more && err == nil && old.Id < now.Id; old, err, more = next() {
			c.AddRemoved(old)
		}
		if err != nil {
			return nil, err
		}
		if !more || old.Id != now.Id {
			c.Added++
			continue
		}
		if err := c.Kept(old, now); err != nil {
			return nil, err
		}
		old, err, more = next()
	}
	for ; more && err == nil; old, err, more = next() {
		c.AddRemoved(old)
	}
	return c, err
}

// ExportMemories are the memories of the export of a head; of none when it has no export.
func ExportMemories(ctx context.Context, s blob.Store, owner string, h state.Head) iter.Seq2[state.MemoryState, error] {
	return func(yield func(state.MemoryState, error) bool) {
		if h.ExportID == "" {
			return
		}
		rc, err := OpenExport(ctx, s, owner, h)
		if err != nil {
			yield(state.MemoryState{}, err)
			return
		}
		defer rc.Close()
		stopped := false
		err = pamio.ReadStore(rc, pamio.Visitor{Memory: func(e pamio.Element) error {
			m, err := pamio.ParseMemory(e.Raw)
			if err == nil && !yield(state.MemoryState{Id: m.ID, Status: m.Status, Raw: bytes.Clone(e.Raw)}, nil) {
				stopped = true
				return errEnough
			}
			return err
		}})
		if stopped {
			return
		}
		if err := rc.Finish(err); err != nil {
			yield(state.MemoryState{}, err)
		}
	}
}

// OpenExport opens the store that a head names. It is verified at its end.
func OpenExport(ctx context.Context, s blob.Store, owner string, h state.Head) (*objects.VerifiedReader, error) {
	key := state.ExportKey(owner, h.ExportID, ".json")
	rc, err := objects.OpenVerified(ctx, s, key, h.Store)
	return rc, objects.Lost(key, err)
}
