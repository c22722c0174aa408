package exchange

import (
	"errors"
	"io"

	"github.com/pamline/pamline/pamio"
)

// Merged is the report of [Merge].
type Merged struct {
	*pamio.MergeReport
	ExportID string `json:"export_id,omitempty"`
	// WithheldCount is how many memories are left out because they are marked exportable: false.
	WithheldCount int          `json:"withheld"`
	Embeddings    *pamio.Tally `json:"embeddings,omitempty"`
	Files         Files        `json:"files"`
	Signatures    []Signed     `json:"signatures"`
}

// Merge merges deltas into a base: stores, or bundles with the files beside them. Options.To names
// a folder, FILE.zip, FILE.json for the store alone, or "-" for standard output. Without deltas it
// copies the base, without the memories that must not be given away.
func Merge(o Options, base string, deltas ...string) (report *Merged, err error) {
	in, err := openInputs(append([]string{base}, deltas...)...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	limits := pamio.Limits{Scratch: o.Scratch}
	report = &Merged{}
	var sources []pamio.Source
	for _, f := range in.files[1:] {
		sources = append(sources, f.Source())
	}
	merge := func(w io.Writer) (err error) {
		report.MergeReport, err = pamio.Merge(w, in.files[0].Source(), sources, pamio.MergeOptions{Limits: limits, AnyBase: o.AnyBase, Check: in.check(o)})
		return err
	}
	err = o.writeStore(in.withFiles(), merge, func(out output, store string) (err error) {
		if report.Embeddings, err = in.mergeEmbeddings(out, limits, report.Withheld); err != nil {
			return err
		}
		if err := in.conversations(out, store, &report.Files); err != nil {
			return err
		}
		return in.assets(out, 0, func(string) bool { return false }, &report.Files)
	})
	if err != nil {
		return nil, err
	}
	report.ExportID, report.WithheldCount, report.Signatures = report.Scalars.ExportID, len(report.Withheld), in.signed
	return report, nil
}

// mergeEmbeddings merges the embeddings files of all inputs, if there are any.
func (in *inputs) mergeEmbeddings(out output, l pamio.Limits, withheld pamio.Withheld) (*pamio.Tally, error) {
	base, err := in.embeddings(0)
	if err != nil {
		return nil, err
	}
	var deltas []pamio.Source
	for i := 1; i < len(in.files); i++ {
		d, err := in.embeddings(i)
		if err != nil {
			return nil, err
		}
		if d != nil {
			deltas = append(deltas, *d)
		}
	}
	if base == nil && len(deltas) == 0 {
		return nil, nil //nolint:nilnil // none is an answer
	}
	var tally pamio.Tally
	err = out.add(pamio.EmbeddingsFile, func(w io.Writer) (err error) {
		tally, err = pamio.MergeEmbeddings(w, base, deltas, l, withheld)
		return err
	})
	return &tally, err
}
