package convert

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pamline/pamline/interop/mem"
)

// Options are what every conversion needs.
type Options struct {
	// Clean leaves shadows out.
	Clean bool
	// Redact replaces personal data and secrets in MIF documents, and says where. It needs Clean: a
	// shadow has the text as it was.
	Redact bool
	// Checked: CheckMIF has found nothing wrong with the document.
	Checked bool
	// Scratch is the folder for scratch files.
	Scratch string
	// Owner is the owner of a store that is made of a format without one.
	Owner string
	// Generator is the name and version of the program, as name/x.y.z.
	Generator string
	// NoStubs leaves out the stubs of erased records, and the skeletons of redacted ones. A stub
	// erases the memory of its id wherever the result is imported, for which somebody must have
	// authority.
	NoStubs bool
	// Evidence writes an Evidence Pack in place of a .mem bundle: what was added and changed when,
	// what was deleted, and where memories come from, without a word of any.
	Evidence bool
	// Since is an earlier .mem bundle of the same owner: a new one gets a tombstone for each of its
	// rows that Erased has. Both, or none.
	Since  *mem.Bundle
	Erased Erasures
}

// Report says what became of a conversion.
type Report struct {
	From    string           `json:"from"`
	To      string           `json:"to"`
	Written map[string]int64 `json:"written"`
	// Losses count what the result does not hold, by what it is.
	Losses map[string]int64 `json:"losses"`
	// Edits are records that were changed in the other format since the shadow was made.
	Edits []Edit `json:"edits,omitempty"`
	// MoreEdits are those beyond the first 1000.
	MoreEdits int      `json:"more_edits,omitempty"`
	Notes     []string `json:"notes,omitempty"`
}

// Edit names the fields of a record that were changed.
type Edit struct {
	ID     string   `json:"id"`
	Fields []string `json:"fields"`
}

func newReport(from, to string) *Report {
	return &Report{From: from, To: to, Written: map[string]int64{}, Losses: map[string]int64{}}
}

func (r *Report) edited(id string, fields ...string) {
	if len(r.Edits) == 1000 {
		r.MoreEdits++
		return
	}
	r.Edits = append(r.Edits, Edit{id, fields})
}

func (r *Report) lose(what string, n int64) {
	if n > 0 {
		r.Losses[what] += n
	}
}

// SortedKeys are the keys of a count in ascending order.
func SortedKeys(m map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(m), cmp.Compare[string])
}
