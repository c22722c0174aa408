package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/cmd/internal/exchange"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/signature"
)

type mergeCommand struct {
	Out          string   `short:"o" required:"" placeholder:"OUT" type:"path" help:"Where to write: a folder, FILE.zip, FILE.json for the store alone, or - for standard output. It must not exist."`
	AnyBase      bool     `help:"Accept deltas that build on another export than those given before them."`
	AnySignature bool     `help:"Accept inputs whose signature is not valid."`
	Data         string   `placeholder:"DIR" type:"path" help:"For the name of an owner: the data folder. Default: the user data folder."`
	Base         string   `arg:"" type:"path" help:"The full export: a store file, a bundle (folder or zip), or an owner of the data folder."`
	Deltas       []string `arg:"" name:"delta" type:"path" help:"Incremental exports, each building on one before it."`
	settings
	format
}

func (mergeCommand) Help() string {
	return "Merges incremental exports into a full one (PAM §16.3). A memory of a delta takes the place of the one with its id; nothing is\n" +
		"deleted, retracted memories included. Memories marked exportable: false are left out. A signature that no longer holds is\n" +
		"dropped: sign the result again.\n\n" +
		"Example:\n  pamline merge -o merged full-export january.zip february.zip"
}

// mergeReport adds the text form.
type mergeReport struct {
	*exchange.Merged
	out string
}

func (c *mergeCommand) Run(a *app) (err error) {
	base, removeBase, err := bundleNamed(a, c.settings, c.Data, c.Base, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeBase()) }()
	folder, remove, err := scratch("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	o := exchange.Options{Scratch: folder, To: c.Out, Stdout: a.stdout, AnyBase: c.AnyBase, AnySignature: c.AnySignature}
	merged, err := exchange.Merge(o, base, c.Deltas...)
	if err != nil {
		return exchangeError(err)
	}
	err = c.printBeside(a, c.Out, &mergeReport{merged, c.Out})
	if err == nil && merged.Files.Missing > 0 {
		err = exit.With(exit.Partial, nil)
	}
	return err
}

// exchangeError gives wrong use its code.
func exchangeError(err error) error {
	for _, wrong := range []error{pamio.ErrOtherOwner, pamio.ErrUnknownBase, pamio.ErrNotDelta, exchange.ErrExists} {
		if errors.Is(err, wrong) {
			return exit.With(exit.Usage, err)
		}
	}
	return err
}

// printBeside prints a report; if standard output has the result, it goes to standard error.
func (f format) printBeside(a *app, out string, report text) error {
	if out != exchange.Stdout {
		return f.print(a, report)
	}
	b := *a
	b.stdout, b.style = a.stderr, a.style
	return f.print(&b, report)
}

func (m *mergeReport) WriteText(w io.Writer) error {
	p := printTo(w)
	p.line("%s: merged", m.out)
	for _, one := range [][2]string{{"memories", "memories"}, {"relations", "relations"}, {"index", "conversations_index"}} {
		p.field(one[0], "%s", tallyText(*m.Tallies[one[1]]))
	}
	if m.Embeddings != nil {
		p.field("embeddings", "%s", tallyText(*m.Embeddings))
	}
	writeFiles(p, m.Files, m.WithheldCount)
	writeSignatures(p, m.Signatures)
	for _, c := range firstItems(m.Conflicts, 20) {
		p.field("conflict", "%s: %s", c.Memory, c.Message)
	}
	if more := m.ConflictCount - 20; more > 0 {
		p.field("conflict", "and %d more; --format json lists the first 1000", more)
	}
	if m.SignatureDropped {
		p.line("The signature of the base does not hold for the result and was dropped. Sign it again: pamline sign --key FILE %s", m.out)
	}
	return p.err
}

func tallyText(t pamio.Tally) string {
	text := fmt.Sprintf("%d: %d added, %d updated, %d unchanged", t.Total, t.Added, t.Updated, t.Unchanged)
	if t.Removed > 0 {
		text += fmt.Sprintf(", %d left out", t.Removed)
	}
	return text
}

// writeSignatures says of each signed input how its signature is.
func writeSignatures(p *printer, all []exchange.Signed) {
	for _, s := range all {
		if s.Verdict != signature.Absent {
			p.field("signature", "%s: %s", s.Input, s.Verdict)
		}
	}
}

func writeFiles(p *printer, f exchange.Files, withheld int) {
	if f.Conversations+f.Assets > 0 {
		p.field("files", "%s, %s", pluralNoun(f.Conversations, "conversation"), pluralNoun(f.Assets, "asset"))
	}
	if f.Missing > 0 {
		p.field("missing", "%s that the index names and no input has", pluralNoun(f.Missing, "conversation file"))
	}
	if withheld > 0 {
		p.field("withheld", "%s marked as not exportable, and all references", pluralNoun(int64(withheld), "memory"))
	}
}
