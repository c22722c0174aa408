package main

import (
	"errors"

	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
)

// rehearse does everything on a copy that is thrown away, and reports what would change. It only reads the store, so that
// a service may use it meanwhile and it need not be writable.
func (c *replayCommand) rehearse(a *app, loaded *config.Config, sel pipeline.Selection, report *replayReport) (err error) {
	h := &handover{config: loaded}
	defer func() { err = errors.Join(err, h.Close()) }()
	if err := h.openStore(a.ctx, a, viewStore); err != nil {
		return err
	}
	base, err := wiring.Deps(loaded, h.store, h.scratch, h.log)
	if err != nil {
		return err
	}
	base.Estimate = true
	show := progress.New(a.stderr, a.terminal)
	defer show.Stop()
	base.Observe = watcher(show)

	d, owner, discard := base, "", func() error { return nil }
	defer func() { err = errors.Join(err, discard()) }()
	return c.selected(a, h.store, sel, func(one pipeline.Selected, bulk bool) error {
		if owner != one.Owner {
			// What one owner's drops come to follows from each other; it is nothing to another owner.
			if err := discard(); err != nil {
				return err
			}
			discard = func() error { return nil }
			over, drop, err := pipeline.Overlay(h.store, h.scratch)
			if err != nil {
				return err
			}
			d.Store, discard, owner = over, drop, one.Owner
		}
		out, err := ofThisDrop(c.rehearsed(a, d, one, bulk))
		if err != nil {
			return err
		}
		out.Selected = one
		return report.add(out)
	})
}

// rehearsed is what would become of one drop.
func (c *replayCommand) rehearsed(a *app, d pipeline.Deps, one pipeline.Selected, bulk bool) (outcome, error) {
	if one.Trouble != "" {
		return outcome{Result: resultTrouble, Reason: one.Trouble}, nil
	}
	answer, err := pipeline.Prepare(a.ctx, d, one.Ask(c.Importer, c.Extractors, bulk), new(pipeline.Notice))
	if err != nil || answer.State != pipeline.ReplayQueued {
		return notQueued(answer), err
	}
	would, err := pipeline.Rehearse(a.ctx, d, answer.Request)
	if err != nil {
		return outcome{}, err
	}
	out := ended(would.Receipt, would.Receipt.Import != one.Import)
	diff, err := pipeline.Diff(a.ctx, d, one.Owner, would.Before, would.After, c.Limit)
	if err != nil {
		return outcome{}, err
	}
	if out.accepted() {
		out.Diff, out.Store = &diff, &would.Receipt.Store
	}
	return out, would.Forget(a.ctx, d)
}
