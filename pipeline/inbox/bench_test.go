package inbox

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/natstest"
)

// BenchmarkNotifications reads notifications until none is left: of one owner, who gets listings,
// and of as many owners, who get a task each.
func BenchmarkNotifications(b *testing.B) {
	for name, key := range map[string]string{"one owner": "inbox/ann/%d.zip", "many owners": "inbox/o%d/a.zip"} {
		b.Run(name, func(b *testing.B) {
			r := newRig(b, nil)
			q := r.withQueue(b, dispatch.TopologyOptions{})
			for i := range b.N {
				publish(b, q, notificationOf(fmt.Sprintf(key, i)))
			}
			ctx, stop := context.WithCancel(b.Context())
			var g sync.WaitGroup
			b.ResetTimer()
			g.Go(func() { _ = r.ConsumeEvents(ctx) })
			natstest.Eventually(b, "reading all", func() bool { return pendingEventsIn(b, q) == 0 })
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "notifications/s")
			stop()
			g.Wait()
		})
	}
}

// BenchmarkScanOfKnownEntries lists an inbox of which everything was taken.
func BenchmarkScanOfKnownEntries(b *testing.B) {
	r := newRig(b, nil)
	r.withQueue(b, dispatch.TopologyOptions{})
	const entries = 10_000
	for i := range entries {
		r.put(b, fmt.Sprintf("inbox/o%d/%d.zip", i%100, i), fmt.Sprint(i))
	}
	for _, e := range r.list(b) {
		if err := r.recordTaken(b.Context(), e, dropOf("x")); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if s := r.scan(b); s.Known != entries {
			b.Fatalf("%+v", s)
		}
	}
	b.ReportMetric(float64(entries)*float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}
