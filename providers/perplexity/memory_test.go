package perplexity_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/perplexity"
)

// withRows is a workbook with more rows behind those of its first sheet, as the sheet has them.
func withRows(t testing.TB, rows string) importertest.File {
	t.Helper()
	files := parts(t, gdpr()[0])
	files[0].Data = []byte(strings.Replace(string(files[0].Data), "</sheetData>", rows+"</sheetData>", 1))
	return importertest.File{Name: "x.xlsx", Data: importertest.Pack(t, files...)}
}

// A row of twenty bytes with a cell in the last of 16,384 columns took 650 KB.
func TestARowTakesNoMoreThanTheCellsThatItHas(t *testing.T) {
	const rows = 300
	book := withRows(t, strings.Repeat(`<row><c r="XFD9"><v>1</v></c></row>`, rows))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := format.Read(t, book)
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / rows; got > 100<<10 || len(r.Units) < rows {
		t.Errorf("%d bytes a row, %d units", got, len(r.Units))
	}
}

// A cell counts while it is read, and so do the cells before it in its row.
func TestACellThatGrowsIsWaitedFor(t *testing.T) {
	cell := `<c t="inlineStr"><is><t>` + strings.Repeat("long ", 100_000) + `</t></is></c>`
	a := importertest.Open(t, importertest.Pack(t, withRows(t, "<row>"+strings.Repeat(cell, 3)+"</row>")))
	var told most
	limits := importer.Limits{Memory: &told, Scratch: t.TempDir()}.WithDefaults()
	c, err := perplexity.New().Claim(t.Context(), a.Members, importertest.Peek, importer.Limits{}.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	for u, err := range perplexity.New().Split(t.Context(), c, limits) {
		if err != nil || u.Err != nil {
			t.Fatal(err, u.Err)
		}
	}
	if told < 1_500_000 || told > 1_600_000 {
		t.Errorf("%d bytes were told of", told)
	}
}

// most is the most that was held.
type most int64

func (m *most) Hold(_ context.Context, n int64) error {
	*m = max(*m, most(n))
	return nil
}
