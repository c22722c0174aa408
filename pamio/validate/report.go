package validate

import (
	"fmt"
	"strings"
)

// Finding is one thing that was found. Message holds ids and field names, never the text of
// memories, titles or messages.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	// File is the path inside the bundle, or the name of the target.
	File string `json:"file"`
	// Pointer is the RFC 6901 pointer of the value, "" for the document as a whole.
	Pointer string `json:"pointer"`
	// Offset is where the value starts in the file, in bytes; -1 if that is not known.
	Offset  int64  `json:"offset"`
	Message string `json:"message"`
}

// String is one line for a person.
func (f Finding) String() string {
	var b strings.Builder
	b.WriteString(printable(f.File))
	if f.Pointer != "" {
		b.WriteString(" " + printable(f.Pointer))
	}
	if f.Offset >= 0 {
		fmt.Fprintf(&b, " (byte %d)", f.Offset)
	}
	fmt.Fprintf(&b, ": %s: %s [%s]", f.Severity, f.Message, f.ID)
	return b.String()
}

// Report says what was looked at and what came of it.
type Report struct {
	// Checks is how many checks of the catalogue were made at least once, Evaluations how often
	// checks were made in all.
	Checks      int   `json:"checks"`
	Evaluations int64 `json:"evaluations"`
	// Errors, Warnings and Infos count all findings, also those that were not handed over.
	Errors   int64 `json:"errors"`
	Warnings int64 `json:"warnings"`
	Infos    int64 `json:"infos"`
	// Counts is the number of findings by id; Suppressed is how many of them were not handed over.
	Counts     map[string]int64 `json:"counts"`
	Suppressed map[string]int64 `json:"suppressed,omitempty"`
	Seen       Seen             `json:"seen"`
	// Unusable tells that nothing could be validated: there is no PAM document.
	Unusable bool `json:"unusable"`
}

// Seen counts what was read, elements that are faulty included, those of the base left out.
type Seen struct {
	Stores        int64 `json:"stores"`
	Conversations int64 `json:"conversations"`
	EmbeddingSets int64 `json:"embedding_sets"`
	Bytes         int64 `json:"bytes"`
	Memories      int64 `json:"memories"`
	Relations     int64 `json:"relations"`
	IndexEntries  int64 `json:"index_entries"`
	Messages      int64 `json:"messages"`
	Embeddings    int64 `json:"embeddings"`
	Assets        int64 `json:"assets,omitempty"`
}

// add adds the elements of a batch.
func (s *Seen) add(b Seen) {
	s.Memories += b.Memories
	s.Relations += b.Relations
	s.IndexEntries += b.IndexEntries
	s.Embeddings += b.Embeddings
}

// Verdict is the outcome in one word.
type Verdict uint8

// The verdicts.
const (
	Valid    Verdict = iota // no errors; there may be warnings
	Invalid                 // at least one error
	Unusable                // there is nothing to validate
)

func (v Verdict) String() string { return [...]string{"valid", "not valid", "unusable"}[v] }

// Exit is the exit code that goes with it: 0, 1, 2.
func (v Verdict) Exit() int { return int(v) }

// Verdict sums the report up.
func (r Report) Verdict() Verdict {
	switch {
	case r.Unusable:
		return Unusable
	case r.Errors > 0:
		return Invalid
	}
	return Valid
}
