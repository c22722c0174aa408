package membudget

import "context"

// uncounted is how much of a unit may be cut before it counts: small ones do not wait in the middle.
const uncounted = smallUnit / sourceWeight

// Growth is the unit that a reading is cutting. How large it will be is known when it is whole; until then it takes memory in
// steps that double. It is used by one goroutine.
type Growth struct {
	Share *Share
	Limit int64 // of the bytes of one unit
	upTo  int64 // bytes for which it has memory
	turn  bool
	held  Grant
}

// Hold is that of [importer.Memory].
func (g *Growth) Hold(ctx context.Context, n int64) error {
	if n == 0 {
		g.Let()
		return nil
	}
	n = min(n, g.Limit)
	if n <= max(g.upTo, uncounted) {
		return nil
	}
	if err := g.take(ctx); err != nil {
		return err
	}
	upTo := min(max(n, 2*g.upTo, 2*uncounted), max(g.Limit, uncounted))
	if err := g.Share.Of.raise(ctx, &g.held, sourceWeight*upTo); err != nil {
		return err
	}
	g.upTo = upTo
	return nil
}

func (g *Growth) take(ctx context.Context) error {
	if g.turn {
		return nil
	}
	err := g.Share.Of.turn.Acquire(ctx, 1)
	g.turn = err == nil
	return err
}

// Whole waits for the memory of the unit that has been cut and gives it to the caller; the next unit begins.
func (g *Growth) Whole(ctx context.Context, weight int64) (Grant, error) {
	if weight <= smallUnit || !g.turn {
		g.Let()
		got, err := g.Share.Of.Admit(ctx, weight)
		if err != nil {
			return Grant{}, err
		}
		g.Share.Add(got)
		return got, nil
	}
	if err := g.Share.Of.raise(ctx, &g.held, weight); err != nil {
		return Grant{}, err
	}
	large := g.Share.Of.large.size
	got := Grant{min(g.held.large, weight), min(g.held.small, max(weight-large, 0))}
	g.Share.Add(got)
	g.held = Grant{g.held.large - got.large, g.held.small - got.small}
	g.Let()
	return got, nil
}

// Let gives back what the unit has that was being cut.
func (g *Growth) Let() {
	g.Share.Of.Release(g.held)
	if g.turn {
		g.Share.Of.turn.Release(1)
	}
	g.held, g.turn, g.upTo = Grant{}, false, 0
}
