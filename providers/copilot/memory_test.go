package copilot_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/copilot"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// A table cannot make more of its bytes than a small multiple: not by lines in a cell, not by cells
// in a row.
func TestRowsOfManyPartsTakeNoMoreThanLongOnes(t *testing.T) {
	const size = 256 << 10
	for name, bad := range map[string]string{
		"lines in a cell":              `T,2026-02-17T14:36:11,Human,"` + strings.Repeat("\n", size) + `"`,
		"lines behind an open quote":   `T,2026-02-17T14:36:11,Human,"` + strings.Repeat("x\n", size/2),
		"lines before a misplaced one": `T,2026-02-17T14:36:11,Human,"` + strings.Repeat("x\n", size/2) + `" x`,
		"cells":                        `T,2026-02-17T14:36:11,Human,x` + strings.Repeat(",", size),
	} {
		data := []byte(crlf("Conversation,Time,Author,Message", "A,2026-02-17T14:36:11,Human,hi", bad))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := format.Read(t, importertest.File{Name: "copilot-activity-history.csv", Data: data})
		runtime.ReadMemStats(&after)
		if times := (after.TotalAlloc - before.TotalAlloc) / size; times > 40 || len(r.Conversations())+len(r.Quarantined()) != 2 {
			t.Errorf("%s: allocated %d times its size; %d conversations, quarantined %+v", name, times, len(r.Conversations()), r.Quarantined())
		}
	}
}

// A row of a few bytes takes the memory of a message.
func TestAConversationOfTooManyShortRowsIsQuarantined(t *testing.T) {
	for rows, want := range map[int]int{20_000: 1, 40_000: 0} {
		table := crlf("Conversation,Time,Author,Message") + strings.Repeat(crlf("A,2026-02-17T14:36:11,Human,x"), rows)
		r := importertest.Read(t, copilot.New(), importer.Limits{MaxConversation: 4 << 20}, importertest.File{Name: "copilot-activity-history.csv", Data: []byte(table)})
		if bad := r.Quarantined(); len(r.Conversations()) != want || len(bad) != 1-want {
			t.Errorf("%d rows: %d conversations, quarantined %+v", rows, len(r.Conversations()), bad)
		}
	}
}

// What is held of a run that is being collected is told, before it is whole.
func TestARunThatGrowsIsWaitedFor(t *testing.T) {
	cell := strings.Repeat("word ", 40<<10)
	for name, table := range map[string]string{
		"a row":     crlf("Conversation,Time,Author,Message", `A,2026-02-17T14:36:11,Human,"`+strings.Repeat(cell, 4)+`"`),
		"many rows": crlf("Conversation,Time,Author,Message") + strings.Repeat(crlf(`A,2026-02-17T14:36:11,Human,"`+cell+`"`), 4),
	} {
		r := importertest.Open(t, importertest.Pack(t, importertest.Files("copilot-activity-history.csv", table)...))
		imp := copilot.New()
		c, err := imp.Claim(t.Context(), r.Members, importertest.Peek, importer.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var told most
		for u, err := range imp.Split(t.Context(), c, importer.Limits{Memory: &told}) {
			if err != nil || u.Err != nil {
				t.Fatalf("%s: %v, %v", name, err, u.Err)
			}
		}
		if got := int64(told); got < int64(4*len(cell)) || got > int64(5*len(cell)) {
			t.Errorf("%s: %d bytes of %d were told of", name, got, len(table))
		}
	}
}

// most is the most that was held.
type most int64

func (m *most) Hold(_ context.Context, n int64) error {
	*m = max(*m, most(n))
	return nil
}
