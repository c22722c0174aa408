package gemini_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/gemini"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// Rows of more than a megabyte are put aside while the log is sorted. A log of nothing else is
// recognized, and its units are those of any other: rows of one conversation together in the order
// of their times, the same row once.
func TestALogOfLargeRows(t *testing.T) {
	row := func(second int, conversation, answer string) string {
		return fmt.Sprintf(`{"header":"Gemini Apps","title":"Prompted %d","titleUrl":"https://gemini.google.com/app/%s","time":"2026-01-01T00:00:%02d.000Z","products":["Gemini Apps"],"safeHtmlItem":[{"html":"<p>%s</p>"}]}`,
			second, conversation, second, answer)
	}
	long := strings.Repeat("long ", 230_000)
	list := func(answers [5]string) string {
		return "[" + strings.Join([]string{
			row(5, "aaaaaaaaaaaaaaaa", answers[0]), row(4, "bbbbbbbbbbbbbbbb", answers[1]), row(3, "aaaaaaaaaaaaaaaa", answers[2]),
			row(3, "aaaaaaaaaaaaaaaa", answers[3]), row(1, "bbbbbbbbbbbbbbbb", answers[4]),
		}, ",") + "]"
	}
	shapes := func(answers [5]string) (out []string) {
		r := rows.Read(t, importertest.Files("MyActivity.json", list(answers))...)
		for _, s := range r.Conversations() {
			out = append(out, s.Doc.ID)
			for _, m := range s.Doc.Messages {
				out = append(out, m.Role+" "+m.CreatedAt)
			}
		}
		return append(out, fmt.Sprint(r.Skips(), len(r.Quarantined())))
	}
	small, large := shapes([5]string{"a", "b", "c", "c", "d"}), shapes([5]string{long + "a", long + "b", long + "c", long + "c", long + "d"})
	if !slices.Equal(small, large) || len(small) != 2+8+1 {
		t.Errorf("of large rows: %q\nof small ones: %q", large, small)
	}
}

// A cell counts while it is read, and scratch files are removed.
func TestACellThatGrowsIsWaitedFor(t *testing.T) {
	page, err := os.ReadFile("testdata/page.html")
	if err != nil {
		t.Fatal(err)
	}
	page = bytes.Replace(page, []byte("</p>"), []byte(strings.Repeat("long ", 500_000)+"</p>"), 1)
	a := importertest.Open(t, importertest.Pack(t, importertest.File{Name: "MyActivity.html", Data: page}))
	var told most
	scratch := t.TempDir()
	limits := importer.Limits{Memory: &told, Scratch: scratch}
	c, err := gemini.New().Claim(t.Context(), a.Members, importertest.Peek, limits.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	units := 0
	for u, err := range gemini.New().Split(t.Context(), c, limits) {
		if err != nil {
			t.Fatal(err)
		}
		if told < 2_500_000 {
			t.Fatalf("%d bytes of the cell were told of before the first unit", told)
		}
		if u.Err == nil {
			units++
		}
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 || units == 0 {
		t.Errorf("%d units; scratch files are left: %v, %v", units, left, err)
	}
}

// most is the most that was held.
type most int64

func (m *most) Hold(_ context.Context, n int64) error {
	*m = max(*m, most(n))
	return nil
}
