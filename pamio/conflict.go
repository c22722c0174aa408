package pamio

import (
	"fmt"
	"time"
)

// ConflictKind names why a replaced memory deserves a look.
type ConflictKind string

// The conflicts. The delta wins in all of them, as PAM §16.3 demands.
const (
	// OlderWins is a delta whose memory changed before the one that it replaces.
	OlderWins ConflictKind = "older"
	// Unretracted is a retracted memory that a delta brings back.
	Unretracted ConflictKind = "unretracted"
	// ContentReplaced is a memory that has other words or another type under the same id.
	ContentReplaced ConflictKind = "content"
	// SameTime is a memory that differs from the one that it replaces, although both changed at the
	// same time.
	SameTime ConflictKind = "same-time"
)

// Conflict is one memory that a delta replaced in a way that looks wrong.
type Conflict struct {
	Memory string       `json:"memory"`
	Kind   ConflictKind `json:"kind"`
	// Delta is the number of the delta, from 0.
	Delta   int    `json:"delta"`
	Message string `json:"message"`
}

// maxListed is how many conflicts, or ids of one collection, a report lists.
const maxListed = 1000

// conflicts reports what is unusual about a memory that is replaced. Memories that cannot be parsed
// are not compared.
func (m *merge) conflicts(id string, delta int, before, after []byte) {
	a, err := ParseMemory(before)
	if err != nil {
		return
	}
	b, err := ParseMemory(after)
	if err != nil {
		return
	}
	report := func(kind ConflictKind, format string, args ...any) {
		m.report.ConflictCount++
		if len(m.report.Conflicts) < maxListed {
			m.report.Conflicts = append(m.report.Conflicts, Conflict{id, kind, delta, fmt.Sprintf(format, args...)})
		}
	}
	then, known := lastChange(a)
	now, known2 := lastChange(b)
	switch {
	case !known || !known2:
	case now.Before(then):
		report(OlderWins, "the delta's version is older: it changed at %s, the replaced one at %s", FormatTime(now), FormatTime(then))
	case now.Equal(then) && a.Temporal.UpdatedAt != "":
		report(SameTime, "the two versions differ, and both changed at %s", FormatTime(now))
	}
	if a.Status == "retracted" && b.Status != "retracted" {
		report(Unretracted, "the memory was retracted; the delta makes it %s", b.Status)
	}
	if a.Content != b.Content || a.Type != b.Type || a.CustomType != b.CustomType {
		report(ContentReplaced, "the delta has other words or another type under this id")
	}
}

// lastChange is updated_at, else created_at.
func lastChange(m *Memory) (time.Time, bool) {
	for _, text := range []string{m.Temporal.UpdatedAt, m.Temporal.CreatedAt} {
		if t, err := ParseTime(text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
