package pipeline

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/check"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Scrub says how a service checks its store for damage while it runs.
type Scrub struct {
	// Every is the pause between two passes over the store; 0: there are none.
	Every time.Duration
	// Rate bounds how many bytes a second are read for it; 0: there is no bound.
	Rate int64
}

const (
	leaseScrub = "scrub"
	// scrubHold is how long the process that scrubs may be silent.
	scrubHold = 30 * time.Second
	// objectCost is what the reading of an object counts beside its bytes.
	objectCost = 32 << 10
)

// scrubStore passes over the store until ctx ends. One process of a cluster does it at a time.
func (p upkeep) scrubStore(ctx context.Context) error {
	s := p.options.Scrub
	if s.Every <= 0 {
		return nil
	}
	for {
		lease, held, err := p.queue.TryLease(ctx, dispatch.BucketLeases, leaseScrub, p.options.Reports.Name, scrubHold)
		if err == nil && held {
			err = lease.Hold(ctx, scrubHold, s.Every, p.ScrubOnce)
		}
		if err != nil && ctx.Err() == nil {
			p.options.Reports.Log.Warn("the check of the store for damage was interrupted; it begins again", zap.String("error", fault.Loggable(err)))
		}
		if waitFor(ctx, min(s.Every, 10*time.Minute)) != nil {
			return nil
		}
	}
}

// ScrubOnce checks the whole store at the pace of the settings. Damage is logged and counted, and
// nothing is changed.
func (p *Pipeline) ScrubOnce(ctx context.Context) error {
	pace := &pace{rate: p.options.Scrub.Rate}
	o := p.options.CheckOptions()
	o.Parallel, o.Pause = 1, pace.pause
	o.Seen = func(bytes int64) {
		pace.add(bytes + objectCost)
		p.options.Reports.Metrics.Scrubbed(bytes)
	}
	owners, err := check.ListOwners(ctx, o.Store)
	if err != nil {
		return err
	}
	damaged := 0
	for _, owner := range owners {
		report, err := check.ConfirmOwner(ctx, o, owner)
		if err != nil {
			return fmt.Errorf("check objects of %s: %w", owner, err)
		}
		damaged += len(report.Damage)
		for _, d := range report.Damage {
			p.options.Reports.Log.Error("an object of the store is damaged: `pamline fsck` says more, `pamline fsck --repair` repairs what it can",
				zap.String("owner", owner), zap.String("object", d.Object), zap.String("problem", d.Problem), zap.String("consequence", d.Consequence))
		}
	}
	p.options.Reports.Metrics.ScrubEnded(damaged, p.options.Now())
	return nil
}

// pace spreads reading over time.
type pace struct {
	rate int64
	mu   sync.Mutex
	owed int64
}

func (p *pace) add(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owed += bytes
}

// pause waits as long as what was read since the last pause may take.
func (p *pace) pause(ctx context.Context) error {
	p.mu.Lock()
	owed := p.owed
	p.owed = 0
	p.mu.Unlock()
	if p.rate <= 0 {
		return ctx.Err()
	}
	return waitFor(ctx, time.Duration(float64(owed)/float64(p.rate)*float64(time.Second)))
}

func waitFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// isMaintaining tells whether stages include the maintenance.
func isMaintaining(stages []string) bool { return slices.Contains(stages, telemetry.StageTend) }
