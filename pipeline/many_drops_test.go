package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/google/uuid"

	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

// BenchmarkManyDropsOfOneOwner imports drops of one owner that arrive at once. What one drop takes should hardly depend on
// how many there are: assemblies is how often the store was computed. With -v it lists what the requests were for.
func BenchmarkManyDropsOfOneOwner(b *testing.B) {
	for _, n := range []int{63, 125, 250, 500} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for range b.N {
				manyDrops(b, n)
			}
		})
	}
}

func manyDrops(b *testing.B, n int) {
	b.StopTimer()
	store, err := dir.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	asked := newRequests(store)
	d := Deps{
		Store: asked, Registry: providers.Default(), Extractors: builtin.Registry(), Log: zap.NewNop(), Scratch: b.TempDir(), Workers: 2,
		Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }, NewID: uuid.NewString, Attempts: 3,
		Backoff: Backoff{First: time.Millisecond, Max: 5 * time.Millisecond},
		Limits:  state.Limits{MaxConversation: 256 << 20, ShardBytes: 8 << 20, ShardItems: 500, SortBudget: 8 << 20},
	}
	l, err := OpenLocal(b.Context(), d, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	for i := range n {
		file := filepath.Join(b.TempDir(), "conversations.json")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(manyConversations(2), `"c-`, fmt.Sprintf(`"d%d-`, i))), 0o600); err != nil {
			b.Fatal(err)
		}
		rec, err := TakeIn(b.Context(), d.Store, "me", []string{file}, d.Scratch)
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Submit(b.Context(), state.Request{V: 1, Owner: "me", Drop: rec.Drop, Lane: state.LaneSmall}); err != nil {
			b.Fatal(err)
		}
	}
	asked.reset()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	done := make(chan error, 1)
	b.StartTimer()
	go func() { done <- l.Run(ctx) }()
	for idle := false; !idle; time.Sleep(20 * time.Millisecond) {
		if idle, err = l.Idle(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	cancel()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
	assemblies := 0
	for o, err := range store.List(b.Context(), "owners/me/exports/") {
		if err != nil {
			b.Fatal(err)
		}
		if strings.HasSuffix(o.Key, ".fold.zst") {
			assemblies++
		}
	}
	head, _, err := state.ReadHead(b.Context(), store, "me")
	if err != nil {
		b.Fatal(err)
	}
	if in, err := state.ReadInputs(b.Context(), store, "me", head); err != nil || len(in.Drops) != n {
		b.Fatalf("%d drops are in the store, want %d (%v)", len(in.Drops), n, err)
	}
	if testing.Verbose() {
		b.Logf("%d drops:\n%s", n, asked)
	}
	for _, op := range []string{"get", "head", "list", "put"} {
		b.ReportMetric(float64(asked.of(op))/float64(n), op+"/drop")
	}
	b.ReportMetric(float64(assemblies), "assemblies")
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(n), "ms/drop")
}
