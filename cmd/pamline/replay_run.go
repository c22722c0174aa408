package main

import (
	"errors"
	"fmt"

	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/replay"
)

// How many drops are in work at once: this process works on them as it has workers; others are only
// asked how it goes.
const (
	ownReplays    = 8
	othersReplays = 64
)

// replay has the selected drops read again by whoever does the work.
func (c *replayCommand) replay(a *app, loaded *config.Config, sel replay.Selection, report *replayReport) (err error) {
	show := progress.New(a.stderr, a.terminal)
	defer show.Stop()
	s, err := openSession(a, loaded, sessionOptions{observe: observeProgress(show)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if s.own && c.NoWait {
		return exit.With(exit.Usage, errors.New("replay: --no-wait needs a running service or workers: start `pamline up`, set nats.url, or omit --no-wait"))
	}
	r, err := c.replayer(s)
	if err != nil {
		return err
	}
	err = r.Run(s.ctx, s, replay.Select(s.ctx, s.store, sel), func(o replay.Outcome, p replay.Progress) error {
		show.Count("replaying", int64(p.Ended), int64(p.Selected))
		return c.report(s, report, o)
	})
	switch {
	case err != nil:
		return explainReplay(s, err)
	case !report.begun():
		return c.explainEmpty(s.ctx, s.store)
	}
	return nil
}

// replayer returns what reads drops again. Whoever does the work elsewhere and may read otherwise
// than this process, notices by itself which drops would not change.
func (c *replayCommand) replayer(s *session) (*replay.Replayer, error) {
	options, err := s.options()
	if err != nil {
		return nil, err
	}
	reading, err := options.ReadingID()
	if err != nil {
		return nil, err
	}
	o := options.ReplayOptions(job.Want{Importer: c.Importer, Extractors: c.Extractors, Incomplete: c.Incomplete})
	o.Elsewhere, o.Parallel, o.NoWait = !s.own && s.reading != reading, othersReplays, c.NoWait
	if s.own {
		o.Parallel = ownReplays
	}
	return replay.New(o)
}

// report adds an outcome to the report, with who has read the drop.
func (c *replayCommand) report(s *session, report *replayReport, o replay.Outcome) error {
	out := outcome{Outcome: o}
	if o.Changed {
		r, err := s.Report(s.ctx, o.Ref(), 0)
		if err != nil {
			return err
		}
		out.addReceipt(r)
	}
	return report.add(out)
}

// explainReplay says what to do about a replay that was stopped.
func explainReplay(s *session, err error) error {
	f := (*fault.Fault)(nil)
	switch {
	case errors.Is(err, api.ErrNotRunning):
		return fmt.Errorf("%w: it has stopped; run the same command again to resume", err)
	case s.own && fault.Of(err) == fault.Outage && errors.As(err, &f):
		return fmt.Errorf("replay stopped: %w. Fix that and run the same command again: it resumes", f.Err)
	}
	return err
}
