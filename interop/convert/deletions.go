package convert

import (
	"context"

	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pamio"
)

// Deletions are what the tombstones of a .mem bundle name, in terms of PAM.
type Deletions struct {
	// Memories, Conversations and Files are ids, and paths, of what is erased.
	Memories, Conversations, Files map[string]bool
	ledger                         *mem.Ledger
}

// ReadDeletions checks a bundle and reads its tombstones that have an accepted authority.
func ReadDeletions(ctx context.Context, b *mem.Bundle, o mem.MergeOptions) (*Deletions, mem.Merged, error) {
	d := &Deletions{Memories: map[string]bool{}, Conversations: map[string]bool{}, Files: map[string]bool{}}
	var merged mem.Merged
	var err error
	d.ledger, merged, err = mem.ReadTombstones(ctx, b, o, func([]byte) error { return nil })
	if err != nil {
		return nil, merged, err
	}
	d.ledger.Each(func(kind, key string) {
		switch kind {
		case "context", streamConversation, streamDocument:
			d.Conversations[key] = true
		case streamFile:
			d.Files[key] = true
		}
		d.Memories[recordID(kind, key)] = true
	})
	return d, merged, nil
}

// Cover tells whether a memory of a store goes: a tombstone names it, or the record that it was
// made of depends on one that a tombstone names.
func (d *Deletions) Cover(raw []byte) bool { return isCovered(raw, d.ledger) }

// IsErased tells whether a memory goes with what is erased already: it is, or the record that it
// was made of depends on one that is. isErased tells it of an id of a memory.
func IsErased(raw []byte, isErased func(id string) bool) bool {
	return isCovered(raw, mem.LedgerOf(func(kind, key string) bool { return isErased(recordID(kind, key)) }))
}

func isCovered(raw []byte, l *mem.Ledger) bool {
	m, err := pamio.ParseMemory(raw)
	if err != nil {
		return false // an element of another kind
	}
	kind, line := "episode", append(pamio.AppendString([]byte(`{"id":`), m.ID), '}')
	if carried := carrierOf(m, "mem"); carried != nil && carried.Raw != "" {
		kind, line = carried.Kind, []byte(carried.Raw)
	}
	switch kind {
	case "manifest", mem.Tombstone, mem.Audit:
		return false
	}
	fate, _ := l.Judge(kind, line)
	return fate != mem.Kept
}
