package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/interop/mif"
	"github.com/pamline/pamline/pamio/validate"
)

var errNeedsPAM = exit.With(exit.Usage, errors.New("inspect: --why, --memories and --conversations need a PAM store: pamline convert --to pam or pamline import makes one"))

// otherFormat shows a document of another format than PAM; known tells whether it is one.
func (c *inspectCommand) otherFormat(a *app, path string) (known bool, err error) {
	if d, wrong := mif.Open(path); wrong == nil {
		defer func() { err = errors.Join(err, d.Close()) }()
		if c.Why != "" || c.Memories || c.Conversations {
			return true, errNeedsPAM
		}
		r, err := mifDescription(d)
		if err != nil {
			return true, fmt.Errorf("inspect: %w", err)
		}
		return true, c.print(a, r)
	}
	b, err := mem.Open(path)
	if err != nil {
		return c.otherExport(a, path)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if c.Why != "" || c.Memories || c.Conversations {
		return true, errNeedsPAM
	}
	if b.Manifest == nil {
		return true, errors.New("inspect: the manifest of this .mem bundle is malformed; see pamline validate " + path)
	}
	sig, err := b.Signature()
	if err != nil {
		return true, err
	}
	return true, c.print(a, &memSummary{b.Manifest, sig != nil})
}

// otherExport shows what an export of another program holds.
func (c *inspectCommand) otherExport(a *app, path string) (known bool, err error) {
	folder, remove, err := scratch("")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	unreadable := int64(0)
	r, err := readOther(a.ctx, path, folder, func(validate.Finding) error { unreadable++; return nil })
	if err != nil || r == nil {
		return false, err
	}
	if c.Why != "" || c.Memories || c.Conversations {
		return true, errNeedsPAM
	}
	if unreadable > 0 {
		r.Notes = append([]string{pluralNoun(unreadable, "element") + " cannot be read: pamline validate says which"}, r.Notes...)
	}
	return true, c.print(a, r)
}

// memSummary is what inspect shows of a .mem bundle.
type memSummary struct {
	*mem.Manifest
	Signed bool `json:"signed"`
}

func (m *memSummary) WriteText(w io.Writer) error {
	p := printTo(w)
	p.line("Portable Memory bundle (.mem) %s, level %s", m.Format, m.ConformanceLevel)
	p.field("made by", "%s, %s, %s", visible(m.Generator, ""), m.CreatedAt, m.ExportMode)
	if m.Coverage != nil {
		p.field("time", "%s to %s", m.Coverage.From, m.Coverage.To)
	}
	if m.Signed {
		p.field("signature", "present; pamline validate --key FILE verifies it")
	}
	for _, kind := range slices.SortedFunc(maps.Keys(m.Counts), cmp.Compare[string]) {
		p.field(visible(kind, ""), "%d", m.Counts[kind])
	}
	return p.err
}
