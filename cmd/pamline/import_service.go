package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/state"
)

// throughService imports with the running service of the data folder: this process puts the files into the inbox, asks the
// service to read them, and waits for the receipt. inUse is why it does not do the work itself.
func (c *importCommand) throughService(a *app, loaded *config.Config, inUse error) (report *imported, err error) {
	h := &handover{config: loaded}
	defer func() { err = errors.Join(err, h.Close()) }()
	if err := h.findService(inUse); err != nil {
		return nil, err
	}
	if loaded.NATS.URL != "" {
		return nil, fmt.Errorf("%w: its service hands work to a cluster: put the files into its drop folder, or into the inbox of the bucket", inUse)
	}
	if err := h.openStore(a.ctx, a, readStore); err != nil {
		return nil, err
	}
	d, err := h.deps()
	if err != nil {
		return nil, err
	}
	data, err := datadir.Look(loaded.Data)
	if err != nil {
		return nil, err
	}
	l := &local{config: loaded, data: data, log: h.log}
	if err := l.chooseOwner(false); err != nil {
		return nil, err
	}
	report = &imported{}
	for _, files := range c.drops() {
		one, err := c.oneThroughService(a.ctx, h, d, l, files)
		if err != nil {
			return nil, err
		}
		report.Drops = append(report.Drops, one)
	}
	return report, c.finishOut(a.ctx, d.Store, l, report)
}

func (c *importCommand) oneThroughService(ctx context.Context, h *handover, d pipeline.Deps, l *local, files []string) (importedDrop, error) {
	out := importedDrop{Files: files}
	rec, taken, err := c.takeIn(ctx, d, l, &out)
	if err != nil || !taken {
		return out, err
	}
	ask := pipeline.ReplayAsk{Owner: l.owner, Drop: rec.Drop, Importer: c.pin, Extractors: c.Extractors}
	handed, err := pipeline.HandOver(ctx, d, state.Request{Owner: ask.Owner, Drop: ask.Drop, Importer: ask.Importer, Extractors: ask.Extractors})
	if err != nil {
		return out, err
	}
	var answer pipeline.Replay
	if err := h.service.Post(ctx, replayPath, ask, &answer); err != nil {
		return out, serviceError(err)
	}
	if answer.State != pipeline.ReplayQueued && answer.State != pipeline.ReplayUnchanged {
		return out, exit.With(exit.Failed, fmt.Errorf("import: %s", answer.Reason))
	}
	handed.Request = answer.Request
	r, told, err := awaitEnd(ctx, d, handed, h.service.Alive)
	if err != nil {
		return out, err
	}
	if !told || answer.State == pipeline.ReplayUnchanged { // the receipt is that of an earlier import of the same drop
		r.Store.Published, r.Store.Stats, r.Store.Changes = false, nil, nil
	}
	out.Receipt = r
	place := func(key string) string { return wiring.Place(l.config.Store, l.storeFolder(), key) }
	out.ReceiptPlace, out.StorePlace = place(state.ReceiptKey(l.owner, r.Import)), place(state.StoreKey(l.owner))
	return out, nil
}
