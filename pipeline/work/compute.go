package work

import (
	"context"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// computation is the computing of stores during one Accept. It remembers what the last round
// changed.
type computation struct {
	*units
	rounds int
	digest string // of the input set of the last round, as it was computed
	change state.StoreChange
}

// compute is a job.Compute.
func (c *computation) compute(ctx context.Context, r job.Round) (state.Head, error) {
	if c.rounds++; c.rounds > 1 {
		c.Metrics.Conflict()
	}
	round := publish.Round{Owner: r.Owner, Prior: r.Prior, Before: r.Before, Inputs: r.Inputs, Digest: r.Digest}
	for _, o := range r.Accepted {
		if id := r.Inputs.Drops[o.Drop].Import; id != "" {
			round.Accepted = append(round.Accepted, id)
		}
	}
	next, change, err := c.stages.compute(ctx, c.Publish, round)
	if err != nil {
		return next, err
	}
	packed, err := r.Inputs.Pack() // the set has the digests of what was read now
	if err != nil {
		return next, err
	}
	c.digest, c.change = packed.Digest, change
	return next, nil
}

// hasSwapped tells whether the head of a decision is the one that this computation made.
func (c *computation) hasSwapped(d job.Decision) bool {
	return c.digest != "" && c.digest == d.Head.Inputs
}

// copyStore writes the copies of the store that other tools read. If a worker was lost between the
// swap of the head and the copies, they are repaired. No job waits for a copy that cannot be made.
func (c *computation) copyStore(ctx context.Context, d job.Decision) (err error) {
	switch {
	case !c.hasSwapped(d):
		err = publish.RepairCopies(ctx, c.Store, d.Owner, d.Head)
	case c.change.Published: // else they are those of the export already
		c.Metrics.Exported()
		err = publish.WriteCopies(ctx, c.Store, d.Owner, d.Head)
	}
	if err == nil || ctx.Err() != nil || fault.Of(err) == fault.Outage {
		return err
	}
	c.Log.Error("copy store failed; the current store is the one that the head names", zap.String("owner", d.Owner), zap.String("error", fault.Loggable(err)))
	return nil
}

// changeOf gives what the swap of a decision changed, as far as that is known.
func (c *computation) changeOf(ctx context.Context, d job.Decision) (state.StoreChange, error) {
	if c.hasSwapped(d) {
		return c.change.Of(d.Entry.Import), nil
	}
	change, err := publish.ReadChange(ctx, c.Store, d.Owner, d.Head, d.Entry.Import)
	if fault.Of(err) == fault.Permanent && err != nil {
		return change, nil // the figures of the store are known
	}
	return change, err
}
