package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/prune"
	"github.com/pamline/pamline/pipeline/state"
)

// Prune says how a service removes what its store does not need any more.
type Prune struct {
	// Every is the pause between two passes over the store; 0: there are none.
	Every time.Duration
	// Grace is how long the service keeps the newest replaced export for whoever is reading it.
	Grace time.Duration
	prune.Rules
}

const (
	leasePrune = "prune"
	// pruneSilence is how long the process that prunes may be silent.
	pruneSilence = 30 * time.Second
)

// PruneOptions returns the options of a prune by hand.
func (o Options) PruneOptions() prune.Options {
	return prune.Options{Store: o.Store, NewID: o.NewID, Now: o.Now, Rules: o.Prune.Rules}
}

// pruneStore passes over the store until ctx ends. One process of a cluster does it at a time.
func (p upkeep) pruneStore(ctx context.Context) error {
	every := p.options.Prune.Every
	if every <= 0 {
		return nil
	}
	for waitFor(ctx, min(every, 10*time.Minute)) == nil {
		lease, held, err := p.queue.TryLease(ctx, dispatch.BucketLeases, leasePrune, p.options.Reports.Name, pruneSilence)
		if err == nil && held {
			err = lease.Hold(ctx, pruneSilence, every, p.PruneOnce)
		}
		if err != nil && ctx.Err() == nil {
			p.warnPrune(err)
		}
	}
	return nil
}

// PruneOnce removes what the settings do not keep, of all owners. An owner whose objects cannot be
// read keeps everything.
func (p *Pipeline) PruneOnce(ctx context.Context) error {
	o := p.options.PruneOptions()
	o.Grace, o.Spare = p.options.Prune.Grace, spared
	var failed []error
	for owner, err := range state.ListOwners(ctx, o.Store) {
		if err != nil {
			return err
		}
		if _, err := (upkeep{p}).pruneOwner(ctx, o, owner); fault.Of(err) == fault.Permanent && err != nil {
			failed = append(failed, err)
		} else if err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}
