// Package extract turns normalized conversations and records into candidates: memories with their
// evidence, not yet resolved into a store. An extractor is a folder of its own (extract/harvest);
// this package holds their contract and registry, the form of candidates and records in a file, and
// the engine of `pamline extract`.
package extract

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// Extractor finds candidates in one conversation. It is a pure function of its input: the same
// document gives the same candidates in the same order, whatever else is read, and it is safe for
// concurrent use.
type Extractor interface {
	// Name is what a person selects it by: harvest, rules, llm.
	Name() string
	// Version is "pamline-harvest/1.1.0", the extractor of a memory's provenance (PAM §11). A
	// change that gives other candidates for the same conversation has another version.
	Version() string
	// Extract reads one conversation. raw is the text that doc was parsed from; nil when it is not
	// at hand. Neither is changed or kept.
	Extract(doc *pamio.Conversation, raw []byte) ([]normalize.Candidate, Report)
}

// Report says what an extractor met in a conversation, beside the candidates.
type Report struct {
	// Records counts the records that were found, those without a candidate included.
	Records int `json:"records"`
	// Skipped counts what gave no candidate, by reason: a short stable code.
	Skipped map[string]int `json:"skipped,omitempty"`
	// Rejects are candidates that a gate held back, where a person can look them up.
	Rejects []Reject `json:"rejects,omitempty"`
	// Failed counts what could not be read, by reason: there may be memories in it.
	Failed map[string]int `json:"failed,omitempty"`
}

// Reject is a candidate that was held back. It has the place and never the words: they may be a
// secret.
type Reject struct {
	Reason    string `json:"reason"` // a short stable code
	Extractor string `json:"extractor"`
	Rule      string `json:"rule,omitempty"`
	Type      string `json:"type,omitempty"`
	// Conversation, Message, Start and End are those of evidence; Pointer is that of a record.
	Conversation string `json:"conversation,omitempty"`
	Message      string `json:"message,omitempty"`
	Start        int    `json:"start,omitempty"`
	End          int    `json:"end,omitempty"`
	Member       string `json:"member,omitempty"`
	Pointer      string `json:"pointer,omitempty"`
}

// Skip counts one thing that gave nothing.
func (r *Report) Skip(code string) { r.Skipped = tally(r.Skipped, code, 1) }

// Reject keeps and counts a candidate that was held back.
func (r *Report) Reject(reason string, c *normalize.Candidate) {
	r.Skip(reason)
	one := Reject{Reason: reason, Extractor: c.Extractor, Rule: c.Rule, Type: c.Type}
	if len(c.Evidence) > 0 {
		e := &c.Evidence[0]
		one.Conversation, one.Message, one.Start, one.End, one.Pointer = e.Conversation, e.Message, e.Start, e.End, e.Pointer
	}
	r.Rejects = append(r.Rejects, one)
}

// Fail counts one thing that could not be read.
func (r *Report) Fail(code string) { r.Failed = tally(r.Failed, code, 1) }

// Add sums the counts of two reports. Rejects stay with the report that has them.
func (r *Report) Add(o Report) {
	r.Records += o.Records
	for code, n := range o.Skipped {
		r.Skipped = tally(r.Skipped, code, n)
	}
	for code, n := range o.Failed {
		r.Failed = tally(r.Failed, code, n)
	}
}

func tally(m map[string]int, code string, n int) map[string]int {
	if m == nil {
		m = map[string]int{}
	}
	m[code] += n
	return m
}
