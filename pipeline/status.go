package pipeline

import (
	"context"
	"fmt"
	"math"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// Status is what is known of one import at a glance.
type Status struct {
	Import        string   `json:"import"` // "" while nobody has opened the drop
	Owner         string   `json:"owner"`
	Drop          string   `json:"drop"`
	State         string   `json:"state"` // waiting, reading, extracting, assembling, or a final state of the receipt
	Importers     []string `json:"importers,omitempty"`
	Conversations int64    `json:"conversations"`
	Messages      int64    `json:"messages"`
	Bytes         int64    `json:"bytes"`
	Records       int64    `json:"records"`
	Assets        int64    `json:"assets"`
	Quarantined   int64    `json:"quarantined"`
	Shards        int      `json:"shards"`
	Extracted     int      `json:"extracted"`
	// Memories of the owner's store when the import ended.
	Memories int64  `json:"memories,omitempty"`
	Receipt  string `json:"receipt,omitempty"` // its key
	// ReplacedBy is the import of the same drop that the owner's store has now in the place of this one.
	ReplacedBy string `json:"replaced_by,omitempty"`
	// The rest is known while somebody works on the import, or of the last thirty days of a cluster.

	// BytesRead of BytesTotal: of the members that are read, unpacked.
	BytesRead  int64 `json:"bytes_read,omitempty"`
	BytesTotal int64 `json:"bytes_total,omitempty"`
	// StartedAt and UpdatedAt are RFC 3339. Without progress UpdatedAt is what storage says of the newest object.
	StartedAt string `json:"started_at,omitempty"`
	UpdatedAt string `json:"updated_at,omitempty"`
	// Rates since the import began; 0: not known.
	BytesPerSecond         float64 `json:"bytes_per_second,omitempty"`
	ConversationsPerSecond float64 `json:"conversations_per_second,omitempty"`
	// SecondsLeft of the state that it is in, reading or extracting; nil: not known. What comes after is not in it.
	SecondsLeft *float64 `json:"seconds_left,omitempty"`
	// Trouble is what last went wrong; the import goes on by itself.
	Trouble *Trouble `json:"trouble,omitempty"`
	Worker  string   `json:"worker,omitempty"`
	// Unusable says which object of the import, or of the request for it, cannot be used, and what to do.
	Unusable string `json:"unusable,omitempty"`
}

// Open tells whether the import has not ended yet.
func (s Status) Open() bool { return !final(s.State) }

// The states of an import that has not ended.
const (
	StateWaiting    = "waiting"
	StateReading    = "reading"
	StateExtracting = "extracting"
	StateAssembling = "assembling" // every shard has its marker
)

// StateUnreadable is that of an import whose receipt or manifest cannot be read: nobody can tell how it stands.
const StateUnreadable = "unreadable"

// unreadable takes why that is.
func (s *Status) unreadable(err error) { s.State, s.Unusable = StateUnreadable, fault.Loggable(err) }

// ImportStatus gives the status of one import; blob.ErrNotExist when there is none of that id.
func ImportStatus(ctx context.Context, s blob.Store, owner, id string) (Status, error) {
	st := Status{Import: id, Owner: owner, State: StateReading}
	r, final, err := state.ReadReceipt(ctx, s, owner, id)
	if err != nil {
		return st, err
	}
	if final {
		st.receipt(r)
		return st, nil
	}
	m, ok, err := state.ReadManifest(ctx, s, owner, id)
	if err != nil {
		return st, err
	}
	if st.Extracted, err = countMarkers(ctx, s, owner, id); err != nil {
		return st, err
	}
	if !ok {
		return st, begun(ctx, s, owner, id)
	}
	st.Drop, st.State, st.Importers, st.Shards = m.Drop, StateExtracting, m.Importers, len(m.Shards)
	st.count(m.Counts)
	if st.Extracted >= st.Shards {
		st.State = StateAssembling
	}
	return st, nil
}

// begun gives blob.ErrNotExist when there is nothing of an import.
func begun(ctx context.Context, s blob.Store, owner, id string) error {
	for _, err := range s.List(ctx, state.ImportKey(owner, id, "")) {
		return err
	}
	return fmt.Errorf("read import %s of %s: %w", id, owner, blob.ErrNotExist)
}

// receipt takes how an import ended.
func (s *Status) receipt(r state.Receipt) {
	s.Drop, s.State, s.Importers = r.Drop, r.State, r.Importers
	s.count(r.Counts)
	s.Shards, s.Extracted = r.Extraction.Shards, r.Extraction.Shards
	s.Memories = r.Store.Memories
	s.Receipt = state.ReceiptKey(s.Owner, s.Import)
}

func (s *Status) count(c state.Counts) {
	s.Conversations, s.Messages, s.Bytes, s.Quarantined = c.Conversations, c.Messages, c.Bytes, c.Quarantined
	s.Assets, s.Records = c.Assets.Files, c.RecordCount()
}

// overlay adds what progress tells. How an import ended stands in the receipt alone.
func (s *Status) overlay(p Progress) {
	if s.Open() && !final(p.State) {
		if rank(p.State) > rank(s.State) {
			s.State = p.State
		}
		s.Trouble = p.Trouble
	}
	if s.Drop == "" {
		s.Drop = p.Drop
	}
	if s.Open() {
		s.Conversations, s.Records = max(s.Conversations, p.Conversations), max(s.Records, p.Records)
		s.Shards, s.Extracted = max(s.Shards, p.Shards), max(s.Extracted, p.Extracted)
	}
	s.BytesRead, s.BytesTotal = p.BytesRead, p.BytesTotal
	s.StartedAt, s.Worker = p.StartedAt, p.Worker
	if p.UpdatedAt > s.UpdatedAt {
		s.UpdatedAt = p.UpdatedAt
	}
	s.reckon()
}

// leastSeconds is how long an import must have been at work before its pace says anything.
const leastSeconds = 1

// reckon works out rates and the time that is left, from the first to the last that was told of the import. What the
// figures do not tell stays unknown.
func (s *Status) reckon() {
	took := stamped(s.UpdatedAt).Sub(stamped(s.StartedAt)).Seconds()
	if stamped(s.StartedAt).IsZero() || took < leastSeconds {
		return
	}
	s.ConversationsPerSecond = tenths(float64(s.Conversations) / took)
	s.BytesPerSecond = math.Round(float64(s.BytesRead) / took)
	switch s.State {
	case StateReading:
		if s.BytesRead <= 0 || s.BytesTotal < s.BytesRead {
			return
		}
		left := float64(s.BytesTotal-s.BytesRead) * took / float64(s.BytesRead)
		s.SecondsLeft = &left
	case StateExtracting:
		if s.Extracted <= 0 || s.Shards < s.Extracted {
			return
		}
		left := float64(s.Shards-s.Extracted) * took / float64(s.Extracted)
		s.SecondsLeft = &left
	}
	if s.SecondsLeft != nil {
		*s.SecondsLeft = tenths(*s.SecondsLeft)
	}
}

func tenths(x float64) float64 { return math.Round(10*x) / 10 }
