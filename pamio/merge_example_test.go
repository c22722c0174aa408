package pamio_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/pamline/pamline/pamio"
)

func store(id string, memories string) pamio.Source {
	text := `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"ada"},"export_id":"` + id + `","export_date":"2026-02-01T00:00:00Z","memories":[` + memories + `]}`
	return pamio.Source{Name: id, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// The difference of two exports, merged into the older one, is the newer one.
func ExampleMerge() {
	base := store("january", `{"id":"m-1","status":"active"},{"id":"m-2","status":"active"}`)
	next := store("february", `{"id":"m-1","status":"retracted"},{"id":"m-2","status":"active"},{"id":"m-3","status":"active"}`)
	var delta, merged strings.Builder
	made, err := pamio.Delta(&delta, base, next, pamio.DeltaOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("builds on", made.Scalars.BaseExportID)
	source := pamio.Source{Name: "delta", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(delta.String())), nil }}
	report, err := pamio.Merge(&merged, base, []pamio.Source{source}, pamio.MergeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %+v\n", report.Scalars.ExportID, *report.Tallies["memories"])
	fmt.Println(strings.Contains(merged.String(), `[{"id":"m-1","status":"retracted"},{"id":"m-2","status":"active"},{"id":"m-3","status":"active"}]`))
	// Output:
	// builds on january
	// february: {Added:1 Updated:1 Unchanged:1 Removed:0 Total:3}
	// true
}
