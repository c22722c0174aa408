package pipeline

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// assemble works on one message of the assemble queue.
func (w *Worker) assemble(ctx context.Context, data []byte) error {
	t, err := decodeTask[AssembleTask](data)
	if err != nil {
		return &fault.Fault{Class: fault.Permanent, Err: err}
	}
	return w.assembleAll(ctx, t.Owner, []AssembleTask{t})
}

// assembleAll takes imports of one owner into the store together. Those that are in it already only need tidying up: whoever
// found the last marker sent a message, and more than one may have.
func (w *Worker) assembleAll(ctx context.Context, owner string, tasks []AssembleTask) error {
	return w.guarded(ctx, breakerKey{stage: telemetry.StageAssemble, owner: owner}, func() error {
		open := make([]*namedImport, len(tasks))
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(publish.IOOverlap * w.Workers)
		for i, t := range tasks {
			g.Go(func() error {
				n, ok, err := lookAtImport(gctx, w.Store, t)
				if err != nil || !ok {
					return err
				}
				if n.tag != "" {
					settled, err := w.settled(gctx, n.Manifest, n.receipt, t.Ask, false)
					if err != nil {
						return err
					} else if settled {
						return w.withdrawAll(gctx, t)
					}
				}
				w.Observe.Tell(telemetry.Event{Stage: telemetry.StageAssemble, Owner: t.Owner, Drop: t.Drop, Import: t.Import})
				open[i] = &n
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		now, err := assembleNamed(ctx, w.Deps, owner, open)
		if err != nil {
			return err
		}
		if err := w.healed(ctx, now); err != nil {
			return err
		}
		return w.goOn(ctx, now)
	})
}
