package main

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/cmd/internal/obs"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/pipeline"
)

type upCommand struct {
	Data   string `placeholder:"DIR" type:"path" help:"Folder for state, queue and store. Default: the user data folder."`
	Owner  string `placeholder:"ID" type:"owner" help:"Owner of what is put into the drop folder itself. Default: an id made once for the data folder."`
	Folder string `placeholder:"DIR" type:"path" help:"The drop folder. Default: inbox in the data folder."`
	settings
}

func (upCommand) Help() string {
	return "Runs as a service: archives put into the drop folder, or into a folder in it named by an owner, are imported as soon as\n" +
		"they are complete. pamline status shows how they stand. Ctrl-C stops it gently. With nats.url it hands the work to the\n" +
		"workers of that cluster, who must share its store.\n\n" +
		"Example:\n  pamline up --folder ~/pamline-drops"
}

func (c *upCommand) Run(a *app) (err error) {
	loaded, err := c.load(a, map[string]string{"data": c.Data, "owner": c.Owner, "drop.folder": c.Folder})
	if err != nil {
		return err
	}
	l, err := openLocal(a.ctx, a, loaded)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()

	registry := obs.NewRegistry()
	d, err := l.deps()
	if err != nil {
		return err
	}
	if d.Metrics, err = pipeline.NewMetrics(registry); err != nil {
		return err
	}
	live := &api.Live{}
	d.Observe = func(e pipeline.Event) {
		live.Observe(e)
		if e.Stage == pipeline.StageDone {
			l.log.Info("import ended", zap.String("owner", e.Owner), zap.String("import", e.Import), zap.Bool("published", e.Change != nil && e.Change.Published))
		}
	}
	p, working, stop, err := l.queue(a.ctx, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	server := obs.New(registry, func(ctx context.Context) error { return p.Ready(ctx) })
	server.Handle("GET /imports", api.Handler(l.data.Path(), l.store, live))
	if err := server.Start(loaded.HTTP.Addr); err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		err = errors.Join(err, server.Shutdown(ctx))
	}()
	forget, err := api.Announce(l.data.Path(), server.Addr())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, forget()) }()

	open, err := p.Reconcile(a.ctx)
	if err != nil {
		return err
	}
	folder := l.watched()
	a.say("drop folder %s, owner %s; http://%s/imports; %d imports to go on with", folder, l.owner, server.Addr(), open)
	return l.watch(working, p, d.Store, d.Limits.Archive, folder)
}

// queue is where drops are handed to.
type queue interface {
	Submit(ctx context.Context, r pipeline.Request) error
	Reconcile(ctx context.Context) (int, error)
	Ready(ctx context.Context) error
}

// queue starts the pipeline in this process, or, with nats.url, connects to that of the workers there. working ends with
// ctx, or when the pipeline of this process stops by itself; stop tells why.
func (l *local) queue(ctx context.Context, d pipeline.Deps) (q queue, working context.Context, stop func() error, err error) {
	if l.config.NATS.URL != "" {
		r, err := pipeline.OpenRemote(ctx, d.Store, wiring.NATS(l.config.NATS, "pamline-up"), wiring.Topology(l.config))
		if err != nil {
			return nil, nil, nil, err
		}
		return r, ctx, func() error { r.Close(); return nil }, nil
	}
	p, err := start(ctx, d, l.data.Path())
	if err != nil {
		return nil, nil, nil, err
	}
	return p, p.ctx, p.stop, nil
}

func (l *local) watched() string {
	if l.config.Drop.Folder != "" {
		return l.config.Drop.Folder
	}
	return l.data.Join("inbox")
}

// watch takes drops until the context ends, which is the ordinary end of a service.
func (l *local) watch(ctx context.Context, p queue, store blob.Store, limits archive.Limits, path string) error {
	settle := max(l.config.Drop.Settle, 100*time.Millisecond)
	ticks := time.NewTicker(settle)
	defer ticks.Stop()
	f := &pipeline.Folder{
		Path: path, DefaultOwner: l.owner, Log: l.log,
		Take: func(ctx context.Context, owner, file string) error {
			rec, err := pipeline.TakeIn(ctx, store, owner, []string{file}, limits, l.scratch)
			if err != nil {
				return err
			}
			l.log.Info("drop taken", zap.String("owner", owner), zap.String("drop", rec.Drop), zap.Int64("bytes", rec.Bytes()))
			return p.Submit(ctx, pipeline.Request{V: pipeline.MessageVersion, Owner: owner, Drop: rec.Drop, Lane: pipeline.Lane(rec.Bytes())})
		},
	}
	if err := f.Run(ctx, ticks.C); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
