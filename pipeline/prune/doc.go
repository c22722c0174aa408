// Package prune removes what the store of an owner does not need any more: exports that were
// replaced, with the conversation files, input sets and moments that only they name, and the
// manifests, packs and results of imports that no input set and no job record names. What it keeps,
// it finds as a check does: from the log of heads on. It removes objects of the kinds that it knows
// and nothing else. Edits, receipts, job records, recorded answers and archives stay.
//
// How a prune keeps out of the way of imports is written at job.Prune.
package prune

import (
	"time"

	"github.com/pamline/pamline/blob"
)

// Rules say what is kept.
type Rules struct {
	// Exports is how many of the newest exports are kept; at least the current one is.
	Exports int
	// For is how long an export is kept after another has replaced it, beyond Exports.
	For time.Duration
	// DropOriginals: copied archives are removed after they were imported.
	DropOriginals bool
}

// Options are what a prune needs.
type Options struct {
	Store blob.Store
	NewID func() string
	Now   func() time.Time
	// Grace is how long up to Spare replaced exports are kept beyond the rules: somebody may be
	// reading them.
	Grace time.Duration
	Spare int
	Rules
}

// Count is a number of objects with their bytes.
type Count struct {
	Objects int64 `json:"objects"`
	Bytes   int64 `json:"bytes"`
}

func (c *Count) add(bytes int64) {
	c.Objects++
	c.Bytes += bytes
}

// Report says what was removed of an owner, or would be.
type Report struct {
	Owner string `json:"owner"`
	// Removed has, by kind, what was removed; in a dry run, what would be.
	Removed map[string]Count `json:"removed,omitempty"`
	Kept    Count            `json:"kept"`
	// Exports is how many exports are kept.
	Exports int `json:"exports"`
	// Busy: an import was running, so that nothing, or not everything, was removed.
	Busy bool `json:"busy,omitempty"`
}

// Total is what was removed of all kinds.
func (r Report) Total() (sum Count) {
	for _, c := range r.Removed {
		sum.Objects += c.Objects
		sum.Bytes += c.Bytes
	}
	return sum
}
