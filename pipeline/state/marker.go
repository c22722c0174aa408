package state

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pamline/pamline/extract"
)

// Marker is what the extraction of a shard leaves behind, once. Fan-in compares the set of markers with the manifest.
type Marker struct {
	V          int            `json:"v"`
	Shard      string         `json:"shard"`
	State      string         `json:"state"` // MarkerOK, MarkerFailed or MarkerAgain
	Reason     string         `json:"reason,omitempty"`
	Candidates int            `json:"candidates"`
	Counts     map[string]int `json:"counts,omitempty"` // what the extractors passed over, by reason
	// Unanswered counts what a service was asked in vain, by reason; Trouble is what it said last, and Hint what to do. The
	// candidates of the others are there.
	Unanswered map[string]int `json:"unanswered,omitempty"`
	Trouble    string         `json:"trouble,omitempty"`
	Hint       string         `json:"hint,omitempty"`
	// Usage is what asking services took.
	Usage extract.Usage `json:"usage,omitzero"`
}

// The states of a marker.
const (
	MarkerOK     = "ok"
	MarkerFailed = "failed"
	MarkerAgain  = "again" // the failed one was taken back: as if there were none. It names no shard
)

// Failure says of a marker what its shard's memories are missing for.
func (m Marker) Failure() (f FailedShard, failed bool) {
	switch {
	case m.State != MarkerOK:
		return FailedShard{Shard: m.Shard, Reason: m.Reason}, true
	case len(m.Unanswered) > 0 || m.Trouble != "":
		return m.unanswered(), true
	}
	return f, false
}

// unanswered says of a marker what a service did not answer.
func (m Marker) unanswered() FailedShard {
	f := FailedShard{Shard: m.Shard, Reason: m.Trouble, Hint: m.Hint}
	if f.Reason == "" {
		var counts []string
		for _, reason := range slices.Sorted(maps.Keys(m.Unanswered)) {
			counts = append(counts, fmt.Sprintf("%d × %s", m.Unanswered[reason], reason))
		}
		f.Reason = "without an answer: " + strings.Join(counts, ", ")
	}
	return f
}

// TakenBackSize is more bytes than a marker has that says again, and fewer than any other: a listing tells which to look at.
const TakenBackSize = 72

// Final tells whether a shard needs nothing more before its import is assembled.
func (m Marker) Final() bool { return m.State != MarkerAgain }
