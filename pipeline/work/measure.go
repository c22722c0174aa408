package work

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/dispatch"
)

// measureEvery is how often the lengths of the queues are told.
const measureEvery = 15 * time.Second

// measure tells the lengths of the queues until ctx ends, by one process of a cluster. Nothing
// depends on them, so errors are logged at debug.
func (m *maintenance) measure(ctx context.Context) {
	if m.Metrics == nil {
		return
	}
	for {
		_, held, err := m.queue.TryLease(ctx, dispatch.BucketLeases, leaseMeasure, m.Name, measureEvery-measureEvery/5)
		m.Metrics.ForgetQueued()
		if err == nil && held {
			err = m.countQueues(ctx)
		}
		if err != nil && ctx.Err() == nil {
			m.Log.Debug("lengths of the queues are not known", zap.Error(err))
		}
		if !sleepFor(ctx, measureEvery) {
			return
		}
	}
}

func (m *maintenance) countQueues(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, measureEvery)
	defer cancel()
	depths, err := m.queue.Depths(ctx)
	for _, d := range depths {
		m.Metrics.Queued(d.Stream, d.Consumer, d.Waiting+d.InFlight)
	}
	return err
}
