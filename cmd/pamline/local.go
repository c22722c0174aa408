package main

import (
	"context"
	"errors"
	"os"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/state"
)

// local is the data folder of a command: its settings, store and scratch folder.
type local struct {
	config *config.Config
	data   *datadir.Dir
	// owner is set by chooseOwner, for commands about one owner.
	owner string
	store blob.Store
	// estimate: services are not asked; what asking would take is estimated.
	estimate bool
	scratch  string
	log      *zap.Logger
	closers  []func() error
}

// openLocal locks the data folder and opens the store, which wrap decorates as wiring.OpenStore
// says. A folder that another process holds gives a *datadir.InUseError.
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
	if l.store, closeStore, err = wiring.BeginStore(ctx, c, l.storeFolder(), l.log, a.sealing(l.data.Path()), wrap...); err != nil {
		return l, err
	}
	l.closers = append(l.closers, closeStore)
	return l, nil
}

// sealing lets a new data folder be encrypted.
func (a *app) sealing(data string) wiring.Sealing {
	return wiring.Sealing{Begin: true, Data: data, Began: func(key string) { a.newKey = key }}
}

// sayNewKey tells once where the master key of a new store is, and what its loss means.
func (a *app) sayNewKey() {
	if key := a.newKey; key != "" {
		a.newKey = ""
		a.say("the store is encrypted with the master key in %s. "+keepKey, key)
	}
}

// keepKey says what to do about a new master key.
const keepKey = "Without the key nobody can read the store: keep a copy elsewhere (pamline key backup FILE)"

// isEncrypted tells whether the store is encrypted: then no text of it is kept beside it. One that
// has not answered yet may be.
func (l *local) isEncrypted() bool { return wiring.MayBeSealed(l.store) }

// storeOpener opens the store of a data folder that another process may hold.
type storeOpener func(context.Context, *local) (blob.Store, func() error, error)

// openShared opens the store for reading and writing.
func openShared(ctx context.Context, l *local) (blob.Store, func() error, error) {
	return wiring.OpenStore(ctx, l.config, l.storeFolder(), l.log)
}

// viewShared opens the store for reading. Nothing is created in it.
func viewShared(ctx context.Context, l *local) (blob.Store, func() error, error) {
	return wiring.ViewStore(ctx, l.config, l.storeFolder(), l.log)
}

// shareLocal opens the store without locking the data folder.
func shareLocal(a *app, c *config.Config, open storeOpener) (l *local, err error) {
	l = &local{config: c}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if l.log, err = a.logger(c); err != nil {
		return l, err
	}
	if l.data, err = datadir.Look(c.Data); err != nil {
		return l, err
	}
	var remove, closeStore func() error
	if l.scratch, remove, err = scratch(""); err != nil {
		return l, err
	}
	l.closers = append(l.closers, remove)
	if l.store, closeStore, err = open(a.ctx, l); err != nil {
		return l, err
	}
	l.closers = append(l.closers, closeStore)
	return l, nil
}

func (l *local) storeFolder() string { return l.data.Join(datadir.StoreFolder) }

// place tells where a person finds an object.
func (l *local) place(key string) string { return wiring.Place(l.config.Store, l.storeFolder(), key) }

// options are those of a pipeline on the store.
func (l *local) options() (pipeline.Options, error) {
	o, err := wiring.Options(l.config, l.store, l.scratch, l.log)
	if err != nil {
		return o, err
	}
	o.Reading.Estimate = l.estimate
	if l.config.Owner.ID == "" {
		owners, err := l.owners()
		if err != nil {
			return o, err
		}
		if len(owners) == 1 {
			o.IdentityOf = wiring.Identities(l.config, owners[0])
		}
	}
	return o, nil
}

// Close releases everything, the lock last.
func (l *local) Close() error {
	var err error
	for i := len(l.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, l.closers[i]())
	}
	l.closers = nil
	return err
}

// warnSkipped tells how many links and special files of a folder are not part of a drop: nothing
// outside a folder is read.
func (a *app) warnSkipped(rec state.DropRecord) {
	skipped := 0
	for _, p := range rec.Parts {
		skipped += p.Left
	}
	if skipped > 0 {
		a.say("skipped in the folder, because links and special files are not read: %d. To import what they lead to, copy the files themselves there", skipped)
	}
}

// running is a pipeline at work in this process.
type running struct {
	*pipeline.Pipeline
	// ctx ends with the command's, or when the pipeline stops by itself.
	ctx    context.Context
	cancel context.CancelFunc
	done   chan error
}

// startPipeline opens the pipeline and sets it to work on stages, as pipeline.Run says.
func startPipeline(ctx context.Context, o pipeline.Options, stages ...string) (*running, error) {
	p, err := pipeline.OpenLocal(ctx, o)
	if err != nil {
		return nil, err
	}
	r := &running{Pipeline: p, done: make(chan error, 1)}
	ctx, end := context.WithCancelCause(ctx)
	r.ctx = ctx
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel = cancel
	go func() {
		err := p.Run(work, stages...)
		end(err)
		r.done <- err
	}()
	return r, nil
}

// stop returns the work in hand and ends the queue.
func (r *running) stop() error {
	r.cancel()
	err := <-r.done
	r.Pipeline.Close()
	return err
}
