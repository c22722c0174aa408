package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
)

// outcome is what became of one selected drop, or would become of it.
type outcome struct {
	replay.Outcome
	// ReadBy are the importers of the result.
	ReadBy []string `json:"importers_now,omitempty"`
	// Diff is that of a dry run, Usage what asking a model has taken or would take.
	Diff  *replay.StoreDiff `json:"diff,omitempty"`
	Usage *extract.Usage    `json:"usage,omitempty"`
}

// addReceipt adds what the receipt says of the result.
func (o *outcome) addReceipt(r state.Receipt) {
	o.ReadBy = r.Importers
	if r.Extraction.Usage.Requests > 0 {
		o.Usage = &r.Extraction.Usage
	}
}

// replaySummary counts outcomes.
type replaySummary struct {
	DryRun    bool  `json:"dry_run,omitempty"`
	Selected  int64 `json:"selected"`
	Unchanged int64 `json:"unchanged"`
	Queued    int64 `json:"queued,omitempty"`
	// Replaced is how many drops another result stands for now, Same those that were read and gave
	// the one they had.
	Replaced int64 `json:"replaced"`
	Same     int64 `json:"same"`
	Losses   int64 `json:"with_losses"` // of those
	Refused  int64 `json:"refused"`
	Failed   int64 `json:"failed"`
	Gone     int64 `json:"gone"`
	Trouble  int64 `json:"trouble"`
}

func (s *replaySummary) add(o outcome) {
	s.Selected++
	switch o.Result {
	case replay.Unchanged:
		s.Unchanged++
	case replay.Queued:
		s.Queued++
	case replay.Gone:
		s.Gone++
	case state.StateRefused:
		s.Refused++
	case state.StateFailed:
		s.Failed++
	case replay.Trouble:
		s.Trouble++
	case state.StateDone, state.StateLosses:
		if o.Result == state.StateLosses {
			s.Losses++
		}
		if o.Changed {
			s.Replaced++
		} else {
			s.Same++
		}
	}
}

// left counts what was not done.
func (s *replaySummary) left() int64 { return s.Refused + s.Failed + s.Gone + s.Trouble }

// replayReport writes outcomes as they come: there may be millions of them.
type replayReport struct {
	json    bool
	out     io.Writer
	mu      sync.Mutex
	summary replaySummary
	// changed are the owners whose store a replay has changed.
	changed map[string]bool
}

func newReplayReport(w io.Writer, asJSON, dry bool) *replayReport {
	return &replayReport{json: asJSON, out: w, summary: replaySummary{DryRun: dry}, changed: map[string]bool{}}
}

func (r *replayReport) begun() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.summary.Selected > 0
}

// changedOwners are those whose store a replay has changed.
func (r *replayReport) changedOwners() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.changed))
}

// add reports one. It is safe for concurrent use.
func (r *replayReport) add(o outcome) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summary.add(o)
	if o.Changed && !r.summary.DryRun {
		r.changed[o.Owner] = true
	}
	if !r.json {
		p := printTo(r.out)
		o.write(p, r.summary.DryRun)
		return p.err
	}
	body, err := json.MarshalIndent(o, "    ", "  ")
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	before := ",\n    "
	if r.summary.Selected == 1 {
		before = "{\n  \"drops\": [\n    "
	}
	return r.write(before + string(body))
}

func (r *replayReport) end() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.json {
		body, err := json.MarshalIndent(r.summary, "  ", "  ")
		if err != nil {
			return fmt.Errorf("write report: %w", err)
		}
		return r.write("\n  ],\n  \"summary\": " + string(body) + "\n}\n")
	}
	p := printTo(r.out)
	r.summary.write(p)
	return p.err
}

func (r *replayReport) write(text string) error {
	if _, err := io.WriteString(r.out, text); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// verdict is the exit code: all done, some, or nothing.
func (r *replayReport) verdict() error {
	s := r.summary
	switch {
	case s.left() == s.Selected:
		return exit.With(exit.Failed, nil)
	case s.left()+s.Losses > 0:
		return exit.With(exit.Partial, nil)
	}
	return nil
}
