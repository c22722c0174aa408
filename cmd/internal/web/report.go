package web

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pamline/pamline/cmd/internal/wording"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
	"github.com/pamline/pamline/providers/importer"
)

// sum is a line of a report; the lines add up to the last.
type sum struct {
	Name, Why string
	N         int64
}

// sumsOf are the elements of an import and what became of each.
func sumsOf(r *state.Receipt) (sums []sum) {
	total := r.Counts.Conversations + r.Counts.Quarantined
	sums = append(sums, sum{"Conversations", "", r.Counts.Conversations})
	for _, kind := range slices.Sorted(maps.Keys(r.Counts.Records)) {
		n := r.Counts.Records[kind]
		total += n
		_, name, _ := strings.Cut(wording.Record(kind, max(n, 2)), " ")
		sums = append(sums, sum{upperFirst(name), "kept by the provider beside conversations", n})
	}
	sums = append(sums, sum{"Not readable", "listed below; the rest is not affected", r.Counts.Quarantined})
	for _, code := range slices.Sorted(maps.Keys(r.Counts.Skips)) {
		s := r.Counts.Skips[code]
		total += int64(s.Count)
		sums = append(sums, sum{"Left out", wording.Skip(code, s), int64(s.Count)})
	}
	return append(slices.DeleteFunc(sums, func(s sum) bool { return s.N == 0 }), sum{"Found in the export", "", total})
}

func upperFirst(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// notesOf are what was unusual but kept, what is missing, and what made no memory on purpose.
func notesOf(r *state.Receipt) (notes []string) {
	notes = append(notes, r.Notes...)
	if n := r.Counts.AssetsMissing(); n > 0 {
		notes = append(notes, wording.Words{One: "1 file that a message mentions is missing from the export", Several: "%d files that messages mention are missing from the export"}.Count(n))
	}
	if n := r.Counts.UnknownVariants(); n > 0 {
		notes = append(notes, wording.Words{
			One:     "1 conversation has a form that is new to this importer: what is known was read, and the rest is kept",
			Several: "%d conversations have a form that is new to this importer: what is known was read, and the rest is kept",
		}.Count(n))
	}
	for _, code := range slices.Sorted(maps.Keys(r.Counts.Anomalies)) {
		if code != importer.AnomalyAssetMissing && code != importer.AnomalyUnknownVariant {
			notes = append(notes, wording.Note(code, r.Counts.Anomalies[code]))
		}
	}
	for _, w := range wording.Withheld {
		if n := r.Extraction.Counts[w.Code]; n > 0 {
			notes = append(notes, w.Count(n))
		}
	}
	return notes
}

// recognition is why an import was read by an importer.
type recognition struct {
	Importer string
	Provider string
	Files    []string
	More     int
}

// maxNamed is how many files a recognition names.
const maxNamed = 4

// recognized says which files of an import have the form that an importer reads.
func (p *Page) recognized(ctx context.Context, row *status.Row) (all []recognition, err error) {
	if row.Import == "" {
		return nil, nil
	}
	m, ok, err := state.ReadManifest(ctx, p.o.Store, row.Owner, row.Import)
	if err != nil || !ok {
		return nil, err
	}
	for _, version := range m.Importers {
		one := recognition{Importer: version, Provider: providerName(strings.TrimSuffix(path.Dir(version), "-importer"))}
		for _, s := range m.Sources {
			switch {
			case s.Importer != version || slices.Contains(one.Files, s.File):
			case len(one.Files) < maxNamed:
				one.Files = append(one.Files, s.File)
			default:
				one.More++
			}
		}
		all = append(all, one)
	}
	return all, nil
}
