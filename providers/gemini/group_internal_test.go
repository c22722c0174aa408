package gemini

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// Rows that do not fit in memory give the same units in the same order.
func TestTheBudgetChangesNothing(t *testing.T) {
	var log strings.Builder
	for i := range 400 {
		fmt.Fprintf(&log, `,{"header":"Gemini Apps","title":"Prompted row %d","time":"2026-01-02T03:%02d:%02dZ","details":[{"url":"https://gemini.google.com/app/c%d"}],"x":%q}`, i/3, i/60, i%60, i%7, strings.Repeat("word ", i%50))
		fmt.Fprintf(&log, `,{"header":"Gemini Apps","title":"Prompted loose %d","time":"2026-01-02T03:%02d:00.%03dZ"}`, i%5, i/60, i)
	}
	text := "[" + log.String()[1:] + "]"
	m := archive.NewMember("MyActivity.json", int64(len(text)), 0, func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	})
	claim := importer.Claim{Members: []importer.ClaimedMember{{Member: m, Role: roleLog}}}
	units := func(budget int64) string {
		var out strings.Builder
		n := 0
		for u, err := range New().(Importer).split(t.Context(), claim, importer.Limits{Scratch: t.TempDir()}, budget) {
			if err != nil || u.Err != nil {
				t.Fatal(err, u.Err)
			}
			c, _ := u.Context.(unitContext)
			fmt.Fprintln(&out, u.Role, u.Index, u.Offset, c.occurrence, string(u.Raw))
			n++
		}
		if n != 7+400 {
			t.Fatalf("%d units", n)
		}
		return out.String()
	}
	if units(4<<10) != units(0) {
		t.Error("other units")
	}
}
