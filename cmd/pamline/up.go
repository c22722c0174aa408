package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/cmd/internal/service"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

type upCommand struct {
	Data   string `placeholder:"DIR" type:"path" help:"Folder for state, queue and store. Default: the user data folder."`
	Owner  string `placeholder:"ID" type:"owner" help:"Owner of files put into the drop folder itself. Default: the only owner of the data folder, else a generated id."`
	Folder string `placeholder:"DIR" type:"path" help:"The drop folder, which must exist. Default: inbox in the data folder."`
	settings
}

func (upCommand) Help() string {
	return "Runs as a service. Archives put into the drop folder, or into a subfolder named after an owner, are imported as soon as they\n" +
		"are complete. pamline status shows the imports. Ctrl-C stops the service after the current task. With nats.url, the workers\n" +
		"of that cluster do the work; they must use the same store.\n\n" +
		"Example:\n  pamline up --folder ~/pamline-drops"
}

func (c *upCommand) Run(a *app) (err error) {
	loaded, err := c.load(a, map[string]string{"data": c.Data, "owner": c.Owner, "drop.folder": c.Folder})
	if err != nil {
		return err
	}
	log, err := a.logger(loaded)
	if err != nil {
		return err
	}
	s, err := service.Open(a.ctx, loaded, "pamline-up", version, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	l, err := openLocal(a.ctx, a, loaded, s.Meter)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := l.chooseOwner(true); err != nil {
		return err
	}
	folder := l.watched()
	if err := errors.Join(l.dropFolderExists(), l.apart(folder)); err != nil {
		return err
	}

	d, err := l.deps()
	if err != nil {
		return err
	}
	d.Inbox.Owner = l.owner
	d.Wary = api.Killed(l.data.Path())
	s.Fill(&d)
	p, working, stop, err := l.queue(a.ctx, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	door, shut, err := api.OpenDoor(l.data.Path())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut()) }()
	server := s.Serve(service.Endpoint{Ready: p.Ready, Store: d.Store, Catalog: p.Catalog, Folder: l.data.Path(), Door: door})
	server.Handle("POST "+replayPath, door.Post(replayAsked(d, p, loaded.NATS.URL == "")))
	server.Handle("POST "+editPath, door.Post(handleEdit(d)))
	dead := lettersOf(p, d)
	server.Handle("POST "+dlqListPath, door.Post(lettersAsked(dead.Page)))
	server.Handle("POST "+dlqRedrivePath, door.Post(lettersAsked(dead.RedrivePage)))
	if err := s.Listen(); err != nil {
		return err
	}
	defer context.AfterFunc(a.ctx, s.Drain)()
	forget, err := api.Announce(l.data.Path(), server.Addr())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, forget()) }()

	open, err := p.Reconcile(a.ctx)
	if fault.Of(err) == fault.Permanent {
		l.log.Error("some objects of the store are damaged; their imports wait until they are repaired, all others continue",
			zap.String("error", fault.Loggable(err)))
	} else if err != nil {
		return err
	}
	a.say("watching %s for files of owner %s; http://%s; %s", folder, l.owner, server.Addr(), unfinished(open))
	s.Up()
	tending, leave := context.WithCancel(working)
	var tended sync.WaitGroup
	if here, ok := p.(*running); ok { // else the workers of the cluster do it
		tended.Go(func() { here.Tend(tending) })
	}
	defer func() { leave(); tended.Wait() }()
	return l.watch(working, p, d, folder)
}

// unfinished counts the imports that a service resumes.
func unfinished(n int) string {
	if n == 0 {
		return "no unfinished imports"
	}
	return "resuming " + plural(int64(n), "unfinished import")
}

// queue is where drops are handed to.
type queue interface {
	Submit(ctx context.Context, r state.Request) error
	Reconcile(ctx context.Context) (int, error)
	Ready(ctx context.Context) error
	Catalog() *pipeline.Catalog
}

// queue starts the pipeline in this process, or, with nats.url, connects to that of the workers there. working ends with
// ctx, or when the pipeline of this process stops by itself; stop tells why.
func (l *local) queue(ctx context.Context, d pipeline.Deps) (q queue, working context.Context, stop func() error, err error) {
	if l.config.NATS.URL != "" {
		cluster := wiring.NATS(l.config.NATS, "pamline-up")
		cluster.Log, cluster.Wait = l.log, true
		r, err := pipeline.OpenRemote(ctx, d.Store, cluster, wiring.Topology(l.config))
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
func (l *local) watch(ctx context.Context, p queue, d pipeline.Deps, path string) error {
	settle := max(l.config.Drop.Settle, 100*time.Millisecond)
	f := &pipeline.Folder{
		Path: path, DefaultOwner: l.owner, Log: l.log, QuietLooks: int((l.config.Drop.Quiet + settle - 1) / settle),
		Take: func(ctx context.Context, drop pipeline.LocalDrop) error {
			importer, extractors, err := d.DropSettings(drop.Marker)
			if err != nil {
				return err
			}
			rec, err := pipeline.TakeIn(ctx, d.Store, drop.Owner, drop.Paths, l.scratch)
			if err != nil {
				return err
			}
			l.tellLeft(rec)
			r := state.Request{
				V: state.MessageVersion, Owner: drop.Owner, Drop: rec.Drop, Ask: d.NewID(), Lane: pipeline.Lane(rec.Bytes()), Importer: importer, Extractors: extractors,
			}
			if l.config.NATS.URL == "" { // else the workers may know more than this process does
				before, same, err := pipeline.RefusedBefore(ctx, d, r)
				if err != nil {
					return err
				}
				if same {
					l.log.Warn("refused earlier: the files are not read again; change them, or run `pamline dlq redrive --stage ingest`; `pamline status IMPORT` shows the reason",
						zap.String("owner", r.Owner), zap.String("import", before.Import))
					return nil
				}
			}
			l.log.Info("import accepted", zap.String("owner", drop.Owner), zap.String("drop", rec.Drop), zap.Int64("bytes", rec.Bytes()))
			return p.Submit(ctx, r)
		},
	}
	if err := f.Run(ctx, settle); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
