package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/config"
)

// storeOwner is the owner whose store a command is about: the one given, else the only one of the
// data folder.
func storeOwner(c *config.Config) (string, error) {
	if c.Owner.ID != "" {
		return c.Owner.ID, nil
	}
	data, err := datadir.Look(c.Data)
	if err != nil {
		return "", err
	}
	if c.Store.Kind != "dir" {
		kept, err := data.KeptOwner()
		if err == nil && kept == "" {
			err = exit.With(exit.Usage, errors.New("choose the owner with --owner: the owners of a bucket are not listed"))
		}
		return kept, err
	}
	owners, err := datadir.Owners(dirOf(c, data))
	switch {
	case err != nil:
		return "", err
	case len(owners) == 0:
		return "", exit.With(exit.Failed, fmt.Errorf("%s has no store yet: import something first, or choose another folder with --data", data.Path()))
	case len(owners) > 1:
		return "", exit.With(exit.Usage, &datadir.ManyOwnersError{Folder: data.Path(), Owners: owners})
	}
	return owners[0], nil
}

// dirOf is the folder of a store.kind dir.
func dirOf(c *config.Config, data *datadir.Dir) string {
	if c.Store.Dir.Path != "" {
		return c.Store.Dir.Path
	}
	return data.Join(datadir.StoreFolder)
}

// chooseOwner sets the owner of what is imported: the one given, else the only one of the data
// folder, else a new one, whose id is kept. A service with several owners whose id is not given
// keeps one of its own for the drop folder itself.
func (l *local) chooseOwner(service bool) error {
	if l.config.Owner.ID == "" {
		owners, err := l.owners()
		switch {
		case err != nil:
			return err
		case len(owners) == 1:
			l.owner = owners[0]
			return nil
		case len(owners) > 1 && !service:
			return exit.With(exit.Usage, &datadir.ManyOwnersError{Folder: l.data.Path(), Owners: owners})
		}
	}
	owner, err := l.data.Owner(l.config.Owner.ID, uuid.NewString)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	l.owner = owner
	return nil
}

// owners are those who have a store, and the one whose id was generated for the data folder.
func (l *local) owners() ([]string, error) {
	kept, err := l.data.KeptOwner()
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	var owners []string
	if l.config.Store.Kind == "dir" {
		if owners, err = datadir.Owners(dirOf(l.config, l.data)); err != nil {
			return nil, err
		}
	}
	if kept != "" && !slices.Contains(owners, kept) {
		owners = append(owners, kept)
		slices.Sort(owners)
	}
	return owners, nil
}
