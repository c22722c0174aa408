package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline/erase"
)

type eraseCommand struct {
	Data         string `placeholder:"DIR" type:"path" help:"The data folder. Default: the user data folder."`
	Memory       string `placeholder:"ID" help:"Erase a memory, and the conversations and records that state it."`
	Conversation string `placeholder:"ID" help:"Erase a conversation, and what was learned from it."`
	Drop         string `placeholder:"ID" help:"Erase a drop: the archive, and what no other archive has."`
	Tombstones   string `placeholder:"BUNDLE" type:"path" help:"Erase what the tombstones of a .mem bundle name, and what depends on it. Bundles that still have it are read without it from then on."`
	tombstoneFlags
	Owner        string `placeholder:"ID" type:"owner" help:"Whose memories these are. Alone: erase everything of this owner."`
	DryRun       bool   `help:"Show what would be erased, and erase nothing."`
	Yes          bool   `short:"y" help:"Do not ask."`
	KeepOriginal bool   `help:"Keep the archives that hold what is erased. Anyone who can read the inbox can read them."`
	settings
	format
}

func (eraseCommand) Help() string {
	return "Shows what would be erased, asks, and erases it: from the published store, conversations, files, memories, packs, results, changes by\n" +
		"hand, reports, recorded answers of models, search indexes, and bundles that imports have written with --out. Archives that hold it are\n" +
		"removed: their drops cannot be read again. An archive that is imported later is read without it. This cannot be undone.\n" +
		"If it is interrupted, run the same command again: it resumes. If pamline up is running on the data folder, its workers do the work.\n" +
		"Exit codes: 0 erased, or shown; 1 not erased; 2 usage error, or not confirmed; 3 erased, but a bundle that holds it was left.\n\n" +
		"Examples:\n  pamline erase --conversation 5f51731a --dry-run\n  pamline erase --memory 4f2a90c1\n  pamline erase --drop 9c1e27ab --yes\n  pamline erase --tombstones their.mem --accept their.pub\n  pamline erase --owner anna"
}

// target is what the flags name.
func (c *eraseCommand) target() (erase.Target, error) {
	var given []erase.Target
	for level, id := range map[string]string{erase.LevelMemory: c.Memory, erase.LevelConversation: c.Conversation, erase.LevelDrop: c.Drop} {
		if id != "" {
			given = append(given, erase.Target{Level: level, ID: id})
		}
	}
	switch {
	case len(given) == 1 && c.Tombstones == "":
		return given[0], nil
	case len(given) == 0 && c.Tombstones != "":
		return erase.Target{Level: erase.LevelTombstones}, nil
	case len(given) == 0 && c.Owner != "":
		return erase.Target{Level: erase.LevelOwner}, nil
	}
	return erase.Target{}, errors.New("erase: give one of --memory, --conversation, --drop and --tombstones, or --owner alone to erase everything of an owner")
}

func (c *eraseCommand) Run(a *app) (err error) {
	t, err := c.target()
	if err == nil && c.Tombstones == "" && (len(c.Accept) > 0 || c.AcceptAllDeletions) {
		err = errors.New("erase: --accept and --accept-all-deletions work with --tombstones")
	}
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	loaded, err := c.load(a, map[string]string{"data": c.Data, "owner": c.Owner})
	if err != nil {
		return err
	}
	if err := requireStore(loaded); err != nil {
		return err
	}
	owner, err := storeOwner(loaded)
	if err != nil {
		return err
	}
	if t.Level == erase.LevelTombstones {
		if t.Tombstones, err = c.readTombstones(a, loaded, owner); err != nil {
			return err
		}
	}
	agreed, err := c.preview(a, loaded, owner, t)
	if err != nil || !agreed {
		return err
	}
	report := &erased{}
	if err = c.erase(a, loaded, owner, t, report); err != nil {
		if errors.Is(err, erase.ErrUnknown) {
			return exit.With(exit.Usage, err)
		}
		return fmt.Errorf("%w; what was erased so far stays so: repeat the command to go on", err)
	}
	return errors.Join(c.print(a, report), report.left())
}

// preview shows what would be erased. It tells whether that is to be done.
func (c *eraseCommand) preview(a *app, loaded *config.Config, owner string, t erase.Target) (agreed bool, err error) {
	var p erase.Preview
	pending := false
	err = withStore(a, loaded, func(s blob.Store) (err error) {
		o := erase.Options{Store: s, Now: time.Now, NewID: uuid.NewString}
		if p, err = erase.Find(a.ctx, o, owner, t); errors.Is(err, erase.ErrUnknown) {
			var failed error
			if pending, failed = erase.IsPending(a.ctx, o, owner); failed != nil || pending {
				return failed
			}
			return exit.With(exit.Usage, err)
		}
		return err
	})
	if err != nil {
		return false, err
	}
	if pending {
		a.say("an earlier erasure was interrupted; going on with it")
		return !c.DryRun, nil
	}
	shown := erasePreview(p)
	if c.DryRun {
		return false, c.print(a, shown)
	}
	if c.Yes {
		return true, nil
	}
	if err := shown.WriteText(a.stderr); err != nil {
		return false, err
	}
	if in, ok := a.stdin.(*os.File); !ok || !a.terminal || !isTerminal(in) {
		return false, exit.With(exit.Usage, errors.New("erase: nothing was erased: this cannot be undone, so confirm it with --yes"))
	}
	_, _ = fmt.Fprint(a.stderr, "Erase this for good? Type yes: ") // nobody is left to ask otherwise
	answer, err := bufio.NewReader(a.stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("read answer: %w", err)
	}
	if strings.TrimSpace(answer) != "yes" {
		return false, exit.With(exit.Usage, errors.New("erase: nothing was erased"))
	}
	return true, nil
}

func (c *eraseCommand) erase(a *app, loaded *config.Config, owner string, t erase.Target, report *erased) (err error) {
	s, err := openSession(a, loaded, sessionOptions{oneOwner: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	pipe, err := s.options()
	if err != nil {
		return err
	}
	data, err := datadir.Find(loaded.Data)
	if err != nil {
		return err
	}
	o := pipe.EraseOptions(s.Client)
	o.KeepOriginals = c.KeepOriginal
	o.Outside = func(ctx context.Context, owner string, all bool) (err error) {
		show := progress.New(a.stderr, a.terminal)
		defer show.Stop()
		report.Copies, err = reachCopies(ctx, o.Store, data, owner, all, show)
		return err
	}
	report.Receipt, err = erase.Run(s.ctx, o, owner, t)
	return err
}

// erasePreview is shown before anything is erased.
type erasePreview erase.Preview

func (e erasePreview) WriteText(w io.Writer) error {
	p := printTo(w)
	p.line("This would be erased for good, of the owner %s:", e.Owner)
	if e.Level == erase.LevelOwner {
		p.field("objects", "%d: everything", e.Objects)
		return p.err
	}
	if e.Level == erase.LevelTombstones {
		p.field("memories", "%d that the tombstones name or cover; what else they name stays away from now on", e.Memories)
	} else {
		p.field(e.Level, "%s", e.ID)
	}
	for _, id := range firstItems(slices.Sorted(maps.Keys(e.Conversations)), 20) {
		p.field("conversation", "%s  %s", id, e.Conversations[id])
	}
	if n := len(e.Conversations) - 20; n > 0 {
		p.field("", "and %d more", n)
	}
	if e.Records > 0 {
		p.field("records", "%d", e.Records)
	}
	if e.Archives > 0 {
		p.field("archives", "%s with it in the inbox, unless --keep-original is given; what is removed cannot be read again", pluralNoun(int64(e.Archives), "archive"))
	}
	return p.err
}

type erased struct {
	erase.Receipt
	Copies []copyReport `json:"copies,omitempty"`
}

func (e *erased) WriteText(w io.Writer) error {
	p := printTo(w)
	p.line("Erased.")
	for _, one := range []struct {
		name    string
		objects map[string]int64
	}{{"removed", e.Removed}, {"rewritten", e.Rewritten}} {
		if n := sumOf(one.objects); n > 0 {
			p.field(one.name, "%s of the store (--format json counts them by kind)", pluralNoun(n, "object"))
		}
	}
	if s := e.Signature; s != nil {
		p.field("signed", "%s, %s", s.Algorithm, s.KeyID)
	}
	if e.LostReplays > 0 {
		p.field("replays", "%s cannot be read again: the archive was removed", pluralNoun(int64(e.LostReplays), "import"))
	}
	if e.KeptOriginals > 0 {
		p.field("kept", "%s with the erased content", pluralNoun(int64(e.KeptOriginals), "archive"))
	}
	for _, one := range e.Copies {
		p.field("bundle", "%s", one.text())
	}
	for _, one := range e.Unreached {
		p.field("not reached", "%s", one)
	}
	return p.err
}

func sumOf(counts map[string]int64) (sum int64) {
	for _, n := range counts {
		sum += n
	}
	return sum
}
