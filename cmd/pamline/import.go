package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/pipeline"
)

type importCommand struct {
	Data       string   `placeholder:"DIR" type:"path" help:"Folder for state, queue and store. Default: the user data folder."`
	Owner      string   `placeholder:"ID" help:"Whose memories these are. Default: an id made once for the data folder."`
	Out        string   `placeholder:"DIR" type:"path" help:"Write a copy of the published bundle to DIR, replacing the bundle there as a whole."`
	Workers    int      `placeholder:"N" help:"How many units are worked on at the same time. Default: one for each processor."`
	Importer   string   `placeholder:"V" help:"Read with this importer only, for example chatgpt-importer/2026.07."`
	Extractors []string `placeholder:"LIST" help:"Extractors to use, separated by commas. Default: all. See pamline version."`
	Each       bool     `help:"Take each FILE as a drop of its own. Otherwise all are one drop."`
	DryRun     bool     `help:"Do everything but keep nothing: show what would be read and what would change."`
	Files      []string `arg:"" name:"FILE" type:"path" help:"Archives, folders or files of an export."`
	settings
	format
}

func (importCommand) Help() string {
	return "Takes export archives to a published memory store, in this process. Interrupted or killed, the same command goes on where it was.\n\n" +
		"Example:\n  pamline import --owner me --out my-memories chatgpt-export.zip"
}

func (c *importCommand) Run(a *app) error {
	workers := ""
	if c.Workers != 0 {
		workers = strconv.Itoa(c.Workers)
	}
	loaded, err := c.load(a, map[string]string{"data": c.Data, "owner": c.Owner, "workers": workers})
	if err != nil {
		return err
	}
	for _, file := range c.Files {
		if _, err := os.Stat(file); err != nil {
			return exit.With(exit.Usage, fmt.Errorf("import: %w", err))
		}
	}
	l, err := openLocal(a.ctx, a, loaded)
	if err != nil {
		return err
	}
	report, err := c.run(a, l)
	if err := errors.Join(err, l.Close()); err != nil {
		if a.ctx.Err() != nil && !c.DryRun {
			a.say("stopped; what is done is kept: run the same command again to go on")
		}
		return err
	}
	if err := c.print(a, report); err != nil {
		return err
	}
	return report.verdict()
}

// run imports the drops one after the other.
func (c *importCommand) run(a *app, l *local) (report *imported, err error) {
	d := l.deps()
	folder := l.data.Path()
	if c.DryRun {
		var discard func() error
		if d.Store, discard, err = pipeline.Overlay(d.Store, l.scratch); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, discard()) }()
		folder = l.scratch
	}
	show := progress.New(a.stderr, a.terminal)
	d.Observe = watcher(show)
	p, err := start(a.ctx, d, folder)
	if err != nil {
		show.Stop()
		return nil, err
	}
	report = &imported{DryRun: c.DryRun}
	for _, drop := range c.drops() {
		var one importedDrop
		if one, err = c.one(a.ctx, p, d, l, drop); err != nil {
			break
		}
		report.Drops = append(report.Drops, one)
	}
	show.Stop()
	stopped := make(chan error, 1)
	go func() { stopped <- p.stop() }() // the broker takes a quarter of a second to end
	if err == nil && c.Out != "" && report.any() {
		err = pipeline.CopyBundle(a.ctx, d.Store, l.owner, c.Out)
		report.Out = c.Out
	}
	if err = errors.Join(err, <-stopped); err != nil {
		return nil, err
	}
	return report, nil
}

func (c *importCommand) drops() [][]string {
	if !c.Each {
		return [][]string{c.Files}
	}
	var out [][]string
	for _, f := range c.Files {
		out = append(out, []string{f})
	}
	return out
}

// patience is how many outages of storage a one-shot import waits through before it stops.
func patience(d pipeline.Deps) int { return d.Attempts }

func (c *importCommand) one(ctx context.Context, p *running, d pipeline.Deps, l *local, files []string) (importedDrop, error) {
	out := importedDrop{Files: files}
	rec, err := pipeline.TakeIn(ctx, d.Store, l.owner, files, d.Limits.Archive, d.Scratch)
	if err != nil {
		return out, err
	}
	req := pipeline.Request{
		V: pipeline.MessageVersion, Owner: l.owner, Drop: rec.Drop, Importer: c.Importer, Extractors: c.Extractors, Lane: pipeline.Lane(rec.Bytes()),
	}
	events, stop := p.Watch(l.owner, rec.Drop)
	defer stop()
	if err := p.Submit(ctx, req); err != nil {
		return out, err
	}
	out.Receipt, err = p.Wait(ctx, events, req, patience(d))
	var f *pipeline.Fault
	if errors.As(err, &f) && f.Class == pipeline.Outage {
		return out, fmt.Errorf("import stopped, the store is unchanged: %w. Mend that and run the same command again: it goes on where it was", f.Err)
	}
	if !c.DryRun {
		out.ReceiptPlace = l.place(pipeline.ReceiptKey(l.owner, out.Receipt.Import))
		out.StorePlace = l.place(pipeline.StoreKey(l.owner))
	}
	return out, err
}

// watcher shows the pipeline's progress.
func watcher(show *progress.Display) pipeline.Observe {
	return func(e pipeline.Event) {
		switch e.Stage {
		case pipeline.StageIngest:
			if e.Total > 0 {
				show.Bytes("read", e.Bytes, e.Total)
			}
		case pipeline.StageExtract:
			if e.Units > 0 {
				show.Count("extract", e.Units, e.Of)
			}
		}
	}
}

// joinLimited lists the first few of many.
func joinLimited(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
}
