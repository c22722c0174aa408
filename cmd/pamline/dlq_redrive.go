package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/pipeline"
)

type dlqRedriveCommand struct {
	Letters []string `arg:"" optional:"" name:"LETTER" help:"Ids of dead letters, or at least their first four characters."`
	All     bool     `help:"All dead letters, of all owners unless --owner or --stage is given."`
	dlqFlags
}

func (dlqRedriveCommand) Help() string {
	return "Retries failed work from the beginning. Fix the cause first. Select dead letters by id, --owner, --stage or --all. An import\n" +
		"whose missing parts succeed becomes complete. The work is done by the workers of nats.url, else by the running service, else\n" +
		"by this process, which waits for the result. Work that fails again leaves a new dead letter.\n\n" +
		"Examples:\n  pamline dlq redrive 3fa9c2\n  pamline dlq redrive --owner me --stage extract"
}

func (c *dlqRedriveCommand) Run(a *app) error {
	switch chosen := c.Owner != "" || c.Stage != "" || c.All; {
	case len(c.Letters) == 0 && !chosen:
		return exit.With(exit.Usage, errors.New("dlq redrive: select dead letters: ids, --owner, --stage or --all"))
	case len(c.Letters) > 0 && c.All:
		return exit.With(exit.Usage, errors.New("dlq redrive: --all and ids exclude each other"))
	}
	return c.within(a, true, func(ctx context.Context, l letters, here *running) error {
		report, err := c.redrive(ctx, l)
		if err == nil && here != nil {
			report.Again, err = c.settle(ctx, l, here, report)
			report.Waited = true
		}
		// What was queued is told even when something failed behind it.
		if err = errors.Join(err, c.print(a, report)); err != nil {
			return err
		}
		return report.verdict()
	})
}

// redriveReport says what became of each letter.
type redriveReport struct {
	Redriven []pipeline.Redriven `json:"redriven"`
	// Waited: this process has done the work itself, and Again are the letters whose units failed once more.
	Waited bool              `json:"waited"`
	Again  []pipeline.Letter `json:"failed_again,omitempty"`
}

func (c *dlqRedriveCommand) redrive(ctx context.Context, l letters) (report *redriveReport, err error) {
	report = &redriveReport{Redriven: []pipeline.Redriven{}}
	all := func(f pipeline.LetterFilter) error {
		for {
			page, err := l.RedrivePage(ctx, f)
			report.Redriven = append(report.Redriven, page.Redriven...)
			if err != nil || page.Next == 0 {
				return err
			}
			f.After, f.UpTo = page.Next, page.UpTo
		}
	}
	if len(c.Letters) == 0 {
		return report, all(c.filter())
	}
	var chosen []pipeline.LetterFilter
	for _, id := range c.Letters { // all are found before any is touched
		one, err := c.one(ctx, l, id)
		if err != nil {
			return report, err
		}
		f := c.filter()
		f.ID, f.After, f.UpTo = one.ID, one.Seq-1, one.Seq
		chosen = append(chosen, f)
	}
	for _, f := range chosen {
		if err := all(f); err != nil {
			return report, err
		}
	}
	return report, nil
}

// idlePause is how often this process looks whether its queues are empty.
const idlePause = 50 * time.Millisecond

// settle waits until the work of this process has ended, and gives the letters of those that failed again.
func (c *dlqRedriveCommand) settle(ctx context.Context, l letters, here *running, report *redriveReport) (again []pipeline.Letter, err error) {
	tick := time.NewTicker(idlePause)
	defer tick.Stop()
	for idle := false; !idle; {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
		if idle, err = here.Idle(ctx); err != nil {
			return nil, err
		}
	}
	queued := map[string]bool{}
	for _, r := range report.Redriven {
		queued[r.Letter.ID] = r.Outcome == pipeline.RedriveQueued
	}
	for f := c.filter(); ; {
		page, err := l.Page(ctx, f)
		if err != nil {
			return again, err
		}
		for _, one := range page.Letters {
			if queued[one.ID] {
				again = append(again, one)
			}
		}
		if page.Next == 0 {
			return again, nil
		}
		f.After, f.UpTo = page.Next, page.UpTo
	}
}

// redriveWords describe outcomes to a person.
var redriveWords = map[string]string{
	pipeline.RedriveQueued:   "queued for a retry",
	pipeline.RedriveReplaced: "skipped: a newer result or request has replaced it",
	pipeline.RedriveHealed:   "skipped: it has succeeded in the meantime",
	pipeline.RedriveGone:     "cannot be retried: its input no longer exists",
	pipeline.RedriveKept:     "kept: it cannot be retried; `nats stream rmm PAM_DLQ` with its number removes it",
}

func (r *redriveReport) WriteText(out io.Writer) error {
	w := bufio.NewWriter(out)
	again := map[string]pipeline.Letter{}
	for _, l := range r.Again {
		again[l.ID] = l
	}
	for _, one := range r.Redriven {
		words := redriveWords[one.Outcome]
		if l, failed := again[one.Letter.ID]; failed {
			words = "failed again: " + l.Reason
		} else if r.Waited && one.Outcome == pipeline.RedriveQueued {
			words = "retried, and did not fail again"
		}
		owner := one.Letter.Owner
		if owner == "" {
			owner = "-"
		}
		if _, err := fmt.Fprintf(w, "%s  %s of %s: %s\n", one.Letter.ID, one.Letter.Stage, owner, visible(words, "")); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(w, "dead letters: %d, queued: %d, failed again: %d\n", len(r.Redriven), r.count(pipeline.RedriveQueued), len(r.Again)); err != nil {
		return err
	}
	return w.Flush()
}

func (r *redriveReport) count(outcome string) (n int) {
	for _, one := range r.Redriven {
		if one.Outcome == outcome {
			n++
		}
	}
	return n
}

// verdict is the exit code: some units may be as they were.
func (r *redriveReport) verdict() error {
	if len(r.Again) > 0 || r.count(pipeline.RedriveGone)+r.count(pipeline.RedriveKept) > 0 {
		return exit.With(exit.Partial, nil)
	}
	return nil
}
