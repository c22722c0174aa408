package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// bundleFlags choose the bundle that a command reads when no path is given: the store of the data
// folder.
type bundleFlags struct {
	Data  string `placeholder:"DIR" type:"path" help:"Without PATH: the data folder to read. Default: the user data folder."`
	Owner string `placeholder:"ID" type:"owner" help:"Without PATH: whose store to read. Default: the only owner of the data folder."`
	settings
	// apart asks for a folder that holds the bundle alone. That of an owner in the store holds the
	// records of the pipeline, too.
	apart bool
}

// bundle is the path given, or that of the owner's store in the data folder. A path may name the
// owner. The store of a bucket, one that is encrypted, and one whose copy in the folder is not what
// the head names, is copied to a temporary folder, which remove removes.
func (f bundleFlags) bundle(a *app, path string) (bundle string, remove func() error, err error) {
	remove = func() error { return nil }
	c, err := f.load(a, map[string]string{"data": f.Data, "owner": f.Owner})
	if err != nil {
		return "", remove, err
	}
	owner := ""
	if path != "" {
		if owner, err = ownerNamed(c, path); err != nil {
			return "", remove, err
		}
		if owner == "" {
			if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
				return "", remove, fmt.Errorf("open %s: there is no such file or folder, and no owner of that name in the data folder", path)
			}
			a.warnOutdated(c, path)
			return path, remove, nil
		}
	}
	if owner == "" {
		if owner, err = storeOwner(c); err != nil {
			return "", remove, err
		}
	}
	encrypted := false
	if c.Store.Kind == "dir" {
		if encrypted, err = isEncrypted(a, c); err != nil {
			return "", remove, err
		}
	}
	if c.Store.Kind == "dir" && !encrypted && !f.apart {
		data, err := datadir.Look(c.Data)
		if err != nil {
			return "", remove, err
		}
		var problems []publish.FolderProblem
		err = withStore(a, c, func(s blob.Store) error { problems, err = publish.CheckCopies(a.ctx, s, owner); return err })
		if err != nil {
			return "", remove, err
		}
		if len(problems) == 0 {
			return state.OwnerFolder(dirOf(c, data), owner), remove, nil
		}
		a.say("the folder of %s does not hold the current store, so the published export is read instead: %s. `pamline fsck --repair` repairs the folder", owner, problems[0])
	}
	folder, remove, err := scratch("")
	if err != nil {
		return "", func() error { return nil }, err
	}
	show := progress.New(a.stderr, a.terminal)
	err = withStore(a, c, func(s blob.Store) error {
		return publish.CopyBundle(a.ctx, s, owner, folder, publish.CopyOptions{Copied: showCopying(show)})
	})
	show.Stop()
	if err != nil {
		return "", func() error { return nil }, errors.Join(err, remove())
	}
	return folder, remove, nil
}

// bundleNamed gives the path, or the bundle of the owner of the data folder that it is the name of,
// for a command that has no flag for an owner. apart is that of bundleFlags.
func bundleNamed(a *app, given settings, data, path string, apart bool) (bundle string, remove func() error, err error) {
	if _, err := os.Lstat(path); err == nil || !config.ValidOwner(path) {
		return path, func() error { return nil }, nil
	}
	c, err := given.load(a, map[string]string{"data": data})
	if err != nil {
		return "", nil, err
	}
	if owner, err := ownerNamed(c, path); err != nil || owner == "" {
		return path, func() error { return nil }, err
	}
	return bundleFlags{Data: data, settings: given, apart: apart}.bundle(a, path)
}

// isEncrypted tells whether the store of the settings is encrypted. One that is not there is not.
func isEncrypted(a *app, c *config.Config) (is bool, err error) {
	l, err := shareLocal(a, c, viewOrEmpty)
	if err != nil {
		return false, err
	}
	return l.isEncrypted(), l.Close()
}

// ownerNamed gives the owner of the data folder that a path is the name of, if nothing lies at the
// path itself; "" for none.
func ownerNamed(c *config.Config, path string) (string, error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) || c.Store.Kind != "dir" {
		return "", nil
	}
	data, err := datadir.Look(c.Data)
	if err != nil || state.CheckOwner(path) != nil {
		return "", nil // it is a path, and is reported as missing
	}
	owners, err := datadir.Owners(dirOf(c, data))
	if err != nil || !slices.Contains(owners, path) {
		return "", err
	}
	return path, nil
}
