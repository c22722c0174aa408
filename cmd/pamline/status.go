package main

import (
	"cmp"
	"errors"
	"io"
	"path/filepath"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/inbox"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// selection is which imports a command lists.
type selection struct {
	Data  string `placeholder:"DIR" type:"path" help:"The data folder. Default: the user data folder."`
	Owner string `placeholder:"ID" type:"owner" help:"Only this owner's imports."`
	State string `placeholder:"STATE" help:"Only imports in this state: waiting, reading, extracting, assembling, done, done with losses, refused, failed, erased, unreadable, or open (unfinished)."`
	Limit int    `placeholder:"N" default:"50" help:"Show at most N imports: running ones first, then the newest. 0 shows all."`
}

func (s selection) query() status.Query {
	return status.Query{Owner: s.Owner, State: s.State, Limit: s.Limit}
}

type statusCommand struct {
	selection
	Watch   bool   `help:"Update every second until all imports have finished. If there are none yet, wait for the first."`
	Titles  bool   `help:"With the receipt of an import, list the conversations that are new, grown, or missing from this export."`
	Rejects bool   `help:"List the statements of an import that were not made memories: reason, rule and place, without the text."`
	Import  string `arg:"" optional:"" help:"Id of an import, or its first characters."`
	settings
	format
}

func (statusCommand) Help() string {
	return "Shows the state of imports. With the id of an import, it shows the receipt. The source is the running service of the data\n" +
		"folder, else the store itself, with the progress that the cluster of nats.url reports. Nothing is changed; read access is enough.\n\n" +
		"Example:\n  pamline status --watch"
}

type importsCommand struct {
	selection
	Older bool `help:"Also list the earlier imports of the same files, which later ones have replaced."`
	settings
	format
}

func (importsCommand) Help() string {
	return "Lists imports with time, file, provider, state and reason: running ones first, then the newest.\n\n" +
		"Example:\n  pamline imports --owner anna --limit 0 --format json"
}

func (c *importsCommand) Run(a *app) error {
	loaded, err := c.load(a, map[string]string{"data": c.Data})
	if err != nil {
		return err
	}
	q := c.query()
	q.Older = c.Older
	return withViewer(a, loaded, func(v pipeline.Viewer) error { return c.show(a, v, q) })
}

// show prints a list once.
func (f format) show(a *app, v pipeline.Viewer, q status.Query) error {
	list, err := v.Imports(a.ctx, q)
	if err != nil {
		return queryError(err)
	}
	if err := f.print(a, statusList(list.Imports)); err != nil {
		return err
	}
	if list.Next != "" {
		a.say("there are more imports; --limit 0 shows all")
	}
	return nil
}

func (c *statusCommand) Run(a *app) error {
	loaded, err := c.load(a, map[string]string{"data": c.Data})
	if err != nil {
		return err
	}
	switch {
	case c.Titles && (c.Import == "" || c.Watch):
		return exit.With(exit.Usage, errors.New("status: --titles needs the id of an import, and excludes --watch"))
	case c.Rejects && (c.Import == "" || c.Watch):
		return exit.With(exit.Usage, errors.New("status: --rejects needs the id of an import, and excludes --watch"))
	case c.Watch:
		return c.watch(a, loaded)
	}
	return withViewer(a, loaded, func(v pipeline.Viewer) error {
		if c.Import == "" {
			return c.show(a, v, c.query())
		}
		found, err := findImport(a.ctx, v, c.Owner, c.Import)
		if err != nil {
			return err
		}
		if c.Rejects {
			return c.rejects(a, loaded, found)
		}
		return c.receipt(a, loaded, v, found)
	})
}

// receipt shows one import whole.
func (c *statusCommand) receipt(a *app, loaded *config.Config, v pipeline.Viewer, found status.Row) error {
	if found.IsOpen() || found.State == status.StateUnreadable {
		return c.print(a, statusList{found})
	}
	r, err := v.Report(a.ctx, found.Ref(), found.Gen)
	if err != nil {
		return err
	}
	folder, err := datadir.Find(loaded.Data)
	if err != nil {
		return err
	}
	encrypted, err := isEncrypted(a, loaded)
	if err != nil {
		return err
	}
	place := func(key string) string {
		return wiring.Place(loaded.Store, filepath.Join(folder, datadir.StoreFolder), key)
	}
	return c.print(a, &receiptReport{Receipt: r, ReplacedBy: found.ReplacedBy, titles: c.Titles, receipt: place(reportKey(r)), store: place(state.StoreKey(r.Owner)), encrypted: encrypted})
}

// reportKey is the key of a receipt, or of the failed object of a generation that was not accepted,
// or of the record of a refused entry of the inbox.
func reportKey(r state.Receipt) string {
	switch {
	case r.Gen == 0:
		return inbox.RefusalKey(r.Owner, r.Drop)
	case r.State == state.StateRefused:
		return state.FailedKey(r.Owner, r.Drop, r.Gen, string(job.Ingest))
	case r.State == state.StateFailed:
		return state.FailedKey(r.Owner, r.Drop, r.Gen, string(job.Assemble))
	}
	return state.ReceiptKey(r.Owner, r.Drop, r.Gen)
}

type receiptReport struct {
	state.Receipt
	ReplacedBy     string `json:"replaced_by,omitempty"`
	receipt, store string // where a person finds them
	encrypted      bool   // both
	titles         bool
}

func (r *receiptReport) WriteText(w io.Writer) error {
	p := printTo(w)
	p.line("import %s of %s", cmp.Or(r.Import, r.Drop), r.Owner)
	if r.ReplacedBy != "" {
		p.field("replaced by", "import %s of the same files, whose result the store has now", r.ReplacedBy)
	}
	var names []string
	for _, part := range r.Parts {
		names = append(names, part.Name)
	}
	importedDrop{Files: names, Receipt: r.Receipt, ReceiptPlace: r.receipt, StorePlace: r.store, Encrypted: r.encrypted}.write(p, false)
	if r.titles {
		writeTitles(p, r.Store.Import)
	}
	return p.err
}

// titleHeadings say what the listed conversations have in common.
var titleHeadings = []struct{ change, text string }{
	{assemble.ConversationNew, "New conversations:"},
	{assemble.ConversationGrown, "Conversations that have grown:"},
	{assemble.ConversationAbsent, "Conversations of earlier exports that are not in this one:"},
}

// writeTitles lists the conversations that an import did not leave as they were, and those that it
// lacks.
func writeTitles(p *printer, c *assemble.ImportChanges) {
	if c == nil || len(c.Listed) == 0 {
		p.line("")
		p.line("This import changed no conversation.")
		return
	}
	for _, h := range titleHeadings {
		heading := h.text
		for _, one := range c.Listed {
			if one.Change != h.change {
				continue
			}
			if heading != "" {
				p.line("")
				p.line("%s", heading)
				heading = ""
			}
			p.line("  %s  %s", one.Conversation, cmp.Or(one.Title, "(untitled)"))
		}
	}
	if all := c.New + c.Grown + c.Absent; all > int64(len(c.Listed)) {
		p.line("")
		p.line("%d of %d are listed.", len(c.Listed), all)
	}
}
