package pipeline

import "context"

// uncounted is how much of a unit may be cut before it counts: small ones do not wait in the middle.
const uncounted = smallUnit / sourceWeight

// growth is the unit that a reading is cutting. How large it will be is known when it is whole; until then it takes memory in
// steps that double. It is used by one goroutine.
type growth struct {
	share *share
	limit int64 // of the bytes of one unit
	upTo  int64 // bytes for which it has memory
	turn  bool
	held  grant
}

// Hold is that of [importer.Memory].
func (g *growth) Hold(ctx context.Context, n int64) error {
	if n == 0 {
		g.let()
		return nil
	}
	n = min(n, g.limit)
	if n <= max(g.upTo, uncounted) {
		return nil
	}
	if err := g.take(ctx); err != nil {
		return err
	}
	upTo := min(max(n, 2*g.upTo, 2*uncounted), max(g.limit, uncounted))
	if err := g.share.of.raise(ctx, &g.held, sourceWeight*upTo); err != nil {
		return err
	}
	g.upTo = upTo
	return nil
}

func (g *growth) take(ctx context.Context) error {
	if g.turn {
		return nil
	}
	err := g.share.of.turn.Acquire(ctx, 1)
	g.turn = err == nil
	return err
}

// whole waits for the memory of the unit that has been cut and gives it to the caller; the next unit begins.
func (g *growth) whole(ctx context.Context, weight int64) (grant, error) {
	if weight <= smallUnit || !g.turn {
		g.let()
		got, err := g.share.of.admit(ctx, weight)
		if err != nil {
			return grant{}, err
		}
		g.share.add(got)
		return got, nil
	}
	if err := g.share.of.raise(ctx, &g.held, weight); err != nil {
		return grant{}, err
	}
	large := g.share.of.large.size
	got := grant{min(g.held.large, weight), min(g.held.small, max(weight-large, 0))}
	g.share.add(got)
	g.held = grant{g.held.large - got.large, g.held.small - got.small}
	g.let()
	return got, nil
}

// let gives back what the unit has that was being cut.
func (g *growth) let() {
	g.share.of.release(g.held)
	if g.turn {
		g.share.of.turn.Release(1)
	}
	g.held, g.turn, g.upTo = grant{}, false, 0
}
