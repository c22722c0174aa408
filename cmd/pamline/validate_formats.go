package main

import (
	"cmp"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/interop/mif"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pamio/validate"
)

// otherReport is what a validation says of a document of another format than PAM.
type otherReport struct {
	Format string           `json:"format"`
	Counts map[string]int64 `json:"counts"`
	Notes  []string         `json:"notes,omitempty"`
}

// otherFormat validates a document of another format than PAM; known tells whether it is one.
func (c *validateCommand) otherFormat(a *app, v *validated, o validate.Options) (known bool, code int, err error) {
	if b, err := mem.Open(v.Path); err == nil {
		code, err := c.checkMem(a, v, b, o)
		return true, code, errors.Join(err, b.Close())
	}
	d, err := mif.Open(v.Path)
	if errors.Is(err, mif.ErrVersion) || errors.Is(err, mif.ErrUnsafe) {
		v.Verdict, v.Problem = validate.Unusable.String(), err.Error()
		return true, validate.Unusable.Exit(), nil
	}
	if err != nil {
		return c.checkOther(a, v, o)
	}
	code, err = c.checkMIF(a, v, d)
	return true, code, errors.Join(err, d.Close())
}

// checkOther reads an export of another program as an import would.
func (c *validateCommand) checkOther(a *app, v *validated, o validate.Options) (known bool, code int, err error) {
	report := &validate.Report{Counts: map[string]int64{}}
	v.Other, err = readOther(a.ctx, v.Path, o.Scratch, func(f validate.Finding) error {
		report.Errors++
		return c.takeFinding(a, v, report, f)
	})
	if err != nil || v.Other == nil {
		return false, 0, err
	}
	info, err := os.Stat(v.Path)
	v.bundle = err == nil && info.IsDir()
	v.Report, v.Verdict = report, report.Verdict().String()
	return true, report.Verdict().Exit(), nil
}

// checkMIF validates a MIF document.
func (c *validateCommand) checkMIF(a *app, v *validated, d *mif.Document) (int, error) {
	report := &validate.Report{Counts: map[string]int64{}}
	var writing error
	err := d.Check(func(f mif.Finding) {
		severity := validate.Error
		if report.Errors++; f.Warning && !c.Strict {
			severity = validate.Warning
			report.Errors, report.Warnings = report.Errors-1, report.Warnings+1
		}
		finding := validate.Finding{ID: "mif-" + f.ID, Severity: severity, File: filepath.Base(v.Path), Pointer: f.Pointer, Offset: -1, Message: f.Reason}
		writing = errors.Join(writing, c.takeFinding(a, v, report, finding))
	})
	if errors.Is(err, mif.ErrNotMIF) {
		v.Verdict, v.Problem = validate.Unusable.String(), err.Error()
		return validate.Unusable.Exit(), writing
	}
	if err = errors.Join(err, writing); err != nil {
		return 0, err
	}
	v.Report, v.Verdict = report, report.Verdict().String()
	if v.Other, err = mifDescription(d); err != nil {
		return 0, err
	}
	return report.Verdict().Exit(), nil
}

// mifDescription says what a MIF document holds.
func mifDescription(d *mif.Document) (*otherReport, error) {
	r := &otherReport{Format: "Memory Interchange Format (MIF) " + d.Version + ", " + string(d.Form), Counts: map[string]int64{}}
	for _, name := range []string{"memories", "todos", "projects", "reminders"} {
		n, err := d.Len(name)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			r.Counts[name] = n
		}
	}
	r.Notes = append(r.Notes, "checksum: "+string(d.Checksum))
	if d.IsEncrypted() {
		r.Notes = append(r.Notes, "encrypted; its parameters must be told to convert it")
	}
	consent := d.Consent()
	if !consent.Shared {
		r.Notes = append(r.Notes, "consent: must not be shared")
	}
	if !consent.Until.IsZero() {
		r.Notes = append(r.Notes, "consent: must be gone by "+consent.Until.Format("2006-01-02"))
	}
	return r, nil
}

// checkMem validates a .mem bundle.
func (c *validateCommand) checkMem(a *app, v *validated, b *mem.Bundle, o validate.Options) (int, error) {
	trusted, err := edKeys(c.Key)
	if err != nil {
		return 0, exit.With(exit.Usage, err)
	}
	v.bundle = true
	report := &validate.Report{Counts: map[string]int64{}}
	var writing error
	r, err := b.Check(a.ctx, mem.CheckOptions{Trusted: trusted, Scratch: o.Scratch, OnFinding: func(f mem.Finding) {
		if err := c.takeFinding(a, v, report, memFinding(f, c.Strict)); err != nil {
			writing = errors.Join(writing, err)
		}
	}})
	if err != nil || writing != nil {
		return 0, errors.Join(err, writing)
	}
	report.Errors, report.Warnings = int64(r.Errors), int64(r.Warnings)
	if c.Strict {
		report.Errors, report.Warnings = report.Errors+report.Warnings, 0
	}
	v.Report, v.Verdict = report, report.Verdict().String()
	v.Other = &otherReport{Format: "Portable Memory (.mem) " + r.Format + ", level " + r.Level, Counts: r.Counts}
	if r.Signed {
		v.Other.Notes = append(v.Other.Notes, "signed by ed25519:"+r.Key)
	}
	return report.Verdict().Exit(), nil
}

// takeFinding counts and shows a finding.
func (c *validateCommand) takeFinding(a *app, v *validated, report *validate.Report, f validate.Finding) error {
	report.Counts[f.ID]++
	if c.Format != "text" {
		v.Findings = append(v.Findings, f)
		return nil
	}
	if _, err := fmt.Fprintln(a.stdout, f); err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	return nil
}

func memFinding(f mem.Finding, strict bool) validate.Finding {
	severity := validate.Warning
	if f.Severity == mem.Error || strict {
		severity = validate.Error
	}
	message := f.Reason
	if f.Line > 0 {
		message = fmt.Sprintf("line %d: %s", f.Line, f.Reason)
	}
	return validate.Finding{ID: "mem-" + f.ID, Severity: severity, File: f.Path, Offset: -1, Message: message}
}

// WriteText describes a document to a person.
func (r *otherReport) WriteText(w io.Writer) error {
	p := printTo(w)
	p.line("%s", r.Format)
	for _, name := range slices.SortedFunc(maps.Keys(r.Counts), cmp.Compare[string]) {
		p.field(name, "%d", r.Counts[name])
	}
	for _, note := range r.Notes {
		p.line("  %s", note)
	}
	return p.err
}

// summarize writes the last lines about a document of another format.
func (r *otherReport) summarize(w io.Writer, v *validated) error {
	_, err := fmt.Fprintf(w, "%s: %s: %s, %s\n  %s", v.Path, v.Verdict, pluralNoun(v.Report.Errors, "error"), pluralNoun(v.Report.Warnings, "warning"), r.Format)
	if err != nil {
		return err
	}
	for _, name := range slices.SortedFunc(maps.Keys(r.Counts), cmp.Compare[string]) {
		if _, err := fmt.Fprintf(w, ", %d × %s", r.Counts[name], visible(name, "")); err != nil {
			return err
		}
	}
	for _, note := range r.Notes {
		if _, err := fmt.Fprintf(w, "\n  %s", note); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(w)
	return err
}

// edKeys reads public Ed25519 keys.
func edKeys(names []string) (all []ed25519.PublicKey, err error) {
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read key: %w", err)
		}
		key, err := keys.ParsePublic(text)
		if err != nil {
			return nil, fmt.Errorf("read key %s: %w", name, err)
		}
		ed, ok := key.Ed25519()
		if !ok {
			return nil, fmt.Errorf("read key %s: .mem bundles are signed with Ed25519, and this is another kind of key", name)
		}
		all = append(all, ed)
	}
	return all, nil
}
