package normalize

import (
	"encoding/json"

	"github.com/google/uuid"

	"github.com/pamline/pamline/pamio"
)

// MemoryIDRules is the version of the rule that names memories. It is frozen: a memory keeps its id
// for ever.
const MemoryIDRules = 1

// memorySpace is the UUIDv5 namespace of memory ids.
var memorySpace = uuid.MustParse("a3f0c1de-5b7e-5d0a-8c41-2e9a6d5b7f13")

// MemoryID is the id of a memory: UUIDv5 over its type, its custom type and its content hash (PAM
// §6), with a NUL between them.
func MemoryID(typ, customType, contentHash string) string {
	return uuid.NewSHA1(memorySpace, []byte(typ+"\x00"+customType+"\x00"+contentHash)).String()
}

// MemoryIDOf is the id of the memory that a statement makes. A memory of another store that says
// the same has an id of its own, too.
func MemoryIDOf(typ, customType, content string) string {
	return MemoryID(typ, customType, pamio.ContentHash(content))
}

// MemoryID is the id of the memory that the candidate makes. It is that of its statement, but for
// an event of which no word says when it happened: "Moved to a new flat.", told in 2021 and in
// 2024, are two events. The occasion stands behind the hash, with a NUL between them.
func (c *Candidate) MemoryID() string {
	return memoryIDOn(c.Type, c.CustomType, c.Content, c.Occasion())
}

// StatedMemoryID is the id that a memory of a store would have here.
func StatedMemoryID(m *pamio.Memory) string {
	slot, eventTime := StoredSlot(m)
	return memoryIDOn(m.Type, m.CustomType, m.Content, occasionOf(slot.Attribute, slot.Value, eventTime))
}

// StoredSlot gives the slot and the event time that the metadata of a memory have; "" for none.
func StoredSlot(m *pamio.Memory) (slot Slot, eventTime string) {
	var meta struct {
		EventTime string `json:"event_time"`
		Slot      struct {
			Attribute string `json:"attribute"`
			Value     string `json:"value"`
		} `json:"slot"`
	}
	if json.Unmarshal(m.Metadata, &meta) != nil {
		return Slot{}, ""
	}
	return Slot{Attribute: meta.Slot.Attribute, Value: meta.Slot.Value}, meta.EventTime
}

func memoryIDOn(typ, customType, content, occasion string) string {
	hash := pamio.ContentHash(content)
	if occasion != "" {
		hash += "\x00" + occasion
	}
	return MemoryID(typ, customType, hash)
}
