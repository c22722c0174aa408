package status

import (
	"cmp"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
)

// Progress is what workers report of a generation of a drop while they work on it. Nothing is
// decided by it. In a bucket its key is <owner>.<drop>.
type Progress struct {
	V      int    `json:"v"`
	Owner  string `json:"owner"`
	Drop   string `json:"drop"`
	Gen    int    `json:"gen"`
	Import string `json:"import,omitempty"`
	// Ended: the generation has ended; storage says how.
	Ended bool `json:"ended,omitempty"`
	// BytesRead of BytesTotal that the members have unpacked; a total of 0 is not known.
	BytesRead     int64 `json:"bytes_read,omitempty"`
	BytesTotal    int64 `json:"bytes_total,omitempty"`
	Conversations int64 `json:"conversations,omitempty"`
	// StartedAt and UpdatedAt are by the clocks of the workers, RFC 3339.
	StartedAt string   `json:"started_at"`
	UpdatedAt string   `json:"updated_at"`
	Trouble   *Trouble `json:"trouble,omitempty"`
	// Worker is the process that reported last.
	Worker string `json:"worker,omitempty"`
	// Writes counts the writes of the entry, so that many workers share the writing.
	Writes int `json:"writes"`
}

// progressVersion is that of the entries in the bucket.
const progressVersion = 2

// Trouble is what went wrong last with a unit of an import: its class, for the text may quote a
// person's file names.
type Trouble struct {
	Stage string      `json:"stage"`
	Class fault.Class `json:"class"`
	// Delivery is how often the task had been delivered.
	Delivery uint64 `json:"delivery"`
	At       string `json:"at"`
}

// merge joins two reports of a drop. The newer generation wins; within a generation the order and
// number of merges make no difference, so a writer that has lost a race merges again.
func (p Progress) merge(q Progress) Progress {
	writes := max(p.Writes, q.Writes)
	if p.Gen != q.Gen {
		if q.Gen > p.Gen {
			p = q
		}
		p.Writes = writes
		return p
	}
	out := p
	out.Writes = writes
	out.V, out.Import = max(p.V, q.V), max(p.Import, q.Import)
	out.Ended = p.Ended || q.Ended
	out.BytesRead, out.BytesTotal = max(p.BytesRead, q.BytesRead), max(p.BytesTotal, q.BytesTotal)
	out.Conversations = max(p.Conversations, q.Conversations)
	if p.StartedAt == "" || q.StartedAt != "" && q.StartedAt < p.StartedAt {
		out.StartedAt = q.StartedAt
	}
	if c := cmp.Compare(q.UpdatedAt, p.UpdatedAt); c > 0 || c == 0 && q.Worker > p.Worker {
		out.UpdatedAt, out.Worker = q.UpdatedAt, q.Worker
	}
	if q.Trouble != nil && (p.Trouble == nil || q.Trouble.isAfter(*p.Trouble)) {
		out.Trouble = q.Trouble
	}
	return out
}

// isAfter orders troubles: the later one says more.
func (t Trouble) isAfter(u Trouble) bool {
	return cmp.Or(cmp.Compare(t.At, u.At), cmp.Compare(t.Stage, u.Stage), cmp.Compare(t.Class, u.Class), cmp.Compare(t.Delivery, u.Delivery)) > 0
}

// formatTime gives a time with so many digits that texts compare as times do.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// parseTime gives the zero time for a text that is none.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
