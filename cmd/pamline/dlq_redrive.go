package main

import (
	"errors"
	"io"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/pipeline/replay"
)

type dlqRedriveCommand struct {
	Letters []string `arg:"" optional:"" name:"LETTER" help:"Ids of dead letters, or at least their first four characters."`
	All     bool     `help:"All dead letters, of all owners unless --owner or --stage is given."`
	Refused bool     `help:"Refused uploads, too: the same files are read again."`
	NoWait  bool     `help:"Do not wait for the result when a service or workers do the work."`
	dlqFlags
}

func (dlqRedriveCommand) Help() string {
	return "Retries failed work from the beginning. Fix the cause first. Select dead letters by id, --owner, --stage or --all. All failed\n" +
		"work of an import is retried together, and an import whose missing parts succeed becomes complete. The work is done by the\n" +
		"workers of nats.url, else by the running service, else by this process. Work that fails again leaves a new dead letter.\n\n" +
		"Examples:\n  pamline dlq redrive 3fa9c2\n  pamline dlq redrive --owner me --stage extract"
}

func (c *dlqRedriveCommand) Run(a *app) (err error) {
	switch chosen := c.Owner != "" || c.Stage != "" || c.All; {
	case len(c.Letters) == 0 && !chosen:
		return exit.With(exit.Usage, errors.New("dlq redrive: select dead letters: ids, --owner, --stage or --all"))
	case len(c.Letters) > 0 && c.All:
		return exit.With(exit.Usage, errors.New("dlq redrive: --all and ids exclude each other"))
	}
	loaded, err := c.open(a)
	if err != nil {
		return err
	}
	show := progress.New(a.stderr, a.terminal)
	s, err := openSession(a, loaded, sessionOptions{observe: observeProgress(show)})
	if err != nil {
		show.Stop()
		return err
	}
	report, err := c.redrive(s)
	if err == nil && (s.own || !c.NoWait) {
		err = c.await(s, report)
	}
	show.Stop()
	// What was queued is reported even if something failed after it.
	err = errors.Join(err, c.print(a, report), s.Close())
	if report.Waited { // imports may be complete now
		err = errors.Join(err, a.refreshAllCopies(loaded))
	}
	if err != nil {
		return err
	}
	return report.verdict()
}

// redriveReport says what became of each drop whose work was retried.
type redriveReport struct {
	Redriven []*redriven `json:"redriven"`
	// Waited: the result of the retries is known.
	Waited bool `json:"waited"`
}

// redriven is the retry of one drop's failed work.
type redriven struct {
	replay.Redriven
	// Again are the dead letters of work that failed once more.
	Again []replay.DeadLetter `json:"failed_again,omitempty"`
}

// filters selects what to redrive. All ids are resolved before any work is retried.
func (c *dlqRedriveCommand) filters(s *session) ([]replay.Filter, error) {
	all := c.filter()
	all.WrongUploads = c.Refused || c.Stage != "" || len(c.Letters) > 0
	if len(c.Letters) == 0 {
		return []replay.Filter{all}, nil
	}
	var out []replay.Filter
	seen := map[string]bool{}
	for _, id := range c.Letters {
		one, err := c.find(s.ctx, s, id)
		if err != nil {
			return nil, err
		}
		if f := all; !seen[one.Owner+"/"+one.Drop] {
			seen[one.Owner+"/"+one.Drop] = true
			f.Owner, f.Drop = one.Owner, one.Drop
			out = append(out, f)
		}
	}
	return out, nil
}

func (c *dlqRedriveCommand) redrive(s *session) (*redriveReport, error) {
	report := &redriveReport{Redriven: []*redriven{}}
	filters, err := c.filters(s)
	if err != nil {
		return report, err
	}
	for _, f := range filters {
		for one, err := range replay.NewLetters(s.store).Redrive(s.ctx, s, f) {
			if err != nil {
				return report, letterError(err)
			}
			report.Redriven = append(report.Redriven, &redriven{Redriven: one})
		}
	}
	return report, nil
}

// await waits until the retries have ended, and finds what failed again.
func (c *dlqRedriveCommand) await(s *session, report *redriveReport) error {
	for _, one := range report.Redriven {
		if one.Result != replay.Queued {
			continue
		}
		if _, err := s.Wait(s.ctx, one.Ref(), one.Gen); err != nil {
			return explainReplay(s, err)
		}
		for l, err := range replay.NewLetters(s.store).List(s.ctx, replay.Filter{Owner: one.Owner, Drop: one.Drop, WrongUploads: true}) {
			if err != nil {
				return err
			}
			one.Again = append(one.Again, l)
		}
	}
	report.Waited = true
	return nil
}

// reasonAgain is why a task failed again; "" if it did not.
func (r *redriven) reasonAgain(l replay.DeadLetter) string {
	for _, again := range r.Again {
		if again.Stage == l.Stage && again.Shard == l.Shard {
			return reasonOf(again)
		}
	}
	return ""
}

// WriteText writes a line for each dead letter, and a sum.
func (r *redriveReport) WriteText(w io.Writer) error {
	p := printTo(w)
	letters, again := 0, 0
	for _, one := range r.Redriven {
		letters += len(one.Letters)
		again += len(one.Again)
		for _, l := range one.Letters {
			words := "queued for a retry"
			switch reason := one.reasonAgain(l); {
			case one.Result == replay.Released:
				words = "released: " + one.Reason
			case one.Result != replay.Queued:
				words = "cannot be retried: " + one.Reason
			case reason != "":
				words = "failed again: " + reason
			case r.Waited:
				words = "retried, and did not fail again"
			}
			p.line("%s  %s of %s: %s", l.ID, l.Stage, l.Owner, words)
		}
	}
	p.line("dead letters: %d, retried imports: %d, failed again: %d", letters, r.count(replay.Queued), again)
	return p.err
}

func (r *redriveReport) count(result string) (n int) {
	for _, one := range r.Redriven {
		if one.Result == result {
			n++
		}
	}
	return n
}

// verdict is the exit code: some work may be as it was.
func (r *redriveReport) verdict() error {
	for _, one := range r.Redriven {
		if len(one.Again) > 0 || one.Result != replay.Queued && one.Result != replay.Released {
			return exit.With(exit.Partial, nil)
		}
	}
	return nil
}
