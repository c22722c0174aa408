package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/restore"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/providers"
)

type restoreCommand struct {
	Provider string `required:"" placeholder:"NAME" help:"Whose conversations to write: an importer (${providers}), or the name that a bundle has for a provider."`
	Out      string `short:"o" required:"" placeholder:"DIR" type:"path" help:"Folder to write into; it is made if need be."`
	Force    bool   `help:"Replace a file that is already there."`
	Import   string `placeholder:"ID" help:"Write what this import's archive said, before anything was folded into it. Needs the data folder of the import."`
	Bundle   string `arg:"" optional:"" name:"path" type:"path" help:"A bundle: folder, zip, or store file. Default: the store of the data folder."`
	bundleFlags
	format
}

func (restoreCommand) Help() string {
	return "The inverse of an import: the conversations of one provider, in the order of the bundle, as that provider's own JSON. Each\n" +
		"is written by the importer that read it; where a provider's name is that of several, each has a folder of its own in DIR.\n" +
		"Formats that are not JSON (tables, pages, databases) are not built again: their rows are kept in raw_metadata. A\n" +
		"conversation that was put together from several archives is written as it is now, and counted; --import writes the state of\n" +
		"one of the archives instead. What cannot be rebuilt is always reported: records such as profiles and settings, skipped rows,\n" +
		"and conversations that another tool wrote.\n\n" +
		"Example:\n  pamline restore --provider chatgpt -o restored pam-out/bundle"
}

// restored is the report.
type restored struct {
	restore.Result
	// Left is what the import read and restore does not write; only known with --import.
	Left *leftOut `json:"left,omitempty"`
}

// leftOut counts what an import read beside conversations, and what it could not read.
type leftOut struct {
	Records     map[string]int64              `json:"records,omitempty"`
	Skips       map[string]pipeline.SkipCount `json:"skips,omitempty"`
	Quarantined int64                         `json:"quarantined,omitempty"`
}

func (r *restored) WriteText(w io.Writer) error {
	for _, f := range r.Files {
		if _, err := fmt.Fprintf(w, "%d conversations restored to %s\n", f.Conversations, f.File); err != nil {
			return err
		}
	}
	return nil
}

func (c *restoreCommand) Run(a *app) (err error) {
	registry := providers.Default()
	documents, left, closeSource, err := c.documents(a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeSource()) }()
	result, err := restore.Run(a.ctx, restore.Options{
		Name: c.Provider, Folder: c.Out, Replace: c.Force, Documents: documents,
		Importer: func(version, name string) (restore.Importer, error) {
			if i, err := registry.ByVersion(version); err == nil {
				return i, nil
			}
			return registry.ByName(name)
		},
	})
	if errors.Is(err, restore.ErrNone) {
		if _, unknown := registry.ByName(c.Provider); unknown != nil {
			return exit.With(exit.Usage, fmt.Errorf("%w; %w", err, unknown))
		}
	}
	if err != nil {
		return err
	}
	for _, m := range result.Missing {
		a.say("conversation %s was not restored: %s", m.Conversation, m.Reason)
	}
	if more := result.Failed - int64(len(result.Missing)); more > 0 {
		a.say("and %d more that were not restored", more)
	}
	if result.NoInverse > 0 {
		a.say("%d conversations were read from files that are not JSON, such as pages, tables and databases, which are not built again: what their rows said is kept in raw_metadata of each", result.NoInverse)
	}
	if result.Folded > 0 {
		a.say("%d conversations were put together from several archives: each is written as it is now, not as one archive had it", result.Folded)
	}
	if result.OtherTools > 0 {
		a.say("%d conversations were written by another tool: what that tool left out of them cannot be rebuilt", result.OtherTools)
	}
	left.say(a)
	if err := c.print(a, &restored{result, left}); err != nil {
		return err
	}
	if lost := result.Failed + result.NoInverse; lost > 0 {
		return exit.With(exit.Partial, fmt.Errorf("restore: %d of %d conversations could not be restored", lost, lost+result.Conversations))
	}
	if result.OtherTools > 0 || left.lost() {
		return exit.With(exit.Partial, nil)
	}
	return nil
}

// say names what an import read and restore does not write. A bundle does not tell.
func (l *leftOut) say(a *app) {
	if l == nil {
		a.say("a bundle holds conversations only: records (profiles, settings, single events) and skipped rows of the export are not restored; --import ID counts them")
		return
	}
	for _, kind := range slices.Sorted(maps.Keys(l.Records)) {
		a.say("not restored: %d records of kind %s", l.Records[kind], kind)
	}
	for _, code := range slices.Sorted(maps.Keys(l.Skips)) {
		a.say("not restored: %d × %s (%s)", l.Skips[code].Count, code, l.Skips[code].Reason)
	}
	if l.Quarantined > 0 {
		a.say("not restored: %d parts of the export that could not be read; the receipt names them", l.Quarantined)
	}
}

// lost tells whether something of the export is certainly missing from what was written.
func (l *leftOut) lost() bool { return l != nil && (len(l.Records) > 0 || l.Quarantined > 0) }

// documents opens what is to be restored: a bundle, or the snapshots of one import with what it read beside them.
func (c *restoreCommand) documents(a *app) (iter.Seq2[restore.Document, error], *leftOut, func() error, error) {
	if c.Import == "" {
		path, remove, err := c.bundle(a, c.Bundle)
		if err != nil {
			return nil, nil, nil, err
		}
		bundle, err := pamio.OpenBundle(path)
		if err != nil {
			return nil, nil, nil, errors.Join(err, remove())
		}
		return restore.Bundle(bundle), nil, func() error { return errors.Join(bundle.Close(), remove()) }, nil
	}
	loaded, err := c.load(a, map[string]string{"data": c.Data})
	if err != nil {
		return nil, nil, nil, err
	}
	found, err := findImport(a, loaded, c.Owner, c.Import)
	if err != nil {
		return nil, nil, nil, err
	}
	store, closeStore, err := viewStore(a.ctx, loaded)
	if err != nil {
		return nil, nil, nil, err
	}
	receipt, _, err := pipeline.ReadReceipt(a.ctx, store, found.Owner, found.Import)
	if err != nil {
		return nil, nil, nil, errors.Join(err, closeStore())
	}
	left := &leftOut{receipt.Counts.Records, receipt.Counts.Skips, receipt.Counts.Quarantined}
	return func(yield func(restore.Document, error) bool) {
		for s, err := range pipeline.Snapshots(a.ctx, store, found.Owner, found.Import) {
			if !yield(restore.Document{Conversation: s.Conversation, Platform: s.Platform, Importer: s.Importer, Raw: s.Doc}, err) {
				return
			}
		}
	}, left, closeStore, nil
}
