package pipeline

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// inFlight bounds the source bytes of the units between the cutter and the packer, for each worker. One unit larger than
// the whole budget is admitted alone.
const inFlight = 8 << 20

// unitBudget is the budget of a process, which all that it reads at the same time share.
func unitBudget(workers int) *semaphore.Weighted {
	return semaphore.NewWeighted(int64(workers) * inFlight)
}

// share is what one reading has of the budget. When it ends early there are units that nobody packed any more.
type share struct {
	of   *semaphore.Weighted
	held atomic.Int64
}

func (s *share) acquire(ctx context.Context, n int64) error {
	err := s.of.Acquire(ctx, n)
	if err == nil {
		s.held.Add(n)
	}
	return err
}

func (s *share) release(n int64) {
	s.held.Add(-n)
	s.of.Release(n)
}

// releaseAll gives the rest back. Nobody may be using the share any more.
func (s *share) releaseAll() { s.of.Release(s.held.Swap(0)) }
