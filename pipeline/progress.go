package pipeline

import (
	"cmp"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
)

// Progress is how far an import has come, as those who work on it tell. It helps a person who looks; nothing is decided by
// it, and an import ends whether it is there or not. In the bucket [BucketImports] its key is <owner>.<import>.
type Progress struct {
	V      int    `json:"v"`
	Owner  string `json:"owner"`
	Import string `json:"import"`
	Drop   string `json:"drop,omitempty"`
	State  string `json:"state"`
	// BytesRead of BytesTotal that the claimed members have, unpacked; a total of 0 is not known.
	BytesRead     int64 `json:"bytes_read,omitempty"`
	BytesTotal    int64 `json:"bytes_total,omitempty"`
	Conversations int64 `json:"conversations,omitempty"`
	Records       int64 `json:"records,omitempty"`
	// Shards is known when the drop was read to its end. Extracted is how many markers there are, which no redelivery counts
	// twice.
	Shards    int `json:"shards,omitempty"`
	Extracted int `json:"extracted,omitempty"`
	// Memories of the owner's store, once the import has ended.
	Memories int64 `json:"memories,omitempty"`
	// StartedAt and UpdatedAt are by the clocks of those who told, RFC 3339.
	StartedAt string   `json:"started_at"`
	UpdatedAt string   `json:"updated_at"`
	Trouble   *Trouble `json:"trouble,omitempty"`
	// Worker is who told last.
	Worker string `json:"worker,omitempty"`
	// Writes counts how often this was written, so that many who tell of one import share the writing.
	Writes int `json:"writes"`
}

// Trouble is what last went wrong with a unit of an import: its class, for the text may name a person's files.
type Trouble struct {
	Stage string      `json:"stage"`
	Class fault.Class `json:"class"`
	// Delivery is how often the unit had been delivered.
	Delivery uint64 `json:"delivery"`
	At       string `json:"at"`
}

// rank orders the states; an import only goes on, but for one that is opened again after its end.
func rank(phase string) int {
	switch phase {
	case "", StateWaiting:
		return 0
	case StateReading:
		return 1
	case StateExtracting:
		return 2
	case StateAssembling:
		return 3
	}
	return 4
}

func final(phase string) bool { return rank(phase) == 4 }

// join gives what two accounts of one import say together. It does not matter in which order and how often accounts are
// joined, so that whoever loses a race for the bucket joins again. A later account of an open import reopens one that had
// ended: nobody works on an import that has.
func (p Progress) join(q Progress) Progress {
	if final(p.State) != final(q.State) {
		ended, open := p, q
		if final(q.State) {
			ended, open = q, p
		}
		if open.UpdatedAt > ended.UpdatedAt {
			open.Writes = max(p.Writes, q.Writes)
			return open
		}
	}
	out := p
	if rank(q.State) > rank(p.State) || final(q.State) && (q.UpdatedAt > p.UpdatedAt || q.UpdatedAt == p.UpdatedAt && q.State > p.State) {
		out.State = q.State
	}
	out.V = max(p.V, q.V)
	out.Drop = max(p.Drop, q.Drop)
	out.BytesRead, out.BytesTotal = max(p.BytesRead, q.BytesRead), max(p.BytesTotal, q.BytesTotal)
	out.Conversations, out.Records = max(p.Conversations, q.Conversations), max(p.Records, q.Records)
	out.Shards, out.Extracted = max(p.Shards, q.Shards), max(p.Extracted, q.Extracted)
	out.Memories = max(p.Memories, q.Memories)
	out.Writes = max(p.Writes, q.Writes)
	if p.StartedAt == "" || q.StartedAt != "" && q.StartedAt < p.StartedAt {
		out.StartedAt = q.StartedAt
	}
	if c := cmp.Compare(q.UpdatedAt, p.UpdatedAt); c > 0 || c == 0 && q.Worker > p.Worker {
		out.UpdatedAt, out.Worker = q.UpdatedAt, q.Worker
	}
	if q.Trouble != nil && (p.Trouble == nil || q.Trouble.After(*p.Trouble)) {
		out.Trouble = q.Trouble
	}
	return out
}

// After orders troubles: the later one tells more.
func (t Trouble) After(u Trouble) bool {
	return cmp.Or(cmp.Compare(t.At, u.At), cmp.Compare(t.Stage, u.Stage), cmp.Compare(t.Class, u.Class), cmp.Compare(t.Delivery, u.Delivery)) > 0
}

// stamp is a time as it stands in a progress: with so many digits that texts compare as times do.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// stamped reads one; the zero time when it is none.
func stamped(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
