package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
)

type statusCommand struct {
	Data    string `placeholder:"DIR" type:"path" help:"The data folder. Default: the user data folder."`
	Owner   string `placeholder:"ID" type:"owner" help:"Only this owner's imports."`
	Watch   bool   `help:"Show again every second until all imports have ended."`
	Rejects bool   `help:"List what the gates of an import held back: reason, rule and place, one a line. The words stay where they are."`
	Import  string `arg:"" optional:"" help:"The id of an import, or its first characters."`
	settings
	format
}

func (statusCommand) Help() string {
	return "Shows how imports stand: from the running service of the data folder if there is one, else from the folder itself.\n" +
		"With an import's id it shows the receipt.\n\n" +
		"Example:\n  pamline status --watch"
}

type importsCommand struct {
	Data  string `placeholder:"DIR" type:"path" help:"The data folder. Default: the user data folder."`
	Owner string `placeholder:"ID" type:"owner" help:"Only this owner's imports."`
	settings
	format
}

func (importsCommand) Help() string {
	return "Lists all imports with their state and counts.\n\nExample:\n  pamline imports --format json"
}

func (c *importsCommand) Run(a *app) error {
	loaded, err := c.load(a, map[string]string{"data": c.Data})
	if err != nil {
		return err
	}
	list, err := statuses(a.ctx, loaded, c.Owner)
	if err != nil {
		return err
	}
	return c.print(a, list)
}

func (c *statusCommand) Run(a *app) error {
	loaded, err := c.load(a, map[string]string{"data": c.Data})
	if err != nil {
		return err
	}
	switch {
	case c.Rejects && (c.Import == "" || c.Watch):
		return exit.With(exit.Usage, errors.New("status: --rejects needs the id of an import, and no --watch"))
	case c.Rejects:
		return c.rejects(a, loaded)
	case c.Import != "" && !c.Watch:
		return c.receipt(a, loaded)
	}
	for {
		list, err := statuses(a.ctx, loaded, c.Owner)
		if err != nil {
			return err
		}
		if c.Import != "" {
			list = slices.DeleteFunc(list, func(s pipeline.Status) bool { return !strings.HasPrefix(s.Import, c.Import) })
		}
		if err := c.print(a, list); err != nil {
			return err
		}
		if !c.Watch || !slices.ContainsFunc(list, pipeline.Status.Open) {
			return nil
		}
		select {
		case <-a.ctx.Done():
			return a.ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// receipt shows one import whole.
func (c *statusCommand) receipt(a *app, loaded *config.Config) error {
	found, err := findImport(a, loaded, c.Owner, c.Import)
	if err != nil {
		return err
	}
	if found.Open() {
		return c.print(a, statusList{found})
	}
	var r pipeline.Receipt
	err = withStore(a.ctx, loaded, func(s blob.Store) (err error) {
		r, _, err = pipeline.ReadReceipt(a.ctx, s, found.Owner, found.Import)
		return err
	})
	if err != nil {
		return err
	}
	folder, err := datadir.Find(loaded.Data)
	if err != nil {
		return err
	}
	place := func(key string) string {
		return wiring.Place(loaded.Store, filepath.Join(folder, datadir.StoreFolder), key)
	}
	return c.print(a, &receiptReport{Receipt: r, receipt: place(pipeline.ReceiptKey(r.Owner, r.Import)), store: place(pipeline.StoreKey(r.Owner))})
}

// findImport finds the one import whose id starts like this.
func findImport(a *app, loaded *config.Config, owner, start string) (pipeline.Status, error) {
	list, err := statuses(a.ctx, loaded, owner)
	if err != nil {
		return pipeline.Status{}, err
	}
	list = slices.DeleteFunc(list, func(s pipeline.Status) bool { return !strings.HasPrefix(s.Import, start) })
	switch len(list) {
	case 0:
		return pipeline.Status{}, exit.With(exit.Failed, fmt.Errorf("there is no import %s: `pamline imports` lists all", start))
	case 1:
		return list[0], nil
	}
	return pipeline.Status{}, exit.With(exit.Usage, fmt.Errorf("%d imports start with %s: give more of the id", len(list), start))
}

type receiptReport struct {
	pipeline.Receipt
	receipt, store string // where a person finds them
}

func (r *receiptReport) WriteText(w io.Writer) error {
	p := &printer{w: w}
	p.line("import %s of %s", r.Import, r.Owner)
	var names []string
	for _, part := range r.Parts {
		names = append(names, part.Name)
	}
	importedDrop{Files: names, Receipt: r.Receipt, ReceiptPlace: r.receipt, StorePlace: r.store}.write(p, false)
	return p.err
}

type statusList []pipeline.Status

func (l statusList) WriteText(w io.Writer) error {
	p := &printer{w: w}
	if len(l) == 0 {
		p.line("There are no imports yet.")
	}
	for _, s := range l {
		id := s.Import
		if id == "" {
			id = "(drop " + s.Drop[:min(16, len(s.Drop))] + ")"
		}
		progress := ""
		if s.Open() && s.BytesTotal > 0 {
			progress = fmt.Sprintf(", %d%% read", 100*s.BytesRead/s.BytesTotal)
		}
		p.line("%-34s %-12s %-18s %s, %d of %d shards extracted%s", id, s.Owner, s.State, plural(s.Conversations, "conversation"), s.Extracted, s.Shards, progress)
	}
	return p.err
}

// statuses asks the running service, else the data folder itself, which can be read while a service uses it.
func statuses(ctx context.Context, c *config.Config, owner string) (statusList, error) {
	folder, err := datadir.Find(c.Data)
	if err != nil {
		return nil, err
	}
	list, err := api.Ask(ctx, folder, owner)
	if err == nil || !errors.Is(err, api.ErrNotRunning) {
		return list, err
	}
	var out statusList
	err = withStore(ctx, c, func(s blob.Store) error {
		list, err := api.Statuses(ctx, s, owner)
		out = list
		return err
	})
	return out, err
}

// withStore opens the store for reading, without the data folder's lock.
func withStore(ctx context.Context, c *config.Config, use func(blob.Store) error) error {
	s, closeStore, err := readStore(ctx, c)
	if err != nil {
		return err
	}
	return errors.Join(use(s), closeStore())
}

// readStore opens the store for reading, without the data folder's lock.
func readStore(ctx context.Context, c *config.Config) (blob.Store, func() error, error) {
	folder, err := datadir.Find(c.Data)
	if err != nil {
		return nil, nil, err
	}
	local := filepath.Join(folder, datadir.StoreFolder)
	if _, err := os.Stat(local); c.Store.Kind == "dir" && c.Store.Dir.Path == "" && errors.Is(err, os.ErrNotExist) {
		return nil, nil, exit.With(exit.Failed, fmt.Errorf("%s has no store yet: import something first, or name another folder with --data", folder))
	}
	return wiring.OpenStore(ctx, c, local, zap.NewNop())
}
