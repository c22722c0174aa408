package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
)

// MemoryChanges say what became of the memories of the store before.
type MemoryChanges struct {
	Added int64 `json:"added"`
	// Removed are those that the new store does not have at all: what nothing tells any more, and nothing told when it was kept.
	Removed int64 `json:"removed,omitempty"`
	// Status counts changes of status: "active to superseded".
	Status map[string]int64 `json:"status,omitempty"`
	// Evidence counts those whose status is the same and whose evidence, confidence or links changed.
	Evidence int64 `json:"evidence,omitempty"`
	// Listed are the first MaxListed changes of those that were there before.
	Listed []MemoryChange `json:"listed,omitempty"`
}

// MemoryChange is what became of one.
type MemoryChange struct {
	Memory string `json:"memory"`
	// From and To are statuses (PAM §7); To is "" when it was removed. They are equal when only the evidence changed.
	From string `json:"from"`
	To   string `json:"to,omitempty"`
	// Reason is metadata.status_reason, By the memory that took its place.
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`
}

var errEnough = errors.New("read store: enough")

// memoryChanges compares two exports, whose memories ascend by id.
func memoryChanges(ctx context.Context, s blob.Store, owner, before, after string) (*MemoryChanges, error) {
	c := &MemoryChanges{}
	next, stop := iter.Pull2(exportMemories(ctx, s, owner, before))
	defer stop()
	old, err, more := next()
	for now, failed := range exportMemories(ctx, s, owner, after) {
		if failed != nil {
			return nil, failed
		}
		for ; more && err == nil && old.id < now.id; old, err, more = next() {
			c.removed(old)
		}
		if err != nil {
			return nil, err
		}
		if !more || old.id != now.id {
			c.Added++
			continue
		}
		if err := c.kept(old, now); err != nil {
			return nil, err
		}
		old, err, more = next()
	}
	for ; more && err == nil; old, err, more = next() {
		c.removed(old)
	}
	return c, err
}

func (c *MemoryChanges) removed(old stateOf) {
	c.Removed++
	c.list(MemoryChange{Memory: old.id, From: old.status})
}

// kept counts what is in both.
func (c *MemoryChanges) kept(old, now stateOf) error {
	if bytes.Equal(old.raw, now.raw) {
		return nil
	}
	if old.status == now.status {
		c.Evidence++
		c.list(MemoryChange{Memory: now.id, From: old.status, To: now.status})
		return nil
	}
	m, err := pamio.ParseMemory(now.raw)
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
	c.Status[old.status+" to "+now.status]++
	by := m.Temporal.SupersededBy
	if by == "" {
		by = meta.Duplicate
	}
	c.list(MemoryChange{Memory: now.id, From: old.status, To: now.status, Reason: meta.Reason, By: by})
	return nil
}

func (c *MemoryChanges) list(one MemoryChange) {
	if len(c.Listed) < MaxListed {
		c.Listed = append(c.Listed, one)
	}
}

// stateOf is a memory of an export, with its text.
type stateOf struct {
	id, status string
	raw        []byte
}

// exportMemories are the memories of an export; of none when it has no id.
func exportMemories(ctx context.Context, s blob.Store, owner, export string) iter.Seq2[stateOf, error] {
	return func(yield func(stateOf, error) bool) {
		if export == "" {
			return
		}
		rc, _, err := s.Get(ctx, exportKey(owner, export, ".json"), blob.Range{})
		if err != nil {
			yield(stateOf{}, err)
			return
		}
		defer rc.Close()
		stopped := false
		err = pamio.ReadStore(rc, pamio.Visitor{Memory: func(e pamio.Element) error {
			m, err := pamio.ParseMemory(e.Raw)
			if err == nil && !yield(stateOf{m.ID, m.Status, bytes.Clone(e.Raw)}, nil) {
				stopped = true
				return errEnough
			}
			return err
		}})
		if err != nil && !stopped {
			yield(stateOf{}, err)
		}
	}
}
