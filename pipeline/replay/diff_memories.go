package replay

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// MemoryDiff is how the memories of two exports differ (docs/resolution.md).
type MemoryDiff struct {
	Added       Changes[MemoryLine] `json:"added"`
	Evidence    Changes[MemoryLine] `json:"evidence"` // the status is the same; evidence, confidence, links or times are not
	Superseded  Changes[MemoryLine] `json:"superseded"`
	Archived    Changes[MemoryLine] `json:"archived"`
	Retired     Changes[MemoryLine] `json:"retired"` // retracted or deprecated
	Reactivated Changes[MemoryLine] `json:"reactivated"`
	// Removed memories are not in the store any more.
	Removed Changes[MemoryLine] `json:"removed"`
}

// MemoryLine is a memory at a glance.
type MemoryLine struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Content string `json:"content"`
	// From and To are its statuses; From is "" when it was added, To when it was removed.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Reason is metadata.status_reason, By the memory that has replaced it.
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`
}

func (m *MemoryDiff) count() int64 {
	return m.Added.Count + m.Evidence.Count + m.Superseded.Count + m.Archived.Count + m.Retired.Count + m.Reactivated.Count + m.Removed.Count
}

func (m *MemoryDiff) read(ctx context.Context, s blob.Store, owner string, before, after state.Head, limit int) error {
	id := func(m state.MemoryState) string { return m.Id }
	return sideBySide(publish.ExportMemories(ctx, s, owner, before), publish.ExportMemories(ctx, s, owner, after), id, func(old, now *state.MemoryState) error {
		if old != nil && now != nil && bytes.Equal(old.Raw, now.Raw) {
			return nil
		}
		shown := now
		if shown == nil {
			shown = old
		}
		line, err := memoryLine(*shown)
		if err != nil {
			return err
		}
		if old != nil {
			line.From = old.Status
		}
		if now != nil {
			line.To = now.Status
		}
		m.kindOf(line).add(line, limit)
		return nil
	})
}

// kindOf gives the kind of change of a memory.
func (m *MemoryDiff) kindOf(l MemoryLine) *Changes[MemoryLine] {
	switch {
	case l.From == "":
		return &m.Added
	case l.To == "":
		return &m.Removed
	case l.From == l.To:
		return &m.Evidence
	}
	switch l.To {
	case "active":
		return &m.Reactivated
	case "superseded":
		return &m.Superseded
	case "archived":
		return &m.Archived
	}
	return &m.Retired
}

func memoryLine(s state.MemoryState) (MemoryLine, error) {
	p, err := pamio.ParseMemory(s.Raw)
	if err != nil {
		return MemoryLine{}, err
	}
	var meta struct {
		Reason    string `json:"status_reason"`
		Duplicate string `json:"duplicate_of"`
	}
	if p.Metadata != nil {
		if err := json.Unmarshal(p.Metadata, &meta); err != nil {
			return MemoryLine{}, err
		}
	}
	return MemoryLine{
		ID: p.ID, Type: cmp.Or(p.CustomType, p.Type), Content: p.Content, Reason: meta.Reason, By: cmp.Or(p.Temporal.SupersededBy, meta.Duplicate),
	}, nil
}
