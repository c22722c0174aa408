package erase

import (
	"context"
	"errors"
	"strings"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/prune"
	"github.com/pamline/pamline/pipeline/state"
)

// removeStore removes what only earlier stores named.
func (e *remover) removeStore(ctx context.Context) error {
	return e.besidePrunes(ctx, func() error {
		report, err := prune.Owner(ctx, prune.Options{Store: e.Store, NewID: e.NewID, Now: e.Now}, e.owner)
		if err != nil {
			return err
		}
		for kind, c := range report.Removed {
			e.receipt.Removed[kind] += c.Objects
		}
		if report.Busy {
			return job.ErrBusy
		}
		return nil
	})
}

// pruneTries is how many prunes of others an erasure waits for.
const pruneTries = 5

// besidePrunes tries a step again after the prune that was in its way: a service prunes what an
// erasure has just replaced. An import that is running is in the way for longer.
func (e *remover) besidePrunes(ctx context.Context, step func() error) error {
	for range pruneTries {
		if err := step(); !errors.Is(err, job.ErrBusy) {
			return err
		}
		if err := e.jobs.Prunes().Await(ctx, e.owner); err != nil {
			return err
		}
	}
	return ErrBusy
}

// roots are the folders of an owner.
func (e *eraser) roots() []string {
	var roots []string
	for _, root := range []string{"owners/", state.InboxRoot, state.TakenRoot, state.FailedRoot, state.OpenRoot, state.BegunRoot, job.PruneRoot} {
		roots = append(roots, root+e.owner+"/")
	}
	return roots
}

// destroyKeys destroys the data keys of the owner, so that backups of what was encrypted with them
// tell nothing without a backup of the keys. The ledger and the receipts get a new one.
func (e *remover) destroyKeys(ctx context.Context) error {
	if e.RenewKey == nil {
		return nil
	}
	renewed, err := e.RenewKey(ctx, e.owner)
	if renewed && err == nil {
		e.receipt.Removed["data keys"]++
	}
	return err
}

// removeAll removes everything of an owner but the ledger and the receipts of erasures.
func (e *remover) removeAll(ctx context.Context) error {
	return e.besidePrunes(ctx, func() error { return e.jobs.Prunes().RemoveOwner(ctx, e.owner, e.removeRoots) })
}

// removeRoots removes what removeAll does: the head first, the mark of prunes last.
func (e *remover) removeRoots(ctx context.Context) error {
	if err := e.removeObject(ctx, "objects", state.HeadKey(e.owner)); err != nil {
		return err
	}
	for _, root := range e.roots() {
		for o, err := range e.Store.List(ctx, root) {
			if err != nil {
				return err
			}
			kept := strings.HasPrefix(o.Key, state.OwnerKey(e.owner, "erasures"))
			if kept {
				continue
			}
			if err := e.removeObject(ctx, "objects", o.Key); err != nil {
				return err
			}
		}
	}
	return nil
}
