package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/cmd/internal/service"
	"github.com/pamline/pamline/cmd/internal/web"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/inbox"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// servicePlan says what a service of the data folder does beside its work.
type servicePlan struct {
	name string
	// watch: files in the drop folder are imported.
	watch bool
	// operations: the page shows the work of all owners, instead of a store.
	operations bool
	// ready is called when the service answers, with the address of the page; nil for none.
	ready func(address string) error
}

// runService runs the service of a data folder until the command ends.
func runService(a *app, loaded *config.Config, plan servicePlan) (err error) {
	log, err := a.logger(loaded)
	if err != nil {
		return err
	}
	s, err := service.Open(a.ctx, loaded, plan.name, version, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	l, err := openLocal(a.ctx, a, loaded, s.Meter)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	a.sayNewKey()
	if err := l.chooseOwner(plan.watch); err != nil {
		return err
	}
	folder := l.watched()
	if plan.watch {
		if err := errors.Join(dropFolderExists(l.config.Drop.Folder), l.apart(folder)); err != nil {
			return err
		}
	}

	options, err := l.options()
	if err != nil {
		return err
	}
	options.Inbox.Owner = l.owner
	options.ScanInbox = loaded.Store.Kind == "s3"
	options.Retry.Wary = api.WasKilled(l.data.Path())
	var shown atomic.Pointer[web.Page]
	options.Reports.Observe = func(e telemetry.Event) {
		if served := shown.Load(); served != nil && e.Stage == telemetry.StageDone && e.Change != nil && e.Change.Published {
			go l.indexPublished(served, e.Owner)
		}
	}
	options.Outside = func(ctx context.Context, owner string, all bool) error {
		var forgotten error
		if served := shown.Load(); served != nil {
			forgotten = served.Forget(owner)
		}
		return errors.Join(forgotten, l.reachErased(ctx, owner, all))
	}
	s.Watch(&options)
	p, err := l.startService(a.ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()

	admin, shut, err := api.OpenAdmin(l.data.Path())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut()) }()
	server := s.Serve(service.Endpoint{Ready: p.Ready, Imports: func() pipeline.Viewer { return p.Pipeline }, Folder: l.data.Path(), Admin: admin})
	reading, err := options.ReadingID()
	if err != nil {
		return err
	}
	admin.Serve(server.Handle, p.Pipeline, reading)
	served, err := l.mountPage(server, admin, p.Pipeline, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, served.Close()) }()
	shown.Store(served)
	if err := s.Listen(); err != nil {
		return err
	}
	defer context.AfterFunc(a.ctx, s.Drain)()
	forget, err := api.Announce(l.data.Path(), server.Addr())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, forget()) }()

	resumed, err := l.resume(a.ctx, p.Pipeline)
	if err != nil {
		return err
	}
	if !plan.watch {
		enter := func() (string, error) { return served.Enter(l.owner) }
		if plan.operations {
			enter = served.EnterOperations
		}
		path, err := enter()
		if err == nil {
			err = plan.ready("http://" + server.Addr() + path)
		}
		if err != nil {
			return err
		}
		s.Up()
		<-p.ctx.Done()
		if a.ctx.Err() != nil { // Ctrl-C is how the page is closed
			return nil
		}
		return context.Cause(p.ctx)
	}
	a.say("watching %s for files of owner %s; http://%s; %s", folder, l.owner, server.Addr(), resumed)
	s.Up()
	return p.WatchFolder(p.ctx, inbox.FolderOptions{Path: folder, Settle: max(loaded.Drop.Settle, 100*time.Millisecond), Scratch: l.scratch})
}
