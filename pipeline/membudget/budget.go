package membudget

import (
	"context"
	"sync/atomic"

	"github.com/pamline/pamline/pipeline/state"
	"golang.org/x/sync/semaphore"
)

// What a process plans its memory with, in bytes.
const (
	// baseMemory is what it takes without a unit in hand, with what importers remember of members
	// while they are asked.
	baseMemory = 128 << 20
	// InFlight is the source of small units in hand for each worker. It bounds documents that are
	// assembled as well.
	InFlight = 8 << 20
	// smallUnit is the weight up to which a unit is small.
	smallUnit = 24 << 20
	// leastLarge is what there is for large units however little memory is set.
	leastLarge = 64 << 20
)

// Budget is the memory that all units in a process share. Small units have a part of their own, so
// they continue beside a large one. A unit that is larger than the part for large units takes the
// rest from the other part; a unit larger than both goes alone.
//
// Only the holder of the lock waits for the part of large units. All others that have reserved
// memory finish without more of it. So a unit that grows can wait for more memory, and no two of
// them wait for each other.
type Budget struct {
	lock         *semaphore.Weighted
	large, small pool
}

type pool struct {
	of   *semaphore.Weighted
	size int64
}

func newPool(size int64) pool { return pool{semaphore.NewWeighted(size), size} }

// Reservation is what a unit has of a budget.
type Reservation struct{ large, small int64 }

// NewBudget divides the memory of a process; 0 is as much as one conversation of the limit may
// take.
func NewBudget(workers int, memory, maxConversation int64) *Budget {
	small := int64(workers) * InFlight * sourceWeight
	large := sourceWeight * maxConversation
	if memory > 0 {
		large = memory - baseMemory - small
	}
	return &Budget{semaphore.NewWeighted(1), newPool(max(large, leastLarge)), newPool(small)}
}

// BudgetFor is the memory that a process needs for any number of conversations up to the limit, in
// bytes: what it aims at when nothing else is known.
func BudgetFor(workers int, maxConversation int64) int64 {
	return baseMemory + int64(workers)*InFlight*sourceWeight + sourceWeight*maxConversation
}

// Reserve waits until a unit of this weight may be in memory.
func (b *Budget) Reserve(ctx context.Context, weight int64) (Reservation, error) {
	if weight <= smallUnit {
		return Reservation{small: weight}, b.small.of.Acquire(ctx, weight)
	}
	if err := b.lock.Acquire(ctx, 1); err != nil {
		return Reservation{}, err
	}
	defer b.lock.Release(1)
	var g Reservation
	err := b.raise(ctx, &g, weight)
	if err != nil {
		b.Release(g)
		return Reservation{}, err
	}
	return g, nil
}

// raise waits until a unit that has reserved g may have this weight. The caller has the lock.
func (b *Budget) raise(ctx context.Context, g *Reservation, weight int64) error {
	if more := min(weight, b.large.size) - g.large; more > 0 {
		if err := b.large.of.Acquire(ctx, more); err != nil {
			return err
		}
		g.large += more
	}
	if more := min(weight-b.large.size, b.small.size) - g.small; more > 0 {
		if err := b.small.of.Acquire(ctx, more); err != nil {
			return err
		}
		g.small += more
	}
	return nil
}

// Release gives back what was granted.
func (b *Budget) Release(g Reservation) {
	b.large.of.Release(g.large)
	b.small.of.Release(g.small)
}

// Share is what one reading has of the budget. When it ends early there are units that nobody
// packed any more.
type Share struct {
	Of           *Budget
	large, small atomic.Int64
}

// Add takes a grant into the share.
func (s *Share) Add(g Reservation) { s.large.Add(g.large); s.small.Add(g.small) }

// Release gives a grant of the share back.
func (s *Share) Release(g Reservation) {
	s.Add(Reservation{-g.large, -g.small})
	s.Of.Release(g)
}

// ReleaseAll gives the rest back. Nobody may be using the share any more.
func (s *Share) ReleaseAll() { s.Of.Release(Reservation{s.large.Swap(0), s.small.Swap(0)}) }

// BudgetOr is the budget of the process, or, where there is none, one of its own.
func BudgetOr(b *Budget, workers int, memory int64, limits state.Limits) *Budget {
	if b != nil {
		return b
	}
	return NewBudget(workers, memory, limits.Units().MaxConversation)
}

// What units take while they are worked on, at most, for each byte, object and comma of them:
// source, tables, document and JSON of it. An object may become a message, a comma stands for a
// part of one.
const (
	sourceWeight   = 6
	objectWeight   = 600
	commaWeight    = 84
	partWeight     = 2 << 10
	DocumentWeight = 8 // for each byte of a document that is read again: its messages have a length
)
