package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/cmd/internal/restore"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
	"github.com/pamline/pamline/providers"
)

type restoreCommand struct {
	Provider string `required:"" placeholder:"NAME" help:"The provider whose conversations to write: an importer (${providers}), or a provider name as the bundle has it."`
	Out      string `short:"o" required:"" placeholder:"DIR" type:"path" help:"Folder to write to; it is created if it does not exist."`
	Force    bool   `help:"Replace existing files."`
	Import   string `placeholder:"ID" help:"Write the conversations as this import contained them, before they were merged with others. Needs the data folder."`
	Bundle   string `arg:"" optional:"" name:"path" type:"path" help:"A bundle: folder, zip, or store file. Default: the store of the data folder."`
	bundleFlags
	format
}

func (restoreCommand) Help() string {
	return "Writes the conversations of one provider in that provider's own JSON, in the order of the bundle. If a provider name belongs\n" +
		"to several importers, each gets a folder of its own in DIR. Formats that are not JSON (tables, pages, databases) cannot be\n" +
		"rebuilt; their rows are kept in raw_metadata. Conversations that were merged from several archives are written as they are now;\n" +
		"--import writes the state of one archive instead. What cannot be rebuilt is always reported: records such as profiles and settings, skipped rows,\n" +
		"and conversations that another tool wrote. If any is known, the exit code is 3.\n\n" +
		"Example:\n  pamline restore --provider chatgpt -o restored pam-out/bundle"
}

// restored is the report.
type restored struct {
	restore.Result
	// Left is what imports read and restore does not write; not known of a bundle that the data
	// folder did not publish.
	Left *leftOut `json:"left,omitempty"`
}

func (r *restored) WriteText(w io.Writer) error {
	for _, f := range r.Files {
		if _, err := fmt.Fprintf(w, "%s restored to %s\n", pluralNoun(f.Conversations, "conversation"), f.File); err != nil {
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
	show := progress.New(a.stderr, a.terminal)
	result, err := restore.Run(a.ctx, restore.Options{
		Name: c.Provider, Folder: c.Out, Replace: c.Force, Documents: documents.observed(show),
		Importer: func(version, name string) (restore.Importer, error) {
			if i, err := registry.ByVersion(version); err == nil {
				return i, nil
			}
			return registry.ByName(name)
		},
	})
	show.Stop()
	if errors.Is(err, restore.ErrNone) && left.lost() {
		left.say(a)
		return exit.With(exit.Partial, fmt.Errorf("%w: what was read of it are memories and other records, and no file is built of them. %s", err, restoreHint(c.Provider)))
	}
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
		a.say("and %d more conversations were not restored", more)
	}
	if result.NoInverse > 0 {
		a.say("%s from pages, tables or databases cannot be rebuilt; the original rows are kept in raw_metadata", pluralNoun(result.NoInverse, "conversation"))
	}
	if result.Folded > 0 {
		a.say("%s merged from several archives: written as they are now; --import writes the state of one archive", pluralNoun(result.Folded, "conversation"))
	}
	if result.OtherTools > 0 {
		a.say("%s written by another tool: what that tool omitted cannot be rebuilt", pluralNoun(result.OtherTools, "conversation"))
	}
	left.say(a)
	if err := c.print(a, &restored{result, left}); err != nil {
		return err
	}
	if lost := result.Failed + result.NoInverse; lost > 0 {
		return exit.With(exit.Partial, fmt.Errorf("restore: %d of %d conversations were not restored", lost, lost+result.Conversations))
	}
	if result.OtherTools > 0 || left.lost() {
		return exit.With(exit.Partial, nil)
	}
	return nil
}

// restoreHint says where the records of a provider are.
func restoreHint(provider string) string {
	switch provider {
	case "portable-memory":
		return "A bundle comes back with: pamline convert --to mem -o FOLDER OWNER"
	case "mif":
		return "A document comes back with: pamline convert --to mif -o FILE.json OWNER"
	}
	return "The element that each memory was made of is kept as it was: in the metadata of an adopted memory, under the name of the provider, and in the archive that was imported"
}

// documents opens what is to be restored: a bundle, or the snapshots of one import with what it
// read beside them.
func (c *restoreCommand) documents(a *app) (source documents, left *leftOut, closeSource func() error, err error) {
	if c.Import == "" {
		path, remove, err := c.bundle(a, c.Bundle)
		if err != nil {
			return source, nil, nil, err
		}
		bundle, err := pamio.OpenBundle(path)
		if err != nil {
			return source, nil, nil, errors.Join(err, remove())
		}
		closeBundle := func() error { return errors.Join(bundle.Close(), remove()) }
		if c.Bundle == "" {
			left, err = c.leftOfStore(a)
		} else {
			left, err = c.leftOfBundle(a, bundle)
		}
		if err != nil {
			return source, nil, nil, errors.Join(err, closeBundle())
		}
		return documents{restore.Bundle(bundle), countConversations(bundle.FS())}, left, closeBundle, nil
	}
	loaded, err := c.load(a, map[string]string{"data": c.Data})
	if err != nil {
		return source, nil, nil, err
	}
	var found status.Row
	var receipt state.Receipt
	err = withViewer(a, loaded, func(v pipeline.Viewer) (err error) {
		if found, err = findImport(a.ctx, v, c.Owner, c.Import); err == nil {
			receipt, err = v.Report(a.ctx, found.Ref(), found.Gen)
		}
		return err
	})
	if err != nil {
		return source, nil, nil, err
	}
	l, err := viewStore(a, loaded)
	if err != nil {
		return source, nil, nil, err
	}
	left = leftOf(receipt.Counts)
	return documents{total: found.Conversations, all: func(yield func(restore.Document, error) bool) {
		for s, err := range publish.Snapshots(a.ctx, l.store, found.Owner, found.Import) {
			if !yield(restore.Document{Conversation: s.Conversation, Platform: s.Platform, Importer: s.Importer, Raw: s.Doc}, err) {
				return
			}
		}
	}}, left, l.Close, nil
}

// documents are the conversations to restore, and how many there are (0: not known).
type documents struct {
	all   iter.Seq2[restore.Document, error]
	total int64
}

// observed shows how far they are read.
func (d documents) observed(show *progress.Display) iter.Seq2[restore.Document, error] {
	return func(yield func(restore.Document, error) bool) {
		done := int64(0)
		for doc, err := range d.all {
			if !yield(doc, err) {
				return
			}
			done++
			show.Count("restoring", done, d.total)
		}
	}
}

// countConversations is how many conversation files a bundle has: 0 when they cannot be listed, for
// it is for progress only.
func countConversations(files fs.FS) int64 {
	names, err := fs.ReadDir(files, "conversations")
	if err != nil {
		return 0
	}
	return int64(len(names))
}
