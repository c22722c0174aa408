package main

import (
	"context"
	"errors"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/copies"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/paths"
	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline/publish"
)

// copyReport says what became of a bundle that an earlier --out has written.
type copyReport struct {
	Path  string `json:"path"`
	State string `json:"state"` // a copy… constant
}

// The states of a bundle after the store has changed.
const (
	copyRefreshed = "refreshed"
	copyOutdated  = "out of date" // somebody has changed it since, so it is left alone
)

// text tells a person.
func (r copyReport) text() string {
	switch r.State {
	case copyRefreshed:
		return r.Path + " (brought up to date)"
	case copyWhole:
		return r.Path + " still has everything of the owner: delete it"
	}
	return r.Path + " is out of date. Its files were changed since pamline wrote them, so it was left alone; import with --out again to replace it"
}

// writeOut copies the owner's published bundle to a folder, and remembers that it is there. What is
// remembered is right whenever the command is killed.
func writeOut(ctx context.Context, s blob.Store, data, owner, folder string, show *progress.Display) error {
	var export string
	ready := func(next, id string) error {
		export = id
		if err := withholdPrivate(next); err != nil {
			return err
		}
		return copies.Announce(data, folder, owner, next, id)
	}
	err := publish.CopyBundle(ctx, s, owner, folder, publish.CopyOptions{Ready: ready, Copied: showCopying(show)})
	if err != nil {
		return err
	}
	return copies.Record(data, folder, owner, export)
}

// showCopying shows how much of a bundle is copied.
func showCopying(show *progress.Display) func(done, of int64) {
	return func(done, of int64) { show.Count("copying", done, of) }
}

// refreshCopies brings the bundles up to date that an earlier --out has written for an owner.
func refreshCopies(ctx context.Context, s blob.Store, data, owner string, show *progress.Display) (reports []copyReport, err error) {
	all, err := copies.Of(data, owner)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	export, err := publish.CurrentExport(ctx, s, owner)
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, c := range all {
		if c.IsGone() {
			failed = append(failed, copies.Forget(data, c.Path))
			continue
		}
		there, unchanged, err := c.Written()
		if err == nil && there == export {
			continue
		}
		r := copyReport{Path: c.Path, State: copyOutdated}
		if err == nil && unchanged {
			r.State = copyRefreshed
			err = writeOut(ctx, s, data, owner, c.Path, show)
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		reports = append(reports, r)
	}
	return reports, errors.Join(failed...)
}

// refreshShown is refreshCopies for a command of which nothing else is shown at the time.
func (a *app) refreshShown(s blob.Store, data, owner string) ([]copyReport, error) {
	show := progress.New(a.stderr, a.terminal)
	defer show.Stop()
	return refreshCopies(a.ctx, s, data, owner, show)
}

// refreshCopiesOf brings the bundles of several owners up to date, for a command that streams its
// report: it says so on standard error.
func (a *app) refreshCopiesOf(c *config.Config, owners []string) error {
	data, err := datadir.Find(c.Data)
	if err != nil || len(owners) == 0 {
		return err
	}
	return withStore(a, c, func(s blob.Store) error {
		var failed []error
		for _, owner := range owners {
			reports, err := a.refreshShown(s, data, owner)
			failed = append(failed, err)
			for _, r := range reports {
				a.say("bundle %s", r.text())
			}
		}
		return errors.Join(failed...)
	})
}

// refreshAllCopies is refreshCopiesOf every owner.
func (a *app) refreshAllCopies(c *config.Config) error {
	data, err := datadir.Find(c.Data)
	if err != nil {
		return err
	}
	owners, err := copies.Owners(data)
	return errors.Join(err, a.refreshCopiesOf(c, owners))
}

// warnOutdated tells a person who looks at a bundle that the store of the data folder is newer.
// What cannot be found out is left out: it is a note only.
func (a *app) warnOutdated(c *config.Config, path string) {
	data, err := datadir.Find(c.Data)
	if err != nil {
		return
	}
	folder, err := paths.Followed(path)
	if err != nil {
		return
	}
	found, ok, err := copies.Find(data, folder)
	if err != nil || !ok {
		return
	}
	err = withStore(a, c, func(s blob.Store) error {
		there, _, err := found.Written()
		if err != nil {
			return err
		}
		export, err := publish.CurrentExport(a.ctx, s, found.Owner)
		if err == nil && export != "" && export != there {
			a.say("%s is out of date: the store of %s has changed since. Import with --out %s again to replace it", path, found.Owner, path)
		}
		return err
	})
	if err != nil {
		a.say("cannot tell whether %s is up to date: %v", path, err)
	}
}
