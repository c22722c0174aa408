package pipeline

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"
)

// figuresEvery is how often the lengths of the queues are asked for, by one process of a cluster.
const figuresEvery = 15 * time.Second

// turnFigures is the name of the turn to do so.
const turnFigures = "figures"

// openSince tells how old the oldest open request is. Storage's clock and this machine's may differ by seconds, which does
// not matter to an age that is worth an alarm.
func (w *Worker) openSince(oldest time.Time) {
	age := time.Duration(0)
	if !oldest.IsZero() {
		age = max(0, w.Now().Sub(oldest))
	}
	w.Metrics.OldestOpen(age)
}

// figures tells the lengths of the queues until ctx ends. It is no work of the pipeline's: what goes wrong is said at debug.
func (w *Worker) figures(ctx context.Context) {
	if w.Metrics == nil {
		return
	}
	who := w.NewID()
	tick := time.NewTicker(figuresEvery)
	defer tick.Stop()
	for {
		mine := w.embedded
		if !mine {
			_, ok, err := takeTurn(ctx, w.js, turnFigures, who, figuresEvery)
			mine = ok && err == nil
		}
		w.Metrics.ForgetQueued()
		if mine {
			if err := w.countQueues(ctx); err != nil && ctx.Err() == nil {
				w.Log.Debug("lengths of the queues are not known", zap.Error(err))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// countQueues asks once for each stream: what waits and what is in hand, for each consumer. Dead letters have no consumer.
func (w *Worker) countQueues(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, figuresEvery)
	defer cancel()
	for _, spec := range topology(Topology{}) {
		if len(spec.consumers) == 0 && spec.name != StreamDLQ {
			continue
		}
		s, err := w.js.Stream(ctx, spec.name)
		if err != nil {
			return fmt.Errorf("look at stream %s: %w", spec.name, err)
		}
		if spec.name == StreamDLQ {
			w.Metrics.Queued(spec.name, "", s.CachedInfo().State.Msgs)
			continue
		}
		list := s.ListConsumers(ctx)
		for c := range list.Info() {
			w.Metrics.Queued(spec.name, c.Name, c.NumPending+uint64(c.NumAckPending)) //nolint:gosec // a count
		}
		if err := list.Err(); err != nil {
			return fmt.Errorf("look at the consumers of %s: %w", spec.name, err)
		}
	}
	return nil
}
