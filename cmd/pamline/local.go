package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/state"
)

// local is this process's hold on a data folder: the lock, the store and the settings.
type local struct {
	config *config.Config
	data   *datadir.Dir
	// owner is set by chooseOwner, for commands that are about one.
	owner   string
	store   blob.Store
	scratch string
	log     *zap.Logger
	closers []func() error
}

// openLocal locks the data folder and opens the store, which wrap decorates as wiring.OpenStore says.
func openLocal(ctx context.Context, a *app, c *config.Config, wrap ...func(blob.Store) blob.Store) (l *local, err error) {
	l = &local{config: c}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if l.log, err = a.logger(c); err != nil {
		return l, err
	}
	if l.data, err = datadir.Open(c.Data); err != nil {
		return l, err
	}
	l.closers = append(l.closers, l.data.Close)
	if l.scratch, err = wiring.Scratch(l.data.Path()); err != nil {
		return l, err
	}
	l.closers = append(l.closers, func() error { return os.RemoveAll(l.scratch) })
	var closeStore func() error
	if l.store, closeStore, err = wiring.OpenStore(ctx, c, l.storeFolder(), l.log, wrap...); err != nil {
		return l, err
	}
	l.closers = append(l.closers, closeStore)
	return l, nil
}

func (l *local) storeFolder() string { return l.data.Join(datadir.StoreFolder) }

// place says where a person finds an object.
func (l *local) place(key string) string { return wiring.Place(l.config.Store, l.storeFolder(), key) }

func (l *local) deps() (pipeline.Deps, error) {
	return wiring.Deps(l.config, l.store, l.scratch, l.log)
}

// Close gives everything back, the lock last.
func (l *local) Close() error {
	var err error
	for i := len(l.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, l.closers[i]())
	}
	l.closers = nil
	return err
}

// running is a pipeline at work in this process.
type running struct {
	*pipeline.Local
	// ctx ends with the command's, or when the pipeline stops by itself: then nobody would work on what is waited for.
	ctx    context.Context
	cancel context.CancelFunc
	done   chan error
}

// start opens the pipeline and sets it to work.
func start(ctx context.Context, d pipeline.Deps, folder string) (*running, error) {
	// The message server would let other users list its folder.
	if err := os.MkdirAll(filepath.Join(folder, "jetstream"), 0o700); err != nil {
		return nil, fmt.Errorf("make folder of the message server: %w", err)
	}
	p, err := pipeline.OpenLocal(ctx, d, folder)
	if err != nil {
		return nil, err
	}
	r := &running{Local: p, done: make(chan error, 1)}
	ctx, end := context.WithCancelCause(ctx)
	r.ctx = ctx
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel = cancel
	go func() {
		err := p.Run(work)
		end(err)
		r.done <- err
	}()
	return r, nil
}

// stop gives what is in hand back and ends the broker.
func (r *running) stop() error {
	r.cancel()
	err := <-r.done
	r.Local.Close()
	return err
}

// tellLeft says how many links and special files of a folder are no part of what was taken: nothing outside a folder is read.
func (l *local) tellLeft(rec state.DropRecord) {
	left := 0
	for _, p := range rec.Parts {
		left += p.Left
	}
	if left > 0 {
		l.log.Warn("links and special files in the folder are skipped: copy the files themselves there",
			zap.String("owner", rec.Owner), zap.String("drop", rec.Drop), zap.Int("left_out", left))
	}
}
