package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// session is the client that a command has its work done by, and the store that the work is about.
// Whoever does the work, the command is the same.
type session struct {
	pipeline.Client
	*local
	// ctx ends with the command's, or when the pipeline of this process stops by itself: then
	// nobody would work on what is waited for.
	ctx context.Context
	// own: this process does the work, and holds the data folder.
	own bool
	// reading is how the service reads drops (pipeline.Options.ReadingID); "" if this process or a
	// cluster does the work.
	reading string
}

// sessionOptions say how a command works.
type sessionOptions struct {
	// local: the work stays on this machine even if nats.url is set.
	local bool
	// create: a data folder without a store gets one.
	create bool
	// oneOwner: the work is about one owner.
	oneOwner bool
	// observe sees the progress of the work of this process.
	observe telemetry.Observe
}

// openSession chooses who does the work: the workers of nats.url, this process if it gets the data
// folder, else the service that holds it.
func openSession(a *app, c *config.Config, o sessionOptions) (*session, error) {
	if c.NATS.URL != "" && !o.local {
		return joinCluster(a, c)
	}
	if !o.create {
		if err := requireStore(c); err != nil {
			return nil, err // the folder of a mistyped name is not created
		}
	}
	l, err := openLocal(a.ctx, a, c)
	if used := (*datadir.InUseError)(nil); errors.As(err, &used) {
		return joinService(a, c, err)
	}
	if err != nil {
		return nil, err
	}
	return startHere(a, l, o)
}

// startHere makes this process the one that does the work. An error closes l.
func startHere(a *app, l *local, o sessionOptions) (*session, error) {
	options, err := l.options()
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	options.Reports.Observe, options.Topology.OneOwner = o.observe, o.oneOwner
	options.Retry.Patience, options.Retry.Unguarded = l.config.Retry.Attempts, true
	p, err := startPipeline(a.ctx, options)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.closers = append(l.closers, p.stop, func() error {
		p.Tidy(p.ctx)
		return nil
	})
	return &session{Client: p.Pipeline, local: l, ctx: p.ctx, own: true}, nil
}

// joinCluster makes the workers of nats.url those that do the work.
func joinCluster(a *app, c *config.Config) (*session, error) {
	l, err := shareLocal(a, c, openShared)
	if err != nil {
		return nil, err
	}
	options, err := l.options()
	if err == nil {
		var p *pipeline.Pipeline
		if p, err = pipeline.Join(a.ctx, options, wiring.NATS(c.NATS, "pamline")); err == nil {
			l.closers = append(l.closers, func() error { p.Close(); return nil })
			return &session{Client: p, local: l, ctx: a.ctx}, nil
		}
	}
	return nil, errors.Join(err, l.Close())
}

// joinService makes the service of a data folder the one that does the work. inUse is the error of
// locking the folder: another process than a service holds it, for example an import, if no service
// answers.
func joinService(a *app, c *config.Config, inUse error) (*session, error) {
	folder, err := datadir.Find(c.Data)
	if err != nil {
		return nil, err
	}
	service, err := api.FindService(folder)
	reading := ""
	if err == nil {
		reading, err = service.Ping(a.ctx)
	}
	if errors.Is(err, api.ErrNotRunning) {
		return nil, inUse
	}
	if err != nil {
		return nil, err
	}
	l, err := shareLocal(a, c, openShared)
	if err != nil {
		return nil, err
	}
	return &session{Client: service, local: l, ctx: a.ctx, reading: reading}, nil
}

// requireStore tells why there is nothing to work on in the data folder yet.
func requireStore(c *config.Config) error {
	folder, err := datadir.Find(c.Data)
	if err != nil {
		return err
	}
	_, err = os.Stat(filepath.Join(folder, datadir.StoreFolder))
	if c.Store.Kind == "dir" && c.Store.Dir.Path == "" && errors.Is(err, os.ErrNotExist) {
		return exit.With(exit.Failed, fmt.Errorf("%s has no store yet: import something first, or choose another folder with --data", folder))
	}
	return nil
}

// viewStore opens the store for a command that only looks, without the data folder's lock.
func viewStore(a *app, c *config.Config) (*local, error) {
	if err := requireStore(c); err != nil {
		return nil, err
	}
	return shareLocal(a, c, viewShared)
}

// withStore uses the store of a command that only looks.
func withStore(a *app, c *config.Config, use func(blob.Store) error) error {
	l, err := viewStore(a, c)
	if err != nil {
		return err
	}
	return errors.Join(use(l.store), l.Close())
}
