package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pamline/pamline/cmd/internal/exchange"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/keys"
)

type convertCommand struct {
	To                 string   `required:"" enum:"pam,mem,mif" help:"The format to write: pam (a PAM bundle), mem (Portable Memory) or mif (Memory Interchange Format 1.0)."`
	Out                string   `short:"o" required:"" placeholder:"OUT" type:"path" help:"Where to write: a folder, FILE.zip, or - for standard output (a zip); with --to pam also FILE.json, the store alone; with --to mif one JSON file. It must not exist."`
	Clean              bool     `help:"Leave out what only serves to convert back. The report says what is lost."`
	Evidence           bool     `help:"With --to mem: write an Evidence Pack, which says when memories were added, changed and deleted, and where they come from, without their words."`
	Redact             bool     `help:"Replace e-mail addresses, telephone, card, account and identity numbers, passwords and tokens by their kind in a MIF document, and say where. Implies --clean."`
	SignKey            string   `placeholder:"FILE" type:"path" help:"Sign a .mem bundle with this private Ed25519 key: PEM or JSON Web Key."`
	Accept             []string `placeholder:"FILE" type:"path" help:"Apply deletions that this public key signed, in .mem bundles after the first. May be repeated."`
	AcceptAllDeletions bool     `help:"Apply the deletions of all .mem bundles, also those that nobody signed."`
	Since              string   `placeholder:"OLD.mem" type:"path" help:"With --to mem and an owner of the data folder: an earlier .mem bundle of that owner. What was erased since gets tombstones, by which whoever has the earlier bundle erases it."`
	Owner              string   `default:"owner" placeholder:"NAME" help:"Owner of a store that is made of a format without one."`
	Data               string   `placeholder:"DIR" type:"path" help:"For the name of an owner: the data folder. Default: the user data folder."`
	Paths              []string `arg:"" name:"path" type:"path" help:"What to convert: an owner of the data folder, a PAM bundle or store, a MIF document, or .mem bundles, your own first, which are merged."`
	mifFlags
	settings
	format
}

func (convertCommand) Help() string {
	return "Converts between PAM and other memory formats, recognized by their content. What the target has no place for is carried along, so\n" +
		"that converting back gives the same again; edits made in between are kept and reported. The report lists what is lost. Memories\n" +
		"marked exportable: false are never converted.\n\n" +
		"Examples:\n  pamline convert --to mem -o my.mem my-memories\n  pamline convert --to pam -o my-memories my.mem\n" +
		"  pamline convert --to mif -o my.mif.json my-memories\n  pamline convert --to pam --accept their.pub -o merged my.mem their.mem\n" +
		"  pamline convert --to mem --since given.mem -o next.mem me\n  pamline convert --to mem --evidence --sign-key my.key -o evidence.mem me"
}

func (c *convertCommand) Run(a *app) (err error) {
	folder, remove, err := scratch("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if c.Redact && c.To != "mif" {
		return exit.With(exit.Usage, errors.New("--redact works with --to mif"))
	}
	if c.Evidence && c.To != "mem" {
		return exit.With(exit.Usage, errors.New("--evidence works with --to mem"))
	}
	if c.Since != "" && (c.To != "mem" || len(c.Paths) != 1) {
		return exit.With(exit.Usage, errors.New("--since works with --to mem and one owner of the data folder"))
	}
	o := convert.Options{Clean: c.Clean || c.Redact, Redact: c.Redact, Evidence: c.Evidence, Scratch: folder, Owner: c.Owner, Generator: wiring.Generator}
	if _, err := os.Lstat(c.Out); err == nil && c.Out != exchange.Stdout {
		return exit.With(exit.Usage, fmt.Errorf("write %s: %w", c.Out, exchange.ErrExists))
	}
	for _, path := range c.Paths {
		if isOwnerFolder(path) {
			data, owner := ownerOf(path)
			return exit.With(exit.Usage, fmt.Errorf("%s is the folder of an owner in a store, which holds more than a bundle: give the owner in its place:%s %s", path, data, owner))
		}
	}
	closeSince, err := c.openSince(a, &o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeSince()) }()
	if len(c.Paths) == 1 {
		path, removeBundle, err := bundleNamed(a, c.settings, c.Data, c.Paths[0], true)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, removeBundle()) }()
		c.Paths[0] = path
	}
	report, err := c.convert(a, o)
	if err != nil {
		return fmt.Errorf("convert: %w", err)
	}
	return c.printBeside(a, c.Out, report)
}

// convert opens what is given and writes it in the other format.
func (c *convertCommand) convert(a *app, o convert.Options) (report *convertReport, err error) {
	report = &convertReport{out: c.Out}
	if len(c.Paths) == 1 {
		d, err := c.openMIF()
		if d != nil || err != nil {
			return report, errors.Join(err, c.fromMIF(a, report, d, o))
		}
	}
	bundles, err := openMem(c.Paths)
	defer func() {
		for _, b := range bundles {
			err = errors.Join(err, b.Close())
		}
	}()
	switch {
	case err != nil:
		return nil, err
	case bundles == nil && len(c.Paths) > 1:
		return nil, exit.With(exit.Usage, errors.New("only .mem bundles are merged; for PAM see pamline merge"))
	case bundles == nil && c.To == "pam", bundles != nil && c.To == "mem" && len(bundles) == 1 && !c.Evidence:
		return nil, exit.With(exit.Usage, fmt.Errorf("%s is in this format already", c.Paths[0]))
	case c.To == "mif" && bundles != nil:
		return nil, exit.With(exit.Usage, errors.New("convert a .mem bundle to PAM first: --to pam"))
	case c.To == "mif":
		err = c.toMIF(a, report, o)
	case bundles == nil:
		err = c.write(a, func(out mem.Output) error { return c.toMem(a, report, o, out) })
	case c.To == "mem":
		err = c.write(a, func(out mem.Output) error { return c.mergeMem(a, report, o, bundles, out) })
	default:
		accept, keyErr := c.merging()
		if keyErr != nil {
			return nil, keyErr
		}
		err = c.write(a, func(out mem.Output) error {
			r, merged, err := convert.PAMFromMem(a.ctx, bundles, o, accept, convert.Output(out))
			report.Report, report.Merged = r, &merged
			return err
		})
	}
	return report, err
}

func (c *convertCommand) write(a *app, fill func(out mem.Output) error) error {
	if c.To == "mem" && strings.EqualFold(filepath.Ext(c.Out), ".json") {
		return exit.With(exit.Usage, errors.New("a .mem bundle is a folder or FILE.zip"))
	}
	return exchange.WriteFiles(c.Out, a.stdout, c.To == "pam", func(add func(string, func(io.Writer) error) error) error { return fill(add) })
}

// openMem opens .mem bundles; nil if the first path is none.
func openMem(paths []string) (all []*mem.Bundle, err error) {
	for i, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return all, exit.With(exit.Usage, fmt.Errorf("open %s: %w", path, errors.Unwrap(err)))
		}
		b, err := mem.Open(path)
		if errors.Is(err, mem.ErrNotMem) && i == 0 {
			return nil, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, b)
	}
	return all, nil
}

func (c *convertCommand) merging() (o mem.MergeOptions, err error) {
	o.AcceptUnsigned = c.AcceptAllDeletions
	if o.Accepted, err = edKeys(c.Accept); err != nil {
		return o, exit.With(exit.Usage, err)
	}
	return o, nil
}

func (c *convertCommand) signing() (ed25519.PrivateKey, error) {
	if c.SignKey == "" {
		return nil, nil
	}
	text, err := os.ReadFile(c.SignKey)
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("read key: %w", err))
	}
	key, err := keys.ParsePrivate(text)
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("read key %s: %w", c.SignKey, err))
	}
	ed, ok := key.Ed25519()
	if !ok {
		return nil, exit.With(exit.Usage, fmt.Errorf("read key %s: .mem bundles are signed with Ed25519, and this is another kind of key", c.SignKey))
	}
	return ed, nil
}

func (c *convertCommand) toMem(a *app, report *convertReport, o convert.Options, out mem.Output) (err error) {
	b, err := pamio.OpenBundle(c.Paths[0])
	if err != nil {
		return exit.With(malformed, err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	key, err := c.signing()
	if err != nil {
		return err
	}
	report.Report, err = convert.MemFromPAM(a.ctx, b, o, mem.WriteOptions{Generator: o.Generator, Level: "L2", Key: key}, out)
	return err
}

// mergeMem merges bundles into one.
func (c *convertCommand) mergeMem(a *app, report *convertReport, o convert.Options, bundles []*mem.Bundle, out mem.Output) (err error) {
	key, err := c.signing()
	if err != nil {
		return err
	}
	accept, err := c.merging()
	if err != nil {
		return err
	}
	accept.Scratch = o.Scratch
	w := mem.NewWriter(o.Scratch)
	defer func() { err = errors.Join(err, w.Close()) }()
	add, keepOrder := w.Add, w.KeepOrder
	if c.Evidence {
		w.NoteKeys()
		add, keepOrder = func(kind string, line []byte) error { return convert.AddEvidence(w, kind, line) }, func(string) {}
	}
	merged, err := mem.Merge(a.ctx, bundles, accept, add, keepOrder)
	if err != nil {
		return err
	}
	created, level := "", "L0"
	for _, b := range bundles {
		created, level = max(created, b.Manifest.CreatedAt), max(level, b.Manifest.ConformanceLevel)
	}
	m, err := w.Write(out, mem.WriteOptions{Generator: o.Generator, CreatedAt: created, Level: level, Key: key, Evidence: c.Evidence})
	if err != nil {
		return err
	}
	report.Report, report.Merged = &convert.Report{From: "mem", To: "mem", Written: m.Counts}, &merged
	return nil
}
