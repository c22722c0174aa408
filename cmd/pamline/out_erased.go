package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/copies"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/progress"
)

// copyWhole is the state of a bundle of an owner who was erased: it is the person's, so it is left.
const copyWhole = "still has everything"

// reachCopies removes the search index of an owner, and brings the bundles that imports have
// written with --out up to date. Of an owner without anything, it names them.
func reachCopies(ctx context.Context, s blob.Store, data, owner string, all bool, show *progress.Display) (reports []copyReport, err error) {
	indexes, err := filepath.Glob(filepath.Join(data, datadir.SearchFolder, owner+".*"))
	for _, path := range indexes {
		err = errors.Join(err, os.RemoveAll(path))
	}
	if !all {
		reports, failed := refreshCopies(ctx, s, data, owner, show)
		return reports, errors.Join(err, failed)
	}
	written, listed := copies.Of(data, owner)
	err = errors.Join(err, listed)
	for _, one := range written {
		if one.IsGone() {
			err = errors.Join(err, copies.Forget(data, one.Path))
			continue
		}
		reports = append(reports, copyReport{Path: one.Path, State: copyWhole})
	}
	return reports, err
}

// left gives an error for each bundle that an erasure has not reached.
func (e *erased) left() (err error) {
	for _, one := range e.Copies {
		switch one.State {
		case copyOutdated:
			err = errors.Join(err, exit.With(exit.Partial, fmt.Errorf("the bundle %s may still contain what was erased. Its files were changed since pamline wrote them, so it was left alone: delete it", one.Path)))
		case copyWhole:
			err = errors.Join(err, exit.With(exit.Partial, fmt.Errorf("the bundle %s still has everything of the owner: delete it", one.Path)))
		}
	}
	return err
}
