package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline/check"
	"github.com/pamline/pamline/pipeline/state"
)

type fsckCommand struct {
	Data   string   `placeholder:"DIR" type:"path" help:"The data folder. Default: the user data folder."`
	Repair bool     `help:"Repair damaged objects from other objects and the imported archives. Stop the service of the data folder first."`
	Owners []string `arg:"" optional:"" name:"owner" help:"Only these owners. Default: all."`
	settings
	format
}

func (fsckCommand) Help() string {
	return "Reads every object of a data folder or bucket, and names each that is damaged or missing, what does not work because of it, and\n" +
		"what to do. Archives that were copied are read, too. Nothing is changed without --repair, so a check may run beside a service.\n" +
		"Exit codes: 0 nothing is damaged, or all of it is repaired; 1 damage is left; 2 usage error.\n\n" +
		"Examples:\n  pamline fsck\n  pamline fsck --repair me\n  pamline fsck --format json --data /var/lib/pamline"
}

func (c *fsckCommand) Run(a *app) (err error) {
	loaded, err := c.load(a, map[string]string{"data": c.Data})
	if err != nil {
		return err
	}
	for _, owner := range c.Owners {
		if err := state.CheckOwner(owner); err != nil {
			return exit.With(exit.Usage, err)
		}
	}
	l, err := c.open(a, loaded)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	pipe, err := l.options()
	if err != nil {
		return err
	}
	reports, err := c.check(a, pipe.CheckOptions())
	if err != nil {
		return err
	}
	if c.json() {
		err = printJSON(a.stdout, reports)
	} else {
		err = c.write(a.stdout, reports)
	}
	if err != nil {
		return err
	}
	for _, r := range reports {
		if r.Left() > 0 {
			return exit.With(exit.Failed, nil)
		}
	}
	return nil
}

// open opens the store: with the lock of the data folder for a repair, without a trace for a check.
func (c *fsckCommand) open(a *app, loaded *config.Config) (*local, error) {
	if err := requireStore(loaded); err != nil {
		return nil, err
	}
	if c.Repair {
		return openLocal(a.ctx, a, loaded)
	}
	return shareLocal(a, loaded, viewShared)
}

func (c *fsckCommand) check(a *app, o check.Options) ([]check.Report, error) {
	owners, err := check.ListOwners(a.ctx, o.Store)
	if err != nil {
		return nil, err
	}
	for _, owner := range c.Owners {
		if !slices.Contains(owners, owner) {
			return nil, exit.With(exit.Usage, fmt.Errorf("fsck: there is no owner %s in this store", owner))
		}
	}
	reports := make([]check.Report, 0, len(owners))
	for _, owner := range owners {
		if len(c.Owners) > 0 && !slices.Contains(c.Owners, owner) {
			continue
		}
		run := check.ConfirmOwner
		if c.Repair {
			run = check.RepairOwner
		}
		r, err := run(a.ctx, o, owner)
		if err != nil {
			return reports, err
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// write writes the cases of damage, then a line for each owner.
func (c *fsckCommand) write(w io.Writer, reports []check.Report) error {
	p := printTo(w)
	for _, r := range reports {
		for _, d := range r.Damage {
			writeDamage(p, d)
		}
		text := fmt.Sprintf("%s: %s and %s read: ", r.Owner, pluralNoun(r.Objects, "object"), byteSize(r.Bytes))
		switch left := r.Left(); {
		case len(r.Damage) == 0:
			text += "sound"
		case left == 0:
			text += fmt.Sprintf("%d damaged, all repaired", len(r.Damage))
		case c.Repair:
			text += fmt.Sprintf("%d damaged, %d repaired, %d left", len(r.Damage), len(r.Damage)-left, left)
		default:
			text += fmt.Sprintf("%d damaged", left)
		}
		p.raw(visible(text, ""))
	}
	if len(reports) == 0 {
		p.raw("the store is empty")
	}
	return p.err
}

func writeDamage(p *printer, d check.Damage) {
	problem := "damaged"
	if d.Repaired {
		problem = "repaired"
	}
	p.raw(visible(fmt.Sprintf("%s  %s", problem, d.Object), ""))
	p.raw("    problem: " + visible(d.Problem, ""))
	if d.Repaired {
		return
	}
	p.raw("    means:   " + visible(d.Consequence, ""))
	for _, id := range d.Conversations {
		p.raw("             conversation " + visible(id, ""))
	}
	p.raw("    next:    " + visible(d.Advice, ""))
}
