package ledger

import (
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// HasElement tells whether an element of another store goes with what was erased: a memory, and one
// of which an erased conversation is evidence; the entry of a conversation; the relations and
// vectors of a memory. Such an element is kept as it is or not at all. at is the time that it is
// of.
func (l *Ledger) HasElement(kind string, raw []byte, at string) bool {
	if l.IsEmpty() {
		return false
	}
	isErased := func(id string) bool { return l.HasMemory(id, at) || l.HasTombstone(id) }
	switch kind {
	case extract.RecordPAMMemory:
		m, err := pamio.ParseMemory(raw)
		if err != nil {
			return false
		}
		for _, id := range m.Conversations() {
			if l.Has(Conversation, id) {
				return true
			}
		}
		return isErased(m.ID) || l.HasMemory(normalize.MemoryIDOf(m.Type, m.CustomType, m.Content), at)
	case extract.RecordPAMRelation:
		r, err := pamio.ParseRelation(raw)
		return err == nil && (isErased(r.From) || isErased(r.To))
	case extract.RecordPAMConversation:
		e, err := pamio.ParseIndexEntry(raw)
		return err == nil && l.HasConversation(e.ID, e.Temporal.CreatedAt)
	case extract.RecordPAMEmbedding:
		e, err := pamio.ParseEmbedding(raw)
		return err == nil && isErased(e.MemoryID)
	}
	return false
}
