package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/google/uuid"

	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/providers"
)

// BenchmarkManyDropsOfOneOwner imports drops of one owner that arrive at once. What one drop takes should hardly depend on
// how many there are: requests/drop counts reads and writes, assemblies how often the store was computed.
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
	var puts, gets, assemblies atomic.Int64
	d := Deps{
		Store: tallied{store, &puts, &gets}, Registry: providers.Default(), Extractors: builtin.Registry(), Log: zap.NewNop(), Scratch: b.TempDir(), Workers: 2,
		Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }, NewID: uuid.NewString, Attempts: 3,
		Backoff: Backoff{First: time.Millisecond, Max: 5 * time.Millisecond},
		Limits:  Limits{MaxConversation: 256 << 20, ShardBytes: 8 << 20, ShardItems: 500, SortBudget: 8 << 20},
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
		rec, err := TakeIn(b.Context(), d.Store, "me", []string{file}, d.Limits.Archive, d.Scratch)
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Submit(b.Context(), Request{V: 1, Owner: "me", Drop: rec.Drop, Lane: LaneSmall}); err != nil {
			b.Fatal(err)
		}
	}
	puts.Store(0)
	gets.Store(0)
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
	for o, err := range store.List(b.Context(), "owners/me/exports/") {
		if err != nil {
			b.Fatal(err)
		}
		if strings.HasSuffix(o.Key, ".fold.zst") {
			assemblies.Add(1)
		}
	}
	head, _, err := readHead(b.Context(), store, "me")
	if err != nil {
		b.Fatal(err)
	}
	if in, err := readInputs(b.Context(), store, "me", head); err != nil || len(in.Drops) != n {
		b.Fatalf("%d drops are in the store, want %d (%v)", len(in.Drops), n, err)
	}
	b.ReportMetric(float64(puts.Load())/float64(n), "writes/drop")
	b.ReportMetric(float64(gets.Load())/float64(n), "reads/drop")
	b.ReportMetric(float64(assemblies.Load()), "assemblies")
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(n), "ms/drop")
}
