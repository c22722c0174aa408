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

// handover is where the work goes that a command asks for. Exactly one of cluster, service and here is set, but by lookOver.
type handover struct {
	// cluster: nats.url is set, and its workers do the work.
	cluster *pipeline.Remote
	// service: pamline up holds the data folder, and is asked through its door.
	service *api.Caller
	// here: nobody does; this process holds the data folder and does the work itself.
	here *local

	config *config.Config
	// store is the one that the work is about. When others do the work it is only read, but for the requests of a cluster.
	store   blob.Store
	scratch string
	log     *zap.Logger
	closers []func() error
}

// handOver finds out who does the work. A data folder that something else than a service uses gives a *datadir.InUseError.
func handOver(ctx context.Context, a *app, c *config.Config) (h *handover, err error) {
	h = &handover{config: c}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	if c.NATS.URL != "" {
		return h, h.join(ctx, a, readStore)
	}
	if err := hasStore(c); err != nil {
		return h, err // a mistyped folder is not made
	}
	l, err := openLocal(ctx, a, c)
	if err == nil {
		h.here, h.store, h.scratch, h.log = l, l.store, l.scratch, l.log
		h.closers = append(h.closers, l.Close)
		return h, nil
	}
	if used := (*datadir.InUseError)(nil); !errors.As(err, &used) {
		return h, err
	}
	if err := h.findService(err); err != nil {
		return h, err
	}
	return h, h.openStore(ctx, a, readStore)
}

// join makes the cluster the one that does the work.
func (h *handover) join(ctx context.Context, a *app, open storeOpener) (err error) {
	if err := h.openStore(ctx, a, open); err != nil {
		return err
	}
	h.cluster, err = pipeline.OpenRemote(ctx, h.store, wiring.NATS(h.config.NATS, "pamline"), wiring.Topology(h.config))
	if err == nil {
		h.closers = append(h.closers, func() error { h.cluster.Close(); return nil })
	}
	return err
}

// findService makes the service of a data folder in use the one that does the work.
func (h *handover) findService(inUse error) error {
	folder, err := datadir.Find(h.config.Data)
	if err != nil {
		return err
	}
	h.service, err = api.FindDoor(folder)
	if errors.Is(err, api.ErrNotRunning) {
		return inUse // by an import, for example, which ends by itself
	}
	return err
}

// storeOpener is readStore or viewStore.
type storeOpener func(context.Context, *config.Config) (blob.Store, func() error, error)

// openStore opens the store without the data folder's lock.
func (h *handover) openStore(ctx context.Context, a *app, open storeOpener) (err error) {
	if h.log, err = a.logger(h.config); err != nil {
		return err
	}
	var remove, closeStore func() error
	if h.scratch, remove, err = scratch(""); err != nil {
		return err
	}
	h.closers = append(h.closers, remove)
	if h.store, closeStore, err = open(ctx, h.config); err != nil {
		return err
	}
	h.closers = append(h.closers, closeStore)
	return nil
}

// deps are those of a pipeline on the store.
func (h *handover) deps() (pipeline.Deps, error) {
	return wiring.Deps(h.config, h.store, h.scratch, h.log)
}

// Close gives everything back.
func (h *handover) Close() error {
	var err error
	for i := len(h.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, h.closers[i]())
	}
	h.closers = nil
	return err
}

// hasStore tells why there is nothing to work on in the data folder yet.
func hasStore(c *config.Config) error {
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
