package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// stuckError is a run that did not come to its end, and where its logs are.
type stuckError struct {
	err    error
	folder string
}

func (s *stuckError) Error() string { return s.err.Error() }

func (s *stuckError) Unwrap() error { return s.err }

// playRun runs a set of drops from an empty bucket to the end. The folder stays; who has looked at
// the outcome removes it.
func playRun(ctx context.Context, o options, m Material, acts []act, clocks map[string]int64, model *embedder, calm []State, seed uint64) (out outcome, err error) {
	r, err := beginRun(ctx, o, m, acts, clocks, model, calm, seed)
	if err != nil {
		return out, err
	}
	out, err = r.play(ctx)
	if err != nil && ctx.Err() == nil {
		err = &stuckError{err: err, folder: r.folder}
	}
	out.folder = r.folder
	r.findings(&out)
	return out, errors.Join(err, r.close())
}

// bad are words that no worker may say, whatever happens.
var bad = []string{"panic: ", "fatal error: ", "panic of type", "DATA RACE"}

// findings are what happened, and what the workers' own words say of them.
func (r *run) findings(out *outcome) {
	out.wrong = append(out.wrong, r.wrong...)
	out.notes, out.done, out.ends, out.faults = r.notes, r.done, r.ends(), map[string]int{}
	for _, m := range r.met {
		if m.happened() {
			out.faults[m.kind]++
		}
	}
	for _, by := range r.clocks {
		out.faults["worker: clock wrong"]++
		r.say("a clock was wrong by %d s", by)
	}
	for _, e := range out.ends {
		if e.reason == "" {
			out.wrong = append(out.wrong, e.text())
		}
	}
	for _, w := range r.cluster.Workers {
		data, err := os.ReadFile(w.Log())
		if err != nil {
			out.wrong = append(out.wrong, fmt.Sprintf("read log: %v", err))
			continue
		}
		for _, word := range bad {
			if n := bytes.Count(data, []byte(word)); n > 0 {
				out.wrong = append(out.wrong, fmt.Sprintf("%d × %q in %s", n, word, filepath.Base(w.Log())))
			}
		}
	}
}
