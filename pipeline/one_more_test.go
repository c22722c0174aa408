package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

// BenchmarkOneMoreDrop takes small drops, one after the other, into a store that has many. With -v it lists what the
// requests were for.
func BenchmarkOneMoreDrop(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { oneMore(b, n) })
	}
}

// moreDrops is how many are measured, so that what is done once for several is shared fairly.
const moreDrops = 32

func oneMore(b *testing.B, n int) {
	store, err := dir.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	asked := newRequests(store)
	d := Deps{
		Store: asked, Registry: providers.Default(), Extractors: builtin.Registry(), Log: zap.NewNop(), Scratch: b.TempDir(), Workers: 2,
		Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }, NewID: uuid.NewString,
		Limits: state.Limits{MaxConversation: 256 << 20, ShardBytes: 8 << 20, ShardItems: 500, SortBudget: 8 << 20},
	}
	made := 0
	drop := func() AssembleTask {
		file := filepath.Join(b.TempDir(), "conversations.json")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(manyConversations(2), `"c-`, fmt.Sprintf(`"d%d-`, made))), 0o600); err != nil {
			b.Fatal(err)
		}
		made++
		_, task := ingested(b, d, "me", file)
		return task
	}
	var tasks []AssembleTask
	for range n {
		tasks = append(tasks, drop())
	}
	for _, some := range [][]AssembleTask{tasks[:n-1], tasks[n-1:]} {
		if _, err := Assemble(b.Context(), d, "me", some); err != nil {
			b.Fatal(err)
		}
	}
	asked.reset()
	more := 0
	for b.Loop() {
		for range moreDrops {
			if _, err := Assemble(b.Context(), d, "me", []AssembleTask{drop()}); err != nil {
				b.Fatal(err)
			}
			more++
		}
	}
	if testing.Verbose() {
		b.Logf("%d drops after %d:\n%s", more, n, asked)
	}
	for _, op := range []string{"get", "head", "list", "put"} {
		b.ReportMetric(float64(asked.of(op))/float64(more), op+"/drop")
	}
	b.ReportMetric(float64(asked.bytes)/float64(more)/1024, "KiB-read/drop")
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(more), "ms/drop")
}
