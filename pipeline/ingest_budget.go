package pipeline

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// What a process plans its memory with, in bytes.
const (
	// baseMemory is what it takes without a unit in hand, with what importers remember of members while they are asked.
	baseMemory = 128 << 20
	// inFlight is the source of small units in hand for each worker. It bounds documents that are assembled as well.
	inFlight = 8 << 20
	// smallUnit is the weight up to which a unit is small.
	smallUnit = 24 << 20
	// leastLarge is what there is for large units however little memory is set.
	leastLarge = 64 << 20
)

// budget is the memory for the units of a process, which all that it works on at the same time share. Small units have a
// part of their own, so that they go on beside a large one. A unit that is larger than the part for large ones takes of the
// other one what it lacks, and one larger than both goes alone.
//
// Only who has the turn waits for the part of large units, and whoever holds memory gets on without more of it: so a unit
// that grows while it holds some can wait for more without two of them waiting for each other.
type budget struct {
	turn         *semaphore.Weighted
	large, small pool
}

type pool struct {
	of   *semaphore.Weighted
	size int64
}

func newPool(size int64) pool { return pool{semaphore.NewWeighted(size), size} }

// grant is what a unit has of a budget.
type grant struct{ large, small int64 }

// newBudget divides the memory of a process; 0 is as much as one conversation of the limit may take.
func newBudget(workers int, memory, maxConversation int64) *budget {
	small := int64(workers) * inFlight * sourceWeight
	large := sourceWeight * maxConversation
	if memory > 0 {
		large = memory - baseMemory - small
	}
	return &budget{semaphore.NewWeighted(1), newPool(max(large, leastLarge)), newPool(small)}
}

// MemoryFor is the memory that a process needs for any number of conversations up to the limit, in bytes: what it aims at
// when nothing else is known.
func MemoryFor(workers int, maxConversation int64) int64 {
	return baseMemory + int64(workers)*inFlight*sourceWeight + sourceWeight*maxConversation
}

// admit waits until a unit of this weight may be in memory.
func (b *budget) admit(ctx context.Context, weight int64) (grant, error) {
	if weight <= smallUnit {
		return grant{small: weight}, b.small.of.Acquire(ctx, weight)
	}
	if err := b.turn.Acquire(ctx, 1); err != nil {
		return grant{}, err
	}
	defer b.turn.Release(1)
	var g grant
	err := b.raise(ctx, &g, weight)
	if err != nil {
		b.release(g)
		return grant{}, err
	}
	return g, nil
}

// raise waits until a unit that has g may have this weight. The caller has the turn.
func (b *budget) raise(ctx context.Context, g *grant, weight int64) error {
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

func (b *budget) release(g grant) {
	b.large.of.Release(g.large)
	b.small.of.Release(g.small)
}

// share is what one reading has of the budget. When it ends early there are units that nobody packed any more.
type share struct {
	of           *budget
	large, small atomic.Int64
}

func (s *share) add(g grant) { s.large.Add(g.large); s.small.Add(g.small) }

func (s *share) release(g grant) {
	s.add(grant{-g.large, -g.small})
	s.of.release(g)
}

// releaseAll gives the rest back. Nobody may be using the share any more.
func (s *share) releaseAll() { s.of.release(grant{s.large.Swap(0), s.small.Swap(0)}) }
