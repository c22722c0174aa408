package membudget

import "context"

// uncounted is how many bytes of a unit may be read before they count: small units do not wait in
// the middle.
const uncounted = smallUnit / sourceWeight

// Growing is the unit that is being split off an archive. Its size is known at its end; until then
// it reserves memory in steps that double. It is used by one goroutine.
type Growing struct {
	Share *Share
	Limit int64 // of the bytes of one unit
	upTo  int64 // bytes that memory is reserved for
	lock  bool
	held  Reservation
}

// Hold implements [importer.Memory]: it reserves memory for the first n bytes.
func (g *Growing) Hold(ctx context.Context, n int64) error {
	if n == 0 {
		g.Release()
		return nil
	}
	n = min(n, g.Limit)
	if n <= max(g.upTo, uncounted) {
		return nil
	}
	if err := g.acquireLock(ctx); err != nil {
		return err
	}
	upTo := min(max(n, 2*g.upTo, 2*uncounted), max(g.Limit, uncounted))
	if err := g.Share.Of.raise(ctx, &g.held, sourceWeight*upTo); err != nil {
		return err
	}
	g.upTo = upTo
	return nil
}

func (g *Growing) acquireLock(ctx context.Context) error {
	if g.lock {
		return nil
	}
	err := g.Share.Of.lock.Acquire(ctx, 1)
	g.lock = err == nil
	return err
}

// Reserve waits for the memory of the whole unit and gives it to the caller; the next unit begins.
func (g *Growing) Reserve(ctx context.Context, weight int64) (Reservation, error) {
	if weight <= smallUnit || !g.lock {
		g.Release()
		got, err := g.Share.Of.Reserve(ctx, weight)
		if err != nil {
			return Reservation{}, err
		}
		g.Share.Add(got)
		return got, nil
	}
	if err := g.Share.Of.raise(ctx, &g.held, weight); err != nil {
		return Reservation{}, err
	}
	large := g.Share.Of.large.size
	got := Reservation{min(g.held.large, weight), min(g.held.small, max(weight-large, 0))}
	g.Share.Add(got)
	g.held = Reservation{g.held.large - got.large, g.held.small - got.small}
	g.Release()
	return got, nil
}

// Release gives back the memory of the unit.
func (g *Growing) Release() {
	g.Share.Of.Release(g.held)
	if g.lock {
		g.Share.Of.lock.Release(1)
	}
	g.held, g.lock, g.upTo = Reservation{}, false, 0
}
