package main

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/interop/mif"
)

var errNeedsPAM = exit.With(exit.Usage, errors.New("inspect: --why, --memories and --conversations need a PAM store: pamline convert --to pam makes one"))

// otherFormat shows a document of another format than PAM; known tells whether it is one.
func (c *inspectCommand) otherFormat(a *app, path string) (known bool, err error) {
	if d, err := mif.Open(path); err == nil {
		if c.Why != "" || c.Memories || c.Conversations {
			return true, errNeedsPAM
		}
		return true, c.print(a, mifDescription(d))
	}
	b, err := mem.Open(path)
	if err != nil {
		return false, nil //nolint:nilerr // whoever opens it as a PAM document says what it is not
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
