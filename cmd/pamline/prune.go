package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline/prune"
	"github.com/pamline/pamline/pipeline/state"
)

type pruneCommand struct {
	Data   string   `placeholder:"DIR" type:"path" help:"The data folder. Default: the user data folder."`
	DryRun bool     `help:"Show what would be removed, and remove nothing."`
	Owners []string `arg:"" optional:"" name:"owner" help:"Only these owners. Default: all."`
	settings
	format
}

func (pruneCommand) Help() string {
	return "Removes what the current store does not need: replaced exports, conversation files and assets that no kept export names, and\n" +
		"leftovers of imports. prune.exports and prune.for say how many exports are kept. Archives, edits and receipts stay.\n" +
		"pamline up and the workers of a cluster do the same by themselves; stop the service of a data folder first.\n" +
		"Exit codes: 0 done; 1 an import is running, or an object cannot be read; 2 usage error.\n\n" +
		"Examples:\n  pamline prune --dry-run\n  pamline prune me\n  pamline prune --set prune.exports=5"
}

func (c *pruneCommand) Run(a *app) (err error) {
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
	reports, err := c.prune(a, pipe.PruneOptions())
	if c.json() {
		err = errors.Join(err, printJSON(a.stdout, reports))
	} else {
		err = errors.Join(err, c.write(a.stdout, reports))
	}
	if err == nil && slices.ContainsFunc(reports, func(r prune.Report) bool { return r.Busy }) {
		err = exit.With(exit.Failed, errors.New("prune: an import is running: wait until it has ended (`pamline status`), then prune again"))
	}
	return err
}

func (c *pruneCommand) open(a *app, loaded *config.Config) (*local, error) {
	if err := requireStore(loaded); err != nil {
		return nil, err
	}
	if c.DryRun {
		return shareLocal(a, loaded, viewShared)
	}
	return openLocal(a.ctx, a, loaded)
}

func (c *pruneCommand) prune(a *app, o prune.Options) ([]prune.Report, error) {
	var owners []string
	for owner, err := range state.ListOwners(a.ctx, o.Store) {
		if err != nil {
			return nil, err
		}
		owners = append(owners, owner)
	}
	for _, owner := range c.Owners {
		if !slices.Contains(owners, owner) {
			return nil, exit.With(exit.Usage, fmt.Errorf("prune: there is no owner %s in this store", owner))
		}
	}
	if len(c.Owners) > 0 {
		owners = c.Owners
	}
	run := prune.Owner
	if c.DryRun {
		run = prune.Plan
	}
	reports := make([]prune.Report, 0, len(owners))
	var failed []error
	for _, owner := range owners {
		r, err := run(a.ctx, o, owner)
		if a.ctx.Err() != nil {
			return reports, err
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%w: `pamline fsck %s` says more; nothing else of this owner is removed", err, owner))
		}
		reports = append(reports, r)
	}
	return reports, errors.Join(failed...)
}

func (c *pruneCommand) write(w io.Writer, reports []prune.Report) error {
	p := printTo(w)
	verb := "removed"
	if c.DryRun {
		verb = "would remove"
	}
	for _, r := range reports {
		sum := r.Total()
		if sum.Objects == 0 {
			p.raw(fmt.Sprintf("%s: nothing to remove, %s kept", r.Owner, byteSize(r.Kept.Bytes)))
			continue
		}
		p.raw(fmt.Sprintf("%s: %s %s, %s; %s and %s kept", r.Owner, verb, pluralNoun(sum.Objects, "object"), byteSize(sum.Bytes),
			pluralNoun(int64(r.Exports), "export"), byteSize(r.Kept.Bytes)))
		for _, kind := range slices.Sorted(maps.Keys(r.Removed)) {
			p.raw(fmt.Sprintf("    %-22s %6d  %s", kind, r.Removed[kind].Objects, byteSize(r.Removed[kind].Bytes)))
		}
	}
	if len(reports) == 0 {
		p.raw("the store is empty")
	}
	return p.err
}
