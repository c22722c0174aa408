package pipeline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/prune"
	"github.com/pamline/pamline/pipeline/telemetry"
)

const (
	// replacedBefore is how many exports of an owner are replaced before a service removes them
	// without waiting for its pass: each removal looks at everything that the owner has.
	replacedBefore = 2
	// spared is how many of them it leaves for prune.grace to those who are reading.
	spared = 1
	// tidyFirst is the pause before it looks again whether the owner's imports have ended; it
	// grows to tidyMax.
	tidyFirst, tidyMax = time.Second, time.Minute
)

// replaced counts the exports that this process has replaced since it last removed any, by owner.
type replaced struct {
	mu    sync.Mutex
	count map[string]int
	many  chan struct{} // an owner has enough of them
}

// note counts an export when it is published. An owner can only be tidied when the import has
// ended.
func (r *replaced) note(e telemetry.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case e.Stage == telemetry.StagePublish:
		if r.count == nil {
			r.count = map[string]int{}
		}
		r.count[e.Owner]++
	case e.Stage == telemetry.StageDone && r.count[e.Owner] >= replacedBefore:
		select {
		case r.many <- struct{}{}:
		default: // it is known already
		}
	}
}

// owners are those with so many replaced exports, in order.
func (r *replaced) owners(least int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.count)), func(owner string) bool { return r.count[owner] < least })
}

func (r *replaced) forget(owner string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.count, owner)
}

// upkeep is what a pipeline does for its store beside the stages.
type upkeep struct{ *Pipeline }

// tidyOwners removes replaced exports of the owners whose stores change often, until ctx ends. What
// it does not come to, the pass over the store does.
func (p upkeep) tidyOwners(ctx context.Context) error {
	if p.options.Prune.Every <= 0 {
		return nil
	}
	again := time.NewTimer(0)
	defer again.Stop()
	for pause := tidyFirst; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-p.replaced.many: // an import has just ended: the owner may be idle
		case <-again.C:
		}
		busy, err := p.tidy(ctx, replacedBefore, p.options.Prune.Grace, spared)
		if err != nil && ctx.Err() == nil {
			p.warnPrune(err)
		}
		if pause = min(2*pause, tidyMax); busy {
			again.Reset(pause)
		} else {
			pause = tidyFirst
		}
	}
}

// Tidy removes the exports that this process has replaced, as the settings say, before it ends.
// Nobody is known to read them. If another import is running, they stay for the next prune.
func (p *Pipeline) Tidy(ctx context.Context) {
	if p.options.Prune.Every <= 0 {
		return
	}
	if _, err := (upkeep{p}).tidy(ctx, 1, 0, 0); err != nil && ctx.Err() == nil {
		upkeep{p}.warnPrune(err)
	}
}

// tidy prunes the owners of whom this process has replaced so many exports.
func (p upkeep) tidy(ctx context.Context, least int, grace time.Duration, spare int) (busy bool, err error) {
	p.tidying.Lock()
	defer p.tidying.Unlock()
	o := p.options.PruneOptions()
	o.Grace, o.Spare = grace, spare
	var failed []error
	for _, owner := range p.replaced.owners(least) {
		report, err := p.pruneOwner(ctx, o, owner)
		if err != nil && fault.Of(err) != fault.Permanent {
			return true, errors.Join(append(failed, err)...)
		}
		if report.Busy {
			busy = true
			continue
		}
		failed = append(failed, err)
		p.replaced.forget(owner)
	}
	return busy, errors.Join(failed...)
}

func (p upkeep) pruneOwner(ctx context.Context, o prune.Options, owner string) (prune.Report, error) {
	report, err := prune.Owner(ctx, o, owner)
	if err != nil {
		return report, fmt.Errorf("prune %s: %w", owner, err)
	}
	if sum := report.Total(); sum.Objects > 0 {
		p.options.Reports.Log.Info("removed objects that no kept export needs",
			zap.String("owner", owner), zap.Int64("objects", sum.Objects), zap.Int64("bytes", sum.Bytes))
	}
	return report, nil
}

func (p upkeep) warnPrune(err error) {
	p.options.Reports.Log.Warn("removing old objects was interrupted; the next pass, or `pamline prune`, continues it", zap.String("error", fault.Loggable(err)))
}
