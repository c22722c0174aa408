package erase

import (
	"context"
	"maps"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// Tombstones are deletions that came from another store, and that somebody with the authority for
// it accepted.
type Tombstones struct {
	// Memories, Conversations and Files are the ids, and the paths, that they name, whether the
	// store has them or not: what has none of them now stays away later, too.
	Memories, Conversations, Files map[string]bool
	// Cover tells whether a memory that another store wrote goes with what they name.
	Cover func(raw []byte) bool
}

// findTombstoned finds what the store has of what tombstones name.
func (e *finder) findTombstoned(ctx context.Context, head state.Head, in state.Inputs, drops map[string][]string, t *Tombstones, f *found) error {
	maps.Copy(f.dead, t.Memories)
	for _, imports := range drops {
		for _, im := range imports {
			err := e.eachOf(ctx, im, func(_ state.Manifest, one element) error {
				if one.Record != "" && one.record.Kind == extract.RecordPAMMemory && t.Cover(one.record.Raw) {
					f.records[one.text()] = true
					f.addAdopted(one)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	if head.ExportID != "" {
		for m, err := range publish.ExportMemories(ctx, e.Store, e.owner, head) {
			if err != nil {
				return err
			}
			if t.Memories[m.Id] {
				f.memories[m.Id] = true
			}
		}
	}
	f.Memories = len(f.memories)
	maps.Copy(f.conversations, t.Conversations)
	maps.Copy(f.assets, t.Files)
	if len(f.memories) == 0 {
		return nil
	}
	return e.findAllStatements(ctx, in, drops, f)
}
