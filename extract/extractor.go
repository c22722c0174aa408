// Package extract turns normalized conversations and records into candidates: memories with their evidence, not yet
// resolved into a store. An extractor is a folder of its own (extract/harvest); this package holds their contract and
// registry, the form of candidates and records in a file, and the engine of `pamline extract`.
package extract

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// Extractor finds candidates in one conversation. It is a pure function of its input: the same document gives the same
// candidates in the same order, whatever else is read, and it is safe for concurrent use.
type Extractor interface {
	// Name is what a person selects it by: harvest, rules, llm.
	Name() string
	// Version is "pamline-harvest/1.1.0", the extractor of a memory's provenance (PAM §11). A change that gives other
	// candidates for the same conversation has another version.
	Version() string
	// Extract reads one conversation. raw is the text that doc was parsed from; nil when it is not at hand. Neither is
	// changed or kept.
	Extract(doc *pamio.Conversation, raw []byte) ([]normalize.Candidate, Report)
}

// Report says what an extractor met in a conversation, beside the candidates.
type Report struct {
	// Records counts the records that were found, those without a candidate included.
	Records int `json:"records"`
	// Skipped counts the records that gave no candidate, by reason: a short stable code.
	Skipped map[string]int `json:"skipped,omitempty"`
}

// Skip counts one record that gave nothing.
func (r *Report) Skip(code string) {
	if r.Skipped == nil {
		r.Skipped = map[string]int{}
	}
	r.Skipped[code]++
}

// Add sums two reports.
func (r *Report) Add(o Report) {
	r.Records += o.Records
	for code, n := range o.Skipped {
		if r.Skipped == nil {
			r.Skipped = map[string]int{}
		}
		r.Skipped[code] += n
	}
}
