package state

import (
	"bytes"
	"encoding/json"

	"github.com/pamline/pamline/pamio"
)

// MemoryChanges counts the changes of memories between two exports.
type MemoryChanges struct {
	Added int64 `json:"added"`
	// Removed counts the memories that the new store does not have, not even archived.
	Removed int64 `json:"removed,omitempty"`
	// Status counts changes of status: "active to superseded".
	Status map[string]int64 `json:"status,omitempty"`
	// Evidence counts the memories of equal status whose evidence, confidence or links changed.
	Evidence int64 `json:"evidence,omitempty"`
	// Listed are the first MaxListed changes of memories of the earlier export.
	Listed []MemoryChange `json:"listed,omitempty"`
}

// MemoryChange is the change of one memory.
type MemoryChange struct {
	Memory string `json:"memory"`
	// From and To are statuses (PAM §7); To is "" for a removed memory. They are equal if only the
	// evidence changed.
	From string `json:"from"`
	To   string `json:"to,omitempty"`
	// Reason is metadata.status_reason; By is the memory that replaces it.
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`
}

// AddRemoved counts a memory that the new store lacks.
func (c *MemoryChanges) AddRemoved(old MemoryState) {
	c.Removed++
	c.list(MemoryChange{Memory: old.Id, From: old.Status})
}

// Kept counts a memory that is in both exports.
func (c *MemoryChanges) Kept(old, now MemoryState) error {
	if bytes.Equal(old.Raw, now.Raw) {
		return nil
	}
	if old.Status == now.Status {
		c.Evidence++
		c.list(MemoryChange{Memory: now.Id, From: old.Status, To: now.Status})
		return nil
	}
	m, err := pamio.ParseMemory(now.Raw)
	if err != nil {
		return err
	}
	var meta struct {
		Reason    string `json:"status_reason"`
		Duplicate string `json:"duplicate_of"`
	}
	if m.Metadata != nil {
		if err := json.Unmarshal(m.Metadata, &meta); err != nil {
			return err
		}
	}
	if c.Status == nil {
		c.Status = map[string]int64{}
	}
	c.Status[old.Status+" to "+now.Status]++
	by := m.Temporal.SupersededBy
	if by == "" {
		by = meta.Duplicate
	}
	c.list(MemoryChange{Memory: now.Id, From: old.Status, To: now.Status, Reason: meta.Reason, By: by})
	return nil
}

func (c *MemoryChanges) list(one MemoryChange) {
	if len(c.Listed) < MaxListed {
		c.Listed = append(c.Listed, one)
	}
}

// MemoryState is a memory of an export, with its text.
type MemoryState struct {
	Id, Status string
	Raw        []byte
}
