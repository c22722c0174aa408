package main

import (
	"errors"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// bundleFlags choose the bundle that a command reads when no path is given: the store of the data
// folder.
type bundleFlags struct {
	Data  string `placeholder:"DIR" type:"path" help:"Without PATH: the data folder to read. Default: the user data folder."`
	Owner string `placeholder:"ID" type:"owner" help:"Without PATH: whose store to read. Default: the only owner of the data folder."`
	settings
}

// bundle is the path given, or that of the owner's store in the data folder. A bucket's store is
// copied to a temporary folder, which remove removes.
func (f bundleFlags) bundle(a *app, path string) (bundle string, remove func() error, err error) {
	remove = func() error { return nil }
	c, err := f.load(a, map[string]string{"data": f.Data, "owner": f.Owner})
	if err != nil {
		return "", remove, err
	}
	if path != "" {
		a.warnOutdated(c, path)
		return path, remove, nil
	}
	owner, err := storeOwner(c)
	if err != nil {
		return "", remove, err
	}
	if c.Store.Kind == "dir" {
		data, err := datadir.Look(c.Data)
		if err != nil {
			return "", remove, err
		}
		return state.OwnerFolder(dirOf(c, data), owner), remove, nil
	}
	folder, remove, err := scratch("")
	if err != nil {
		return "", func() error { return nil }, err
	}
	err = withStore(a, c, func(s blob.Store) error { return publish.CopyBundle(a.ctx, s, owner, folder, nil) })
	if err != nil {
		return "", func() error { return nil }, errors.Join(err, remove())
	}
	return folder, remove, nil
}
