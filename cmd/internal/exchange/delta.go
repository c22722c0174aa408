package exchange

import (
	"errors"
	"io"
	"io/fs"

	"github.com/pamline/pamline/pamio"
)

// Difference is the report of [Delta].
type Difference struct {
	*pamio.DeltaReport
	ExportID      string       `json:"export_id,omitempty"`
	BaseExportID  string       `json:"base_export_id"`
	Since         string       `json:"since,omitempty"`
	WithheldCount int          `json:"withheld"`
	Embeddings    *pamio.Tally `json:"embeddings,omitempty"`
	Files         Files        `json:"files"`
	Signatures    []Signed     `json:"signatures"`
}

// RemovedCount is how many elements of the base a merge will keep although they are gone.
func (d *Difference) RemovedCount() (n int64) {
	for _, t := range d.Tallies {
		n += t.Removed
	}
	return n
}

// Delta writes the difference between two exports: of bundles also the embeddings, conversation
// files and assets that are new or changed. Options.To is as in [Merge].
func Delta(o Options, base, next string) (report *Difference, err error) {
	in, err := openInputs(base, next)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	limits := pamio.Limits{Scratch: o.Scratch}
	report = &Difference{}
	delta := func(w io.Writer) (err error) {
		report.DeltaReport, err = pamio.Delta(w, in.files[0].Source(), in.files[1].Source(), pamio.DeltaOptions{Limits: limits, Check: in.check(o)})
		return err
	}
	err = o.writeStore(in.files[1].IsBundle(), delta, func(out output, store string) (err error) {
		if report.Embeddings, err = in.deltaEmbeddings(out, limits, report.Withheld); err != nil {
			return err
		}
		if err := in.conversations(out, store, &report.Files); err != nil {
			return err
		}
		return in.assets(out, 1, in.isInBase, &report.Files)
	})
	if err != nil {
		return nil, err
	}
	s := report.Scalars
	report.ExportID, report.BaseExportID, report.Since = s.ExportID, s.BaseExportID, s.Since
	report.WithheldCount, report.Signatures = len(report.Withheld), in.signed
	return report, nil
}

// isInBase tells whether the base has an asset: assets are named after their bytes.
func (in *inputs) isInBase(name string) bool {
	if !in.files[0].IsBundle() {
		return false
	}
	info, err := fs.Stat(in.files[0].Bundle().FS(), name)
	return err == nil && info.Mode().IsRegular()
}

// deltaEmbeddings writes the embeddings that are new or changed, if the next export has any.
func (in *inputs) deltaEmbeddings(out output, l pamio.Limits, withheld pamio.Withheld) (*pamio.Tally, error) {
	next, err := in.embeddings(1)
	if err != nil || next == nil {
		return nil, err
	}
	base, err := in.embeddings(0)
	if err != nil {
		return nil, err
	}
	var tally pamio.Tally
	err = out.add(pamio.EmbeddingsFile, func(w io.Writer) (err error) {
		tally, err = pamio.DeltaEmbeddings(w, base, *next, l, withheld)
		return err
	})
	return &tally, err
}
