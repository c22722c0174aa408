package prune_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pamline/pamline/blob/metered"
	"github.com/pamline/pamline/pipeline/prune"
	"github.com/pamline/pamline/pipeline/stagetest"
)

// BenchmarkRequests counts the requests of the prune that follows the last of some imports of an
// owner; each before it was followed by one, too.
func BenchmarkRequests(b *testing.B) {
	for _, drops := range []int{2, 10, 40} {
		b.Run(fmt.Sprint(drops, " drops"), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				r := stagetest.New(b)
				counts, mu := map[string]float64{}, sync.Mutex{}
				for n := range drops {
					if _, _, err := r.Import(b.Context(), r.PutDrop(b, stagetest.TalksZip(b, n+2))); err != nil {
						b.Fatal(err)
					}
					clear(counts)
					b.StartTimer()
					o := optionsOn(metered.New(r.Data, time.Now, func(op, _ string, _ time.Duration) {
						mu.Lock()
						defer mu.Unlock()
						counts[op]++
					}), prune.Rules{Exports: 1})
					if report, err := prune.Owner(b.Context(), o, owner); err != nil || n > 0 && report.Total().Objects == 0 {
						b.Fatal(report, err)
					}
					b.StopTimer()
				}
				for op, n := range counts {
					b.ReportMetric(n, op)
				}
				b.StartTimer()
			}
		})
	}
}
