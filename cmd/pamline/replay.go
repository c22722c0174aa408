package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

type replayCommand struct {
	Data            string   `placeholder:"DIR" type:"path" help:"The data folder. Default: the user data folder."`
	Import          string   `placeholder:"ID" help:"Read this import again: its id, or its first characters."`
	Owner           string   `placeholder:"ID" type:"owner" help:"Imports of this owner."`
	Provider        string   `placeholder:"NAME" help:"Imports of this provider: ${providers}."`
	ImporterVersion string   `placeholder:"V" help:"Imports that this version of an importer has read, for example chatgpt-importer/2026.07."`
	Since           string   `placeholder:"TIME" help:"Imports that finished at or after this time: 2026-05-31, or 2026-05-31T14:00:00Z."`
	Until           string   `placeholder:"TIME" help:"Imports that finished before this time."`
	All             bool     `help:"All imports of all owners."`
	Importer        string   `placeholder:"V" help:"Read with this importer only. Default: the newest importer for each format."`
	Extractors      []string `placeholder:"LIST" help:"Extractors to use, separated by commas. Default: the setting extract.extractors."`
	Incomplete      bool     `help:"Let a result with failed parts replace a complete one. Default: the store keeps the complete one."`
	DryRun          bool     `help:"Do everything except save, and show what would change. Models are not called; their cost is estimated."`
	Limit           int      `placeholder:"N" default:"50" help:"How many changes of each kind a dry run lists."`
	NoWait          bool     `help:"Do not wait for the result when a service or workers do the work."`
	settings
	format
}

func (replayCommand) Help() string {
	return "Reads earlier imports again from the files kept in the inbox, with the newest importers and extractors or with those named. The\n" +
		"new result replaces the earlier one; if both are equal, nothing is written. At least one condition is needed, and all must hold.\n" +
		"If it is interrupted, run the same command again: it resumes. The work is done by the workers of nats.url, else by a running\n" +
		"service, else by this process.\n\n" +
		"Examples:\n  pamline replay --owner me --dry-run\n  pamline replay --importer-version chatgpt-importer/2026.07"
}

// idForm is the id of an import or a drop, or its beginning.
var idForm = regexp.MustCompile(`^[0-9a-f]{6,64}$`)

func (c *replayCommand) Run(a *app) error {
	loaded, err := c.load(a, map[string]string{"data": c.Data})
	if err != nil {
		return err
	}
	sel, err := c.selection()
	if err == nil {
		err = c.usable(loaded)
	}
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	report := newReplayReport(a.stdout, c.json(), c.DryRun)
	if c.DryRun {
		err = c.dryRun(a, loaded, sel, report)
	} else {
		err = c.replay(a, loaded, sel, report)
	}
	if report.begun() {
		err = errors.Join(err, report.end())
	}
	if a.ctx.Err() == nil {
		err = errors.Join(err, a.refreshCopiesOf(loaded, report.changedOwners()))
	}
	if a.ctx.Err() != nil && err != nil {
		if !c.DryRun {
			a.say("stopped; finished work is kept: run the same command again to resume")
		}
		return err
	}
	if err != nil {
		return err
	}
	return report.verdict()
}

// selection is what the flags select.
func (c *replayCommand) selection() (replay.Selection, error) {
	sel := replay.Selection{Import: c.Import, Owner: c.Owner, Provider: c.Provider, Importer: c.ImporterVersion}
	if c.Import == "" && c.Owner == "" && c.Provider == "" && c.ImporterVersion == "" && c.Since == "" && c.Until == "" && !c.All {
		return sel, errors.New("replay: select the imports to read again: --import, --owner, --provider, --importer-version, --since, --until or --all")
	}
	if c.Import != "" && !idForm.MatchString(c.Import) {
		return sel, fmt.Errorf("replay: %q is not the id of an import or at least 6 of its first characters: `pamline imports` lists them", c.Import)
	}
	registry := providers.Default()
	if c.Provider != "" {
		if _, err := registry.ByName(c.Provider); err != nil {
			return sel, err
		}
	}
	if c.ImporterVersion != "" {
		if _, err := registry.ByVersion(c.ImporterVersion); err != nil {
			return sel, err
		}
	}
	var err error
	if sel.Since, err = parseMoment("--since", c.Since); err != nil {
		return sel, err
	}
	if sel.Until, err = parseMoment("--until", c.Until); err != nil {
		return sel, err
	}
	if !sel.Until.IsZero() && !sel.Since.Before(sel.Until) {
		return sel, errors.New("replay: --until is not after --since")
	}
	return sel, nil
}

// parseMoment reads a time: a date, which is midnight UTC, or a time of RFC 3339.
func parseMoment(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(form, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("replay: %s %q is not a time: use 2026-05-31, or 2026-05-31T14:00:00Z", flag, text)
}

// usable finds what is wrong with what is to be read by.
func (c *replayCommand) usable(loaded *config.Config) error {
	if _, err := pinnedImporter(providers.Default(), "", c.Importer); err != nil {
		return err
	}
	known, err := wiring.Extractors(loaded)
	if err != nil {
		return err
	}
	if _, err := known.Select(c.Extractors...); err != nil {
		return err
	}
	switch {
	case c.Limit < 0:
		return errors.New("replay: --limit is negative")
	case c.DryRun && c.NoWait:
		return errors.New("replay: --dry-run and --no-wait exclude each other")
	}
	return nil
}

// explainEmpty says why nothing is selected.
func (c *replayCommand) explainEmpty(ctx context.Context, s blob.Store) error {
	if c.Owner != "" {
		known, err := objects.HasAny(ctx, s, state.OwnerKey(c.Owner, ""))
		if err != nil {
			return err
		}
		if !known {
			return exit.With(exit.Failed, fmt.Errorf("owner %s has no imports: `pamline imports` lists all imports with their owners", c.Owner))
		}
	}
	if c.Import != "" {
		return exit.With(exit.Failed, fmt.Errorf("no finished import %s: `pamline imports` lists all", c.Import))
	}
	return exit.With(exit.Failed, errors.New("no finished import meets all these conditions: `pamline imports` lists all"))
}
