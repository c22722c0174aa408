package pipeline_test

import (
	"sync"
	"testing"
	"time"

	"github.com/pamline/pamline/blob/metered"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
)

// BenchmarkRequestsOfADrop counts the requests of the first drop of an owner, of five
// conversations, in a process that works on all stages, with those of the command that waits for
// it.
func BenchmarkRequestsOfADrop(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		rig := stagetest.New(b)
		ref := refOf(rig.PutDrop(b, stagetest.TalksZip(b, 5)))
		counts, mu := map[string]float64{}, sync.Mutex{}
		o := optionsOf(b, rig)
		o.Store = metered.New(o.Store, time.Now, func(op, _ string, _ time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			counts[op]++
		})
		p := local(b, o)
		stop := run(b, p)
		b.StartTimer()
		if r := ended(b, p, ref, job.Want{}); r.State != state.StateDone {
			b.Fatalf("%+v", r)
		}
		b.StopTimer()
		stop()
		for op, n := range counts {
			b.ReportMetric(n, op)
		}
		b.StartTimer()
	}
}
