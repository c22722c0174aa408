package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// MemoryDiff is what became of the memories (docs/resolution.md).
type MemoryDiff struct {
	Added       Some[MemoryLine] `json:"added"`
	Evidence    Some[MemoryLine] `json:"evidence"` // the status is the same; evidence, confidence, links or times are not
	Superseded  Some[MemoryLine] `json:"superseded"`
	Archived    Some[MemoryLine] `json:"archived"`
	Retired     Some[MemoryLine] `json:"retired"` // retracted or deprecated
	Reactivated Some[MemoryLine] `json:"reactivated"`
	// Removed are not in the store at all any more.
	Removed Some[MemoryLine] `json:"removed"`
}

// MemoryLine is a memory at a glance.
type MemoryLine struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Content string `json:"content"`
	// From and To are its statuses; From is "" when it was added, To when it was removed.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Reason is metadata.status_reason, By the memory that took its place.
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`
}

func (m *MemoryDiff) count() int64 {
	return m.Added.Count + m.Evidence.Count + m.Superseded.Count + m.Archived.Count + m.Retired.Count + m.Reactivated.Count + m.Removed.Count
}

func (m *MemoryDiff) read(ctx context.Context, d Deps, owner, before, after string, limit int) error {
	id := func(s state.MemoryState) string { return s.Id }
	return sideBySide(publish.ExportMemories(ctx, d.Store, owner, before), publish.ExportMemories(ctx, d.Store, owner, after), id, func(old, now *state.MemoryState) error {
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
		m.kind(line).Add(line, limit)
		return nil
	})
}

// kind is where a changed memory belongs.
func (m *MemoryDiff) kind(l MemoryLine) *Some[MemoryLine] {
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
