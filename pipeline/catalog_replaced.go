package pipeline

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pipeline/state"
)

// listWide is how many owners' heads are read at a time.
const listWide = 16

// replaced tells of the imports that the store has had which other import of their drop is in their place now, as after a replay.
// Of an owner whose head cannot be read that stays unknown; what else is known of their imports is told all the same.
func (c *Catalog) replaced(ctx context.Context, list []Status) error {
	of := map[string][]*Status{}
	for i := range list {
		if s := &list[i]; s.State == state.StateDone || s.State == state.StateLosses {
			of[s.Owner] = append(of[s.Owner], s)
		}
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(listWide)
	for owner, ended := range of {
		g.Go(func() error {
			head, _, err := state.ReadHead(gctx, c.store, owner)
			if err != nil {
				return ctx.Err()
			}
			in, err := state.ReadInputs(gctx, c.store, owner, head)
			if err != nil {
				return ctx.Err()
			}
			for _, s := range ended {
				if now := in.Drops[s.Drop]; now != s.Import {
					s.ReplacedBy = now
				}
			}
			return nil
		})
	}
	return g.Wait()
}
