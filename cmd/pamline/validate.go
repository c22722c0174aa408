package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/cmd/internal/sarif"
	"github.com/pamline/pamline/pamio/validate"
	"github.com/pamline/pamline/pipeline/publish"
)

type validateCommand struct {
	Strict bool     `help:"Treat warnings about requirements of the specification as errors."`
	Base   string   `placeholder:"FILE" type:"path" help:"The full export that an incremental export builds on: a store or bundle."`
	Data   string   `placeholder:"DIR" type:"path" help:"For the name of an owner: the data folder. Default: the user data folder."`
	Paths  []string `arg:"" name:"path" type:"path" help:"Stores, conversations, embeddings files, bundles (folder or zip), .mem bundles, MIF documents, exports of other programs, or the name of an owner of the data folder."`
	Key    []string `placeholder:"FILE" type:"path" help:"A .mem bundle must be signed by this public key: PEM or JSON Web Key. May be repeated."`
	Format string   `enum:"text,json,sarif" default:"text" help:"text for a person, json for a program, sarif for code hosts and editors."`
	settings
}

func (validateCommand) Help() string {
	return "Each finding has a stable id, a severity and a place. Exit codes: 0 everything is valid; 1 something is not valid; 2 something\n" +
		"could not be checked.\n\n" +
		"Examples:\n  pamline validate pam-out/bundle\n  pamline validate --strict --format json memory-store.json\n  pamline validate --format sarif my-memories > findings.sarif"
}

// validated is the outcome for one path.
type validated struct {
	Path     string             `json:"path"`
	Verdict  string             `json:"verdict"`
	Problem  string             `json:"problem,omitempty"`
	Findings []validate.Finding `json:"findings,omitempty"`
	Report   *validate.Report   `json:"report,omitempty"`
	// Other is what is known of a document of another format than PAM.
	Other *otherReport `json:"other,omitempty"`
	// waiting are findings to print when the progress bar is gone.
	waiting []validate.Finding
	// bundle tells that the path holds more than one file.
	bundle bool
}

func (c *validateCommand) Run(a *app) (err error) {
	o := validate.Options{Strict: c.Strict}
	if c.Base != "" {
		base, closer, openErr := validate.Open(c.Base)
		if openErr != nil {
			return exit.With(exit.Usage, openErr)
		}
		defer func() { err = errors.Join(err, closer.Close()) }()
		o.Base = &base
	}
	folder, remove, err := scratch("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	o.Scratch = folder
	worst := 0
	all := make([]validated, 0, len(c.Paths))
	for _, path := range c.Paths {
		v, code, err := c.named(a, path, o)
		if err != nil {
			return err
		}
		worst = max(worst, code)
		if c.Format == "text" {
			if err := v.summarize(a.stdout); err != nil {
				return err
			}
			continue
		}
		all = append(all, v)
	}
	switch c.Format {
	case "json":
		err = printJSON(a.stdout, all)
	case "sarif":
		err = printJSON(a.stdout, c.sarif(all))
	}
	if err != nil {
		return err
	}
	if worst != 0 {
		return exit.With(worst, nil)
	}
	return nil
}

// target is what a path of the command line names.
type target struct {
	at string
	// known gives the problems that the head of an owner tells of the owner's folder.
	known func(context.Context) ([]validate.Known, error)
	// kept gives the files of replaced exports in the owner's folder.
	kept   func(context.Context) (map[string]bool, error)
	remove func() error
}

// find gives what is to be validated: the path given, or the store of the owner that it names.
func (c *validateCommand) find(a *app, path string) (t target, err error) {
	at, remove, err := bundleNamed(a, c.settings, c.Data, path, false)
	if err != nil {
		return t, err
	}
	known := func(ctx context.Context) ([]validate.Known, error) { return knownProblems(ctx, path) }
	kept := func(ctx context.Context) (map[string]bool, error) { return keptFiles(ctx, path) }
	if at != path {
		known = func(ctx context.Context) (known []validate.Known, err error) {
			loaded, err := c.load(a, map[string]string{"data": c.Data})
			if err != nil {
				return nil, err
			}
			err = withStore(a, loaded, func(s blob.Store) error {
				known, err = knownOf(ctx, s, path)
				return err
			})
			return known, err
		}
	}
	return target{at, known, kept, remove}, nil
}

// named validates what a path names. The store of an owner that cannot be read is unusable.
func (c *validateCommand) named(a *app, path string, o validate.Options) (v validated, code int, err error) {
	t, err := c.find(a, path)
	if err != nil && a.ctx.Err() == nil && exit.Code(err) != exit.Usage {
		return validated{Path: path, Verdict: validate.Unusable.String(), Problem: err.Error()}, validate.Unusable.Exit(), nil
	}
	if err != nil {
		return v, 0, err
	}
	v, code, err = c.one(a, t, o)
	v.Path = path
	return v, code, errors.Join(err, t.remove())
}

// one validates one path. The error is only for what keeps the others from being validated, too.
func (c *validateCommand) one(a *app, t target, o validate.Options) (v validated, code int, err error) {
	v.Path = t.at
	unusable := func(err error) (validated, int, error) {
		v.Verdict, v.Problem = validate.Unusable.String(), err.Error()
		return v, validate.Unusable.Exit(), nil
	}
	if known, code, err := c.otherFormat(a, &v, o); known || err != nil {
		return v, code, err
	}
	target, closer, err := validate.Open(t.at)
	if err != nil {
		return unusable(err)
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	v.bundle = target.File == ""
	if target.Known, err = t.known(a.ctx); err == nil {
		target.Kept, err = t.kept(a.ctx)
	}
	if err != nil {
		return unusable(err)
	}
	var writing error
	o.OnFinding = func(f validate.Finding) {
		// Bounded: at most Options.MaxFindings of each id are handed over.
		switch {
		case c.Format != "text":
			v.Findings = append(v.Findings, f)
			return
		case a.terminal: // lines would tear the progress bar apart
			v.waiting = append(v.waiting, f)
			return
		}
		if _, err := fmt.Fprintln(a.stdout, f); err != nil {
			writing = errors.Join(writing, err)
		}
	}
	show := progress.New(a.stderr, a.terminal)
	target.FS = show.Files("checking", target.FS)
	report, err := validate.Run(a.ctx, target, o)
	show.Stop()
	for _, f := range v.waiting {
		if _, err := fmt.Fprintln(a.stdout, f); err != nil {
			writing = errors.Join(writing, err)
		}
	}
	switch {
	case a.ctx.Err() != nil:
		return v, 0, a.ctx.Err()
	case writing != nil:
		return v, 0, fmt.Errorf("write findings: %w", writing)
	case err != nil:
		return unusable(err)
	}
	v.Verdict, v.Report = report.Verdict().String(), &report
	return v, report.Verdict().Exit(), nil
}

// keptFiles are those of replaced exports in the folder of an owner.
func keptFiles(ctx context.Context, path string) (files map[string]bool, err error) {
	owner, s, closer, err := ownerStore(path)
	if err != nil || s == nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	return publish.ReplacedFiles(ctx, s, owner)
}

// knownProblems are those of an owner's folder that its head tells.
func knownProblems(ctx context.Context, path string) (known []validate.Known, err error) {
	owner, s, closer, err := ownerStore(path)
	if err != nil || s == nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	return knownOf(ctx, s, owner)
}

func knownOf(ctx context.Context, s blob.Store, owner string) (known []validate.Known, err error) {
	problems, err := publish.CheckFolder(ctx, s, owner)
	for _, p := range problems {
		known = append(known, validate.Known(p))
	}
	return known, err
}

// sarif is the outcome in the form of SARIF.
func (c *validateCommand) sarif(all []validated) *sarif.Log {
	var results []sarif.Result
	for _, v := range all {
		r := sarif.Result{Path: v.Path, Bundle: v.bundle, Findings: v.Findings, Problem: v.Problem}
		if v.Report != nil {
			r.Suppressed = v.Report.Suppressed
		}
		results = append(results, r)
	}
	return sarif.New(results, c.Strict)
}

// summarize writes the last line about a path, after its findings.
func (v *validated) summarize(w io.Writer) error {
	if v.Report == nil {
		_, err := fmt.Fprintf(w, "%s: %s: %s\n", v.Path, v.Verdict, v.Problem)
		return err
	}
	if v.Other != nil {
		return v.Other.summarize(w, v)
	}
	r := v.Report
	for _, id := range slices.SortedFunc(maps.Keys(r.Suppressed), cmp.Compare[string]) {
		if _, err := fmt.Fprintf(w, "and %d more of [%s]\n", r.Suppressed[id], id); err != nil {
			return err
		}
	}
	s := r.Seen
	_, err := fmt.Fprintf(w, "%s: %s: %s, %s, %s\n  checked %s, %s with %s, %s; %d kinds of check\n",
		v.Path, v.Verdict, pluralNoun(int64(r.Errors), "error"), pluralNoun(int64(r.Warnings), "warning"), pluralNoun(int64(r.Infos), "note"),
		pluralNoun(s.Memories, "memory"), pluralNoun(s.Conversations, "conversation"), pluralNoun(s.Messages, "message"), pluralNoun(s.Embeddings, "embedding"), r.Checks)
	return err
}
