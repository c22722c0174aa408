package main

import (
	"errors"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/replay"
)

// dryRun does everything on a copy that is discarded, and reports what would change. It only reads
// the store, so a service may use it meanwhile and it need not be writable.
func (c *replayCommand) dryRun(a *app, loaded *config.Config, sel replay.Selection, report *replayReport) (err error) {
	l, err := viewStore(a, loaded)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	options, err := l.options()
	if err != nil {
		return err
	}
	show := progress.New(a.stderr, a.terminal)
	defer show.Stop()
	options.Reports.Observe = observeProgress(show)
	r, err := replay.New(options.ReplayOptions(job.Want{Importer: c.Importer, Extractors: c.Extractors, Incomplete: c.Incomplete}))
	if err != nil {
		return err
	}
	d := &dryReplay{app: a, local: l, replayer: r, stages: options.DryRunStages(), limit: c.Limit}
	defer func() { err = errors.Join(err, d.discard()) }()
	for one, err := range replay.Select(a.ctx, l.store, sel) {
		if err != nil {
			return queryError(err)
		}
		out, err := d.run(one)
		if err != nil {
			return err
		}
		if err := report.add(out); err != nil {
			return err
		}
	}
	if !report.begun() {
		return c.explainEmpty(a.ctx, l.store)
	}
	return nil
}

// dryReplay replays drops over an overlay of the store. Each owner has an overlay: what one drop
// would change is there for the next drop of the owner.
type dryReplay struct {
	*app
	*local
	replayer *replay.Replayer
	stages   replay.Stages
	limit    int

	overlaid string // the owner that over is for
	over     blob.Store
	remove   func() error
}

// run replays one drop.
func (d *dryReplay) run(one replay.Selected) (outcome, error) {
	out := outcome{Outcome: replay.Outcome{Selected: one, Now: one.Import}}
	p, err := d.replayer.Prepare(d.ctx, one, false)
	out.Result, out.Reason, out.Hint = p.Result, p.Reason, p.Hint
	if err != nil || out.Result != replay.Queued {
		return out, err
	}
	if err := d.overlay(one.Owner); err != nil {
		return out, err
	}
	would, err := replay.RunDry(d.ctx, d.over, d.stages, one.Ref(), p.Want)
	if err != nil {
		return out, err
	}
	r := would.Report
	out.Result, out.Reason, out.Hint = r.State, r.Reason, r.Hint
	if r.IsAccepted() {
		out.Now, out.Store, out.Changed = r.Import, &r.Store, r.Import != one.Import
		out.addReceipt(r)
		diff, err := replay.Diff(d.ctx, d.over, one.Owner, would.Before, would.After, d.limit)
		if err != nil {
			return out, err
		}
		out.Diff = &diff
	}
	return out, would.Forget(d.ctx, d.over)
}

// overlay opens the overlay of an owner, in the place of that of another owner.
func (d *dryReplay) overlay(owner string) (err error) {
	if d.overlaid == owner {
		return nil
	}
	if err := d.discard(); err != nil {
		return err
	}
	if d.over, d.remove, err = replay.Overlay(d.store, d.scratch); err == nil {
		d.overlaid = owner
	}
	return err
}

// discard removes the overlay.
func (d *dryReplay) discard() error {
	if d.remove == nil {
		return nil
	}
	remove := d.remove
	d.remove, d.overlaid = nil, ""
	return remove()
}
