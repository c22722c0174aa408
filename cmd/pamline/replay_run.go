package main

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// doer reads one drop again and gives what became of it. It is called for several drops at a time.
type doer func(ctx context.Context, ask pipeline.ReplayAsk) (outcome, error)

// How many drops are under way at once: a process works on them as it has workers; others are only asked how it goes.
const (
	ownReplays    = 8
	othersReplays = 64
)

// replay has the selected drops read again by whoever does the work.
func (c *replayCommand) replay(a *app, loaded *config.Config, sel pipeline.Selection, report *replayReport) (err error) {
	h, err := handOver(a.ctx, a, loaded)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	d, err := h.deps()
	if err != nil {
		return err
	}
	show := progress.New(a.stderr, a.terminal)
	defer show.Stop()
	each := func(ctx context.Context, atOnce int, do doer) error {
		return c.each(ctx, a, d.Store, sel, atOnce, do, func(o outcome, done, selected int64) error {
			show.Count("replaying", done, selected)
			return report.add(o)
		})
	}
	switch {
	case h.cluster != nil:
		return each(a.ctx, othersReplays, c.byCluster(d, h.cluster))
	case h.service != nil:
		return each(a.ctx, othersReplays, c.byService(d, h.service))
	case c.NoWait:
		return exit.With(exit.Usage, errors.New("replay: --no-wait needs a running service or workers: start `pamline up`, set nats.url, or omit --no-wait"))
	}
	d.Observe = watcher(show)
	p, err := start(a.ctx, d, h.here.data.Path())
	if err != nil {
		return err
	}
	err = each(p.ctx, ownReplays, byThisProcess(d, p))
	if p.ctx.Err() != nil && a.ctx.Err() == nil {
		err = nil // that the pipeline stopped by itself is what stop tells
	}
	return errors.Join(err, p.stop())
}

// each has the selected drops done, some at a time, and tells of each as it ends.
func (c *replayCommand) each(ctx context.Context, a *app, s blob.Store, sel pipeline.Selection, atOnce int, do doer, tell func(o outcome, done, selected int64) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	var selected, done counter
	err := c.selected(a, s, sel, func(one pipeline.Selected, bulk bool) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		selected.add()
		g.Go(func() error {
			out := outcome{Result: resultTrouble, Reason: one.Trouble}
			if one.Trouble == "" {
				var err error
				if out, err = ofThisDrop(do(ctx, one.Ask(c.Importer, c.Extractors, bulk))); err != nil {
					return err
				}
			}
			out.Selected = one
			return tell(out, done.add(), selected.now())
		})
		return nil
	})
	if worked := g.Wait(); worked != nil {
		return worked // the other is that of the context which this ended
	}
	return err
}

// ofThisDrop makes an outcome of an error that the other drops have nothing to do with.
func ofThisDrop(o outcome, err error) (outcome, error) {
	refused := (*api.RefusedError)(nil)
	if errors.As(err, &refused) && refused.Wrong || fault.Of(err) == fault.Permanent {
		return outcome{Result: resultTrouble, Reason: err.Error()}, nil
	}
	return o, err
}

// byThisProcess has the pipeline of this process do it.
func byThisProcess(d pipeline.Deps, p *running) doer {
	notice := new(pipeline.Notice)
	return func(ctx context.Context, ask pipeline.ReplayAsk) (outcome, error) {
		answer, err := pipeline.Prepare(ctx, d, ask, notice)
		if err != nil || answer.State != pipeline.ReplayQueued {
			return notQueued(answer), err
		}
		before, err := pipeline.HandOver(ctx, d, answer.Request)
		if err != nil {
			return outcome{}, err
		}
		events, stop := p.Watch(ask.Owner, ask.Drop)
		defer stop()
		if err := p.Submit(ctx, answer.Request); err != nil {
			return outcome{}, err
		}
		r, err := p.Wait(ctx, events, answer.Request, patience(d))
		if fault.Of(err) == fault.Outage {
			if f := (*fault.Fault)(nil); errors.As(err, &f) {
				err = f.Err
			}
			return outcome{}, fmt.Errorf("replay stopped: %w. Fix that and run the same command again: it resumes", err)
		}
		if err != nil {
			return outcome{}, err
		}
		out := ended(r, before.Changed(r))
		out.Store = &r.Store
		return out, nil
	}
}

// byCluster records and queues requests for workers elsewhere.
func (c *replayCommand) byCluster(d pipeline.Deps, r *pipeline.Remote) doer {
	return func(ctx context.Context, ask pipeline.ReplayAsk) (outcome, error) {
		// Whether anything would change is for the workers to notice: they may be of another version than this command.
		answer, err := pipeline.Prepare(ctx, d, ask, nil)
		if err != nil || answer.State != pipeline.ReplayQueued {
			return notQueued(answer), err
		}
		handed, err := pipeline.HandOver(ctx, d, answer.Request)
		if err != nil {
			return outcome{}, err
		}
		if err := r.Submit(ctx, answer.Request); err != nil {
			return outcome{}, err
		}
		if c.NoWait {
			return outcome{Result: pipeline.ReplayQueued}, nil
		}
		return awaited(ctx, d, handed, func(ctx context.Context) error { return r.Ready(ctx) })
	}
}

// byService asks the service that holds the data folder.
func (c *replayCommand) byService(d pipeline.Deps, service *api.Caller) doer {
	return func(ctx context.Context, ask pipeline.ReplayAsk) (outcome, error) {
		handed, err := pipeline.HandOver(ctx, d, state.Request{Owner: ask.Owner, Drop: ask.Drop, Importer: ask.Importer, Extractors: ask.Extractors})
		if err != nil {
			return outcome{}, err
		}
		var answer pipeline.Replay
		if err := service.Post(ctx, replayPath, ask, &answer); err != nil {
			return outcome{}, serviceError(err)
		}
		handed.Request = answer.Request // it has a name now
		switch {
		case answer.State != pipeline.ReplayQueued:
			return notQueued(answer), nil
		case c.NoWait:
			return outcome{Result: pipeline.ReplayQueued}, nil
		}
		return awaited(ctx, d, handed, service.Alive)
	}
}

// serviceError says what to do when there is no service any more.
func serviceError(err error) error {
	if errors.Is(err, api.ErrNotRunning) {
		return fmt.Errorf("%w: it has stopped; run the same command again to resume", err)
	}
	return err
}
