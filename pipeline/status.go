package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/blob"
)

// Status is what is known of one import at a glance.
type Status struct {
	Import        string   `json:"import"`
	Owner         string   `json:"owner"`
	Drop          string   `json:"drop"`
	State         string   `json:"state"` // waiting, reading, extracting, or a final state of the receipt
	Importers     []string `json:"importers,omitempty"`
	Conversations int64    `json:"conversations"`
	Messages      int64    `json:"messages"`
	Bytes         int64    `json:"bytes"`
	Records       int64    `json:"records"`
	Assets        int64    `json:"assets"`
	Quarantined   int64    `json:"quarantined"`
	Shards        int      `json:"shards"`
	Extracted     int      `json:"extracted"`
	Receipt       string   `json:"receipt,omitempty"` // its key
	// BytesRead of BytesTotal are known from a running service only.
	BytesRead  int64 `json:"bytes_read,omitempty"`
	BytesTotal int64 `json:"bytes_total,omitempty"`
}

// Open tells whether the import has not ended yet.
func (s Status) Open() bool {
	return s.State == StateWaiting || s.State == StateReading || s.State == StateExtracting
}

// The states of an import that has not ended.
const (
	StateWaiting    = "waiting"
	StateReading    = "reading"
	StateExtracting = "extracting"
)

// Owners lists everybody who has a drop, a store or an import.
func Owners(ctx context.Context, s blob.Store) ([]string, error) {
	seen := map[string]bool{}
	for _, prefix := range []string{"owners/", "work/"} {
		for o, err := range s.List(ctx, prefix) {
			if err != nil {
				return nil, fmt.Errorf("list owners: %w", err)
			}
			owner, _, _ := strings.Cut(strings.TrimPrefix(o.Key, prefix), "/")
			if CheckOwner(owner) == nil {
				seen[owner] = true
			}
		}
	}
	var out []string
	for owner := range seen {
		out = append(out, owner)
	}
	slices.Sort(out)
	return out, nil
}

// Imports gives the status of every import of an owner, by import id, and of the requests nobody has opened yet.
func Imports(ctx context.Context, s blob.Store, owner string) ([]Status, error) {
	var out []Status
	ids, packs, err := importIDs(ctx, s, owner)
	if err != nil {
		return nil, err
	}
	begun := map[string]bool{}
	for _, id := range ids {
		st, err := ImportStatus(ctx, s, owner, id)
		if err != nil {
			return nil, err
		}
		if st.State == StateReading {
			st.Shards = packs[id]
		}
		begun[st.Drop] = true
		out = append(out, st)
	}
	for o, err := range s.List(ctx, requestPrefix(owner)) {
		if err != nil {
			return nil, fmt.Errorf("list requests of %s: %w", owner, err)
		}
		drop := strings.TrimSuffix(strings.TrimPrefix(o.Key, requestPrefix(owner)), ".json")
		if !begun[drop] {
			out = append(out, Status{Owner: owner, Drop: drop, State: StateWaiting})
		}
	}
	return out, nil
}

func importIDs(ctx context.Context, s blob.Store, owner string) (ids []string, packs map[string]int, err error) {
	packs = map[string]int{}
	prefix := ownerKey(owner, "imports/")
	for o, err := range s.List(ctx, prefix) {
		if err != nil {
			return nil, nil, fmt.Errorf("list imports of %s: %w", owner, err)
		}
		id, rest, _ := strings.Cut(strings.TrimPrefix(o.Key, prefix), "/")
		if len(ids) == 0 || ids[len(ids)-1] != id {
			ids = append(ids, id)
		}
		if strings.HasSuffix(rest, ".jsonl") && strings.HasPrefix(rest, "snapshots/") {
			packs[id]++
		}
	}
	return ids, packs, nil
}

// ImportStatus gives the status of one import; blob.ErrNotExist when there is none of that id.
func ImportStatus(ctx context.Context, s blob.Store, owner, id string) (Status, error) {
	st := Status{Import: id, Owner: owner, State: StateReading}
	r, final, err := ReadReceipt(ctx, s, owner, id)
	if err != nil {
		return st, err
	}
	if final {
		st.Drop, st.State, st.Importers = r.Drop, r.State, r.Importers
		st.count(r.Counts)
		st.Shards, st.Extracted = r.Extraction.Shards, r.Extraction.Shards
		st.Receipt = receiptKey(owner, id)
		return st, nil
	}
	m, ok, err := readManifest(ctx, s, owner, id)
	if err != nil {
		return st, err
	}
	if ok {
		st.Drop, st.State, st.Importers, st.Shards = m.Drop, StateExtracting, m.Importers, len(m.Shards)
		st.count(m.Counts)
	}
	for _, err := range s.List(ctx, workKey(owner, id, "markers/")) {
		if err != nil {
			return st, fmt.Errorf("list markers: %w", err)
		}
		st.Extracted++
	}
	if !ok {
		return st, begun(ctx, s, owner, id)
	}
	return st, nil
}

// begun gives blob.ErrNotExist when there is nothing of an import.
func begun(ctx context.Context, s blob.Store, owner, id string) error {
	for _, err := range s.List(ctx, importKey(owner, id, "")) {
		return err
	}
	return fmt.Errorf("read import %s of %s: %w", id, owner, blob.ErrNotExist)
}

func (s *Status) count(c Counts) {
	s.Conversations, s.Messages, s.Bytes, s.Quarantined = c.Conversations, c.Messages, c.Bytes, c.Quarantined
	s.Assets = c.Assets.Files
	for _, n := range c.Records {
		s.Records += n
	}
}
