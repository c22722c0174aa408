package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
)

// lister asks how imports stand: the running service of the data folder, else the cluster of nats.url, else the store.
// It writes nothing, and what it asks need not be writable.
type lister struct {
	config  *config.Config
	folder  string
	say     func(format string, args ...any)
	catalog *pipeline.Catalog // opened when no service answers
	closers []func() error
}

func openLister(a *app, c *config.Config) (*lister, error) {
	folder, err := datadir.Find(c.Data)
	if err != nil {
		return nil, err
	}
	return &lister{config: c, folder: folder, say: a.say}, nil
}

func (l *lister) list(ctx context.Context, q pipeline.Query) (pipeline.Listed, error) {
	found, err := api.Ask(ctx, l.folder, q)
	if errors.Is(err, api.ErrNotRunning) {
		if err := l.open(ctx); err != nil {
			return found, err
		}
		found, err = l.catalog.List(ctx, q)
	}
	if errors.Is(err, pipeline.ErrQuery) {
		return found, exit.With(exit.Usage, err)
	}
	return found, err
}

// find gives the one import whose id begins like this.
func (l *lister) find(ctx context.Context, owner, begin string) (pipeline.Status, error) {
	found, err := l.list(ctx, pipeline.Begins(owner, begin))
	if err != nil {
		return pipeline.Status{}, err
	}
	one, err := found.Only(begin)
	switch {
	case errors.Is(err, pipeline.ErrNoImport):
		return one, exit.With(exit.Failed, fmt.Errorf("there is no import %s: `pamline imports` lists all", begin))
	case err != nil:
		return one, exit.With(exit.Usage, err)
	}
	return one, nil
}

func (l *lister) open(ctx context.Context) error {
	if l.catalog != nil {
		return nil
	}
	s, closeStore, err := viewStore(ctx, l.config)
	if err != nil {
		return err
	}
	l.closers = append(l.closers, closeStore)
	l.catalog = pipeline.StorageCatalog(s)
	if l.config.NATS.URL == "" {
		return nil
	}
	cluster, leave, err := pipeline.VisitCluster(ctx, s, wiring.NATS(l.config.NATS, "pamline-status"))
	if err != nil {
		l.say("NATS does not answer, so progress is missing and the list is from the store: %v", err)
		return nil
	}
	l.closers = append(l.closers, func() error { leave(); return nil })
	l.catalog = cluster
	return nil
}

func (l *lister) Close() (err error) {
	for i := len(l.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, l.closers[i]())
	}
	return err
}

// findImport finds the one import whose id starts like this.
func findImport(a *app, loaded *config.Config, owner, start string) (st pipeline.Status, err error) {
	l, err := openLister(a, loaded)
	if err != nil {
		return st, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	return l.find(a.ctx, owner, start)
}

// withStore opens the store for looking, without the data folder's lock.
func withStore(ctx context.Context, c *config.Config, use func(blob.Store) error) error {
	s, closeStore, err := viewStore(ctx, c)
	if err != nil {
		return err
	}
	return errors.Join(use(s), closeStore())
}

// viewStore opens the store for a command that only looks, without the data folder's lock.
func viewStore(ctx context.Context, c *config.Config) (blob.Store, func() error, error) {
	local, err := storeFolder(c)
	if err != nil {
		return nil, nil, err
	}
	return wiring.ViewStore(ctx, c, local, zap.NewNop())
}

// readStore opens the store without the data folder's lock, for a command that may add a request to it.
func readStore(ctx context.Context, c *config.Config) (blob.Store, func() error, error) {
	local, err := storeFolder(c)
	if err != nil {
		return nil, nil, err
	}
	return wiring.OpenStore(ctx, c, local, zap.NewNop())
}

// storeFolder is where the store of a data folder lies; an error says that there is none yet.
func storeFolder(c *config.Config) (string, error) {
	folder, err := datadir.Find(c.Data)
	if err != nil {
		return "", err
	}
	local := filepath.Join(folder, datadir.StoreFolder)
	if _, err := os.Stat(local); c.Store.Kind == "dir" && c.Store.Dir.Path == "" && errors.Is(err, os.ErrNotExist) {
		return "", exit.With(exit.Failed, fmt.Errorf("%s has no store yet: import something first, or choose another folder with --data", folder))
	}
	return local, nil
}
