package erase

import (
	"context"
	"slices"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
)

// addElements adds the elements of other stores that go with the conversations and memories that
// were found (ledger.HasElement).
func (e *finder) addElements(ctx context.Context, drops map[string][]string, f *found) error {
	for _, imports := range drops {
		for _, im := range imports {
			err := e.eachOf(ctx, im, func(_ state.Manifest, one element) error {
				if one.Record != "" && f.hasElement(one) {
					f.records[one.text()] = true
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *found) hasElement(one element) bool {
	raw := one.record.Raw
	switch one.record.Kind {
	case extract.RecordPAMMemory:
		m, err := pamio.ParseMemory(raw)
		return err == nil && (f.memories[m.ID] || f.memories[normalize.MemoryIDOf(m.Type, m.CustomType, m.Content)] || slices.ContainsFunc(m.Conversations(), func(id string) bool { return f.conversations[id] }))
	case extract.RecordPAMRelation:
		r, err := pamio.ParseRelation(raw)
		return err == nil && (f.memories[r.From] || f.memories[r.To])
	case extract.RecordPAMConversation:
		c, err := pamio.ParseIndexEntry(raw)
		return err == nil && f.conversations[c.ID]
	case extract.RecordPAMEmbedding:
		v, err := pamio.ParseEmbedding(raw)
		return err == nil && f.memories[v.MemoryID]
	}
	return false
}
