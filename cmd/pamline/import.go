package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio/validate"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/inbox"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
)

type importCommand struct {
	Data         string   `placeholder:"DIR" type:"path" help:"Folder for state and store. Default: the user data folder."`
	Owner        string   `placeholder:"ID" type:"owner" help:"The person whose memories these are. Default: the only owner of the data folder, else a generated id."`
	Out          string   `placeholder:"DIR" type:"path" help:"Write a copy of the published bundle to DIR, replacing the bundle there as a whole."`
	Workers      int      `placeholder:"N" help:"How many tasks run at the same time. Default: one per processor."`
	Provider     string   `placeholder:"NAME" help:"The provider whose format the files have, if they do not show it themselves: ${providers}."`
	Source       string   `placeholder:"NAME" help:"With --provider manual: the assistant that gave the saved answer, for example chatgpt."`
	Importer     string   `placeholder:"V" help:"Read with this importer only, for example chatgpt-importer/2026.07."`
	Extractors   []string `placeholder:"LIST" help:"Extractors to use, separated by commas: harvest, rules, llm. Default: the setting extract.extractors."`
	AnySignature bool     `help:"Import PAM stores whose signature is invalid, too."`
	Each         bool     `help:"Import each FILE by itself. Otherwise all files are one export."`
	DryRun       bool     `help:"Do everything except save, and show what would change. Models are not called; their cost is estimated."`
	Files        []string `arg:"" name:"FILE" type:"path" help:"Archives, folders or files of an export."`
	settings
	format

	out string // Out as a folder that can be replaced
	pin string // the one importer that may read, "" when the content decides

	selected []extract.Extractor
}

func (importCommand) Help() string {
	return "Imports export archives into a memory store on this machine. If it is interrupted or killed, run the same command again: it\n" +
		"resumes. If pamline up is running on the data folder, the import goes through that service, with its settings.\n\n" +
		"Example:\n  pamline import --owner me --out my-memories chatgpt-export.zip"
}

func (c *importCommand) Run(a *app) error {
	workers := ""
	if c.Workers != 0 {
		workers = strconv.Itoa(c.Workers)
	}
	anySignature := ""
	if c.AnySignature {
		anySignature = "true"
	}
	loaded, err := c.load(a, map[string]string{"data": c.Data, "owner": c.Owner, "workers": workers, "limits.any_signature": anySignature})
	if err != nil {
		return err
	}
	if err := c.usable(loaded); err != nil {
		return exit.With(exit.Usage, err)
	}
	go c.warmUp()
	show := progress.New(a.stderr, a.terminal)
	s, err := c.open(a, loaded, show)
	if err != nil {
		show.Stop()
		return err
	}
	report, err := c.importDrops(a, s, show)
	show.Stop()
	if a.ctx.Err() != nil && err != nil {
		if !c.DryRun {
			a.say("stopped; finished work is kept: run the same command again to resume")
		}
		return errors.Join(err, s.Close())
	}
	if report != nil {
		report.MasterKey, a.newKey = a.newKey, ""
		// What was published is reported even if something failed after it, and before the pipeline
		// ends.
		err = errors.Join(err, c.print(a, report))
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	return report.verdict()
}

// warmUp prepares what extraction and publishing need: until the first conversation is read, a
// processor has nothing to do.
func (c *importCommand) warmUp() {
	extract.WarmUp(c.selected)
	_ = validate.WarmUp() // whoever validates gets the error, too
}

// open chooses who imports: this process, or the service that holds the data folder. A dry run
// works on an overlay of the store, which is discarded.
func (c *importCommand) open(a *app, loaded *config.Config, show *progress.Display) (*session, error) {
	if !c.DryRun {
		return openSession(a, loaded, sessionOptions{local: true, create: true, oneOwner: true, observe: observeProgress(show)})
	}
	l, err := openDry(a, loaded)
	if err != nil {
		return nil, err
	}
	return startDry(a, l, observeProgress(show))
}

// usable finds what is wrong with the command line before anything is done or written.
func (c *importCommand) usable(loaded *config.Config) error {
	var err error
	if c.pin, err = pinnedImporter(providers.Default(), c.Provider, c.Importer); err != nil {
		return err
	}
	if c.pin, err = pinnedSource(providers.Default(), c.pin, c.Source); err != nil {
		return err
	}
	known, err := wiring.Extractors(loaded)
	if err != nil {
		return err
	}
	if c.selected, err = known.Select(c.Extractors...); err != nil {
		return err
	}
	for i, file := range c.Files {
		info, err := os.Stat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("import: %s does not exist: check the name", file)
		case err != nil:
			return fmt.Errorf("import: %w", err)
		case !info.IsDir() && !info.Mode().IsRegular():
			return fmt.Errorf("import: %s is neither a file nor a folder: save its contents as a file, and import that", file)
		}
		if c.Files[i], err = filepath.Abs(file); err != nil { // a drop is labelled with the last element, which "." does not tell
			return fmt.Errorf("import: %w", err)
		}
	}
	if c.Out == "" {
		return nil
	}
	data, err := datadir.Find(loaded.Data)
	if err != nil {
		return err
	}
	kept := []string{data}
	if loaded.Store.Dir.Path != "" {
		kept = append(kept, loaded.Store.Dir.Path)
	}
	c.out, err = outFolder(c.Out, kept, c.Files)
	return err
}

// pinnedImporter is the one importer that a provider's name and an importer's version or name ask
// for, which must agree; "" when neither is given.
func pinnedImporter(registry *providers.Registry, provider, named string) (string, error) {
	if provider != "" {
		if _, err := registry.ByName(provider); err != nil {
			return "", err
		}
	}
	if named == "" {
		return provider, nil
	}
	imp, err := registry.ByVersion(named)
	if err != nil {
		var byName error
		if imp, byName = registry.ByName(named); byName != nil {
			return "", err
		}
	}
	if provider != "" && imp.Name() != provider {
		return "", fmt.Errorf("import: --importer %s does not read the format of --provider %s: give one of the two", named, provider)
	}
	return named, nil
}

// pinnedSource is the pin with the assistant whose saved answers the files are. A source alone asks
// for the importer of saved answers.
func pinnedSource(registry *providers.Registry, pin, source string) (string, error) {
	if source == "" {
		return pin, nil
	}
	pin = cmp.Or(pin, "manual") + importer.SourceMark + source
	_, err := registry.Asked(pin)
	return pin, err
}

// importDrops imports the drops one after the other. The report may be there beside an error that
// came after the last of them.
func (c *importCommand) importDrops(a *app, s *session, show *progress.Display) (report *imported, err error) {
	if err := s.chooseOwner(false); err != nil {
		return nil, err
	}
	report = &imported{DryRun: c.DryRun}
	for _, files := range c.drops() {
		one, err := c.importDrop(a, s, files)
		if err != nil {
			return nil, err
		}
		report.Drops = append(report.Drops, one)
	}
	if !c.DryRun {
		err = c.finishOut(a.ctx, s.store, s.local, report, show)
	}
	return report, err
}

// finishOut writes the bundle for --out, and brings those up to date that were written earlier.
func (c *importCommand) finishOut(ctx context.Context, s blob.Store, l *local, report *imported, show *progress.Display) error {
	if !report.any() {
		return nil
	}
	report.Next = c.next()
	if c.Out != "" {
		if err := writeOut(ctx, s, l.data.Path(), l.owner, c.out, show); err != nil {
			return fmt.Errorf("%w; the store itself is up to date: fix that and run the same command again", err)
		}
		report.Out = c.Out
	}
	var err error
	report.Copies, err = refreshCopies(ctx, s, l.data.Path(), l.owner, show)
	return err
}

// next is the command that shows the result.
func (c *importCommand) next() string {
	command := []string{"pamline", "inspect"}
	switch {
	case c.Out != "":
		command = append(command, c.Out)
	default:
		if c.Data != "" {
			command = append(command, "--data", c.Data)
		}
		if c.Owner != "" {
			command = append(command, "--owner", c.Owner)
		}
	}
	for i, word := range command {
		command[i] = shellWord(word)
	}
	return strings.Join(command, " ")
}

// plainWord is text that a shell takes as it is.
var plainWord = regexp.MustCompile(`^[\w./:@%+,=-]+$`)

// shellWord quotes a word for a shell where it has to be.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
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

// explainOutage tells what to do about an outage: the hint of a fault is meant for services, which
// wait.
func explainOutage(err error) error {
	if fault.Of(err) != fault.Outage {
		return err
	}
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		err = f.Err
	}
	return fmt.Errorf("import stopped, the store is unchanged: %w. Fix that and run the same command again: it resumes", err)
}

// importDrop imports the files of one drop.
func (c *importCommand) importDrop(a *app, s *session, files []string) (importedDrop, error) {
	out := importedDrop{Files: files}
	rec, err := inbox.TakeIn(s.ctx, s.store, s.owner, files, s.scratch)
	if err != nil {
		if c.Each && len(c.Files) > 1 && s.ctx.Err() == nil { // the other files are imported
			out.Receipt = state.Receipt{V: 1, Owner: s.owner, State: state.StateFailed, Reason: err.Error()}
			return out, nil
		}
		return out, explainOutage(err)
	}
	a.warnSkipped(rec)
	ref := job.Ref{Owner: s.owner, Drop: rec.Drop}
	asked, err := s.Ask(s.ctx, ref, job.Want{Importer: c.pin, Extractors: c.Extractors, Lane: dispatch.LaneOf(rec.Bytes())})
	if err != nil {
		return out, explainOutage(err)
	}
	ended, err := s.Wait(s.ctx, ref, asked.Gen)
	if err == nil {
		out.Receipt, err = s.Report(s.ctx, ref, ended.Gen)
	}
	if err != nil {
		return out, explainOutage(err)
	}
	if !c.DryRun {
		out.ReceiptPlace, out.StorePlace = s.place(reportKey(out.Receipt)), s.place(state.StoreKey(s.owner))
		out.Encrypted = s.isEncrypted()
	}
	return out, nil
}

// observeProgress shows the pipeline's progress.
func observeProgress(show *progress.Display) telemetry.Observe {
	p := drawnProgress{show: show, most: map[string]int64{}, parts: map[string]int64{}}
	return p.observe
}

// drawnProgress draws events, of which some come out of order.
type drawnProgress struct {
	show *progress.Display
	mu   sync.Mutex
	most map[string]int64 // done by stage and drop
	// parts are how many a drop has, known when all of it is read.
	parts map[string]int64
}

func (p *drawnProgress) observe(e telemetry.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	furthest := func(done int64) int64 {
		key := e.Stage + " " + e.Owner + " " + e.Drop
		p.most[key] = max(p.most[key], done)
		return p.most[key]
	}
	switch e.Stage {
	case telemetry.StageIngest:
		if e.Total > 0 {
			p.show.Bytes("reading", furthest(e.Bytes), e.Total)
		}
	case telemetry.StageExtract:
		if e.Of > 0 {
			p.parts[e.Drop] = e.Of
			p.show.Complete("reading")
		}
		if done := furthest(e.Units); done > 0 {
			p.show.Count("extracting", done, p.parts[e.Drop])
		}
	case telemetry.StageAssemble:
		if e.Of > 0 {
			p.show.Count("assembling", furthest(e.Units), e.Of)
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
