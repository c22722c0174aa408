package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/cmd/internal/exchange"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/pipeline/publish"
)

type exportCommand struct {
	Out              string   `short:"o" required:"" placeholder:"OUT" type:"path" help:"Where to write: a folder, FILE.zip, FILE.json for the store alone, or - for standard output. It must not exist."`
	Since            string   `placeholder:"EXPORT" type:"path" help:"Write only what is new or changed since this earlier export: a store file or a bundle."`
	Encrypt          []string `placeholder:"RECIPIENT" help:"Encrypt for an age recipient (age1…), an SSH public key, or a file of them; may be repeated. OUT is one file: a zip, or JSON of a store alone."`
	StripIdentifiers bool     `help:"Leave out what names you, your accounts and your files: ids of providers, names, raw metadata, quotes of evidence, file names. Ids become pseudonyms. Texts stay as they are."`
	StripKey         string   `placeholder:"FILE" type:"path" help:"With --strip-identifiers: a file with the secret that pseudonyms are made with, so that all exports have the same ones. It is made if it does not exist. Default: other pseudonyms in each export."`
	AnySignature     bool     `help:"Accept inputs whose signature is not valid."`
	Path             string   `arg:"" optional:"" type:"path" help:"An owner of the data folder, a bundle (folder or zip) or a store file. Default: the store of the data folder."`
	bundleFlags
	format
}

func (exportCommand) Help() string {
	return "Writes a bundle to give away. Memories marked exportable: false and what refers to them are left out. With --since it is an\n" +
		"incremental export (PAM §16): pamline merge turns it into a full export again. Exit code 3: conversation files are missing, or\n" +
		"elements of the earlier export are gone, which a delta cannot express: a merge would keep them.\n\n" +
		"Examples:\n  pamline export -o bundle.zip\n  pamline export --since january.zip -o february-delta.zip february.zip\n" +
		"  pamline export --encrypt age1… -o bundle.zip.age\n  pamline export --strip-identifiers -o to-share.zip"
}

func (c *exportCommand) Run(a *app) (err error) {
	path, remove, err := c.bundle(a, c.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := c.checkFiles(a, path); err != nil {
		return err
	}
	folder, removeScratch, err := scratch("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeScratch()) }()
	o := exchange.Options{Scratch: folder, To: c.Out, Stdout: a.stdout, AnySignature: c.AnySignature}
	stripKey, err := c.stripKey()
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	recipients, err := exchange.Recipients(c.Encrypt)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	var merged *exchange.Merged
	var delta *exchange.Difference
	export := func(o exchange.Options) (err error) {
		if c.Since == "" {
			merged, err = exchange.Merge(o, path)
		} else {
			delta, err = exchange.Delta(o, c.Since, path)
		}
		return err
	}
	if whole := export; stripKey != nil {
		export = func(o exchange.Options) error {
			assets, err := exchange.Stripped(o, stripKey, whole)
			if merged != nil {
				merged.Files.Assets = assets
			} else if delta != nil {
				delta.Files.Assets = assets
			}
			return err
		}
	}
	if len(recipients) > 0 {
		err = exchange.Encrypted(o, recipients, export)
	} else {
		err = export(o)
	}
	if err != nil {
		return exchangeError(err)
	}
	if merged != nil {
		err = c.printBeside(a, c.Out, &exportReport{merged, c.Out, c.StripIdentifiers})
	} else {
		err = c.printBeside(a, c.Out, &deltaReport{delta, c.Out, c.StripIdentifiers})
	}
	if err == nil && (delta != nil && (delta.RemovedCount() > 0 || delta.Files.Missing > 0) || merged != nil && merged.Files.Missing > 0) {
		err = exit.With(exit.Partial, nil)
	}
	return err
}

// checkFiles refuses to export the folder of an owner that lacks files of its store.
func (c *exportCommand) checkFiles(a *app, path string) error {
	owner, s, closer, err := ownerStore(path)
	if err != nil || s == nil {
		return err
	}
	defer func() { _ = closer.Close() }() // only read
	problems, err := publish.CheckFolder(a.ctx, s, owner)
	if err != nil || len(problems) == 0 {
		return err
	}
	return fmt.Errorf("export: %s and %d more problems of the folder: `pamline fsck --repair` repairs what it can", problems[0], len(problems)-1)
}

// exportReport is the report of a full export.
type exportReport struct {
	*exchange.Merged
	out      string
	Stripped bool `json:"identifiers_stripped"`
}

func (e *exportReport) WriteText(w io.Writer) error {
	p := printTo(w)
	p.line("%s: exported", e.out)
	p.field("memories", "%d", e.Tallies["memories"].Total)
	writeFiles(p, e.Files, e.WithheldCount)
	writeSignatures(p, e.Signatures)
	writeStripped(p, e.Stripped)
	if e.SignatureDropped {
		p.line("The signature does not hold without the withheld memories and was dropped. Sign it again: pamline sign --key FILE %s", e.out)
	}
	return p.err
}

// deltaReport is the report of an incremental export.
type deltaReport struct {
	*exchange.Difference
	out      string
	Stripped bool `json:"identifiers_stripped"`
}

func (d *deltaReport) WriteText(w io.Writer) error {
	p := printTo(w)
	p.line("%s: exported what changed since %s", d.out, d.BaseExportID)
	for _, one := range []struct{ name, collection string }{{"memories", "memories"}, {"relations", "relations"}, {"index", "conversations_index"}} {
		t := d.Tallies[one.collection]
		p.field(one.name, "%d new, %d changed", t.Added, t.Updated)
	}
	if e := d.Embeddings; e != nil {
		p.field("embeddings", "%d", e.Total)
	}
	writeFiles(p, d.Files, d.WithheldCount)
	writeSignatures(p, d.Signatures)
	writeStripped(p, d.Stripped)
	if n := d.RemovedCount(); n > 0 {
		p.line("%s of the earlier export %s gone. A delta cannot say that: who merges it keeps them. --format json lists them.", pluralNoun(n, "element"),
			map[bool]string{true: "is", false: "are"}[n == 1])
	}
	return p.err
}
