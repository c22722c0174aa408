package work

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
)

// suspects is the crash-loop guard of a process. Whatever is in hand when a process is killed comes
// back, and most of it is not to blame. So a unit that has a crash mark runs without other
// suspicious units beside it: only the unit that kills collects marks.
type suspects struct {
	jobs *job.Jobs
	log  *zap.Logger
	// pause is how long a suspicious unit waits for another that runs alone.
	pause time.Duration

	mu    sync.Mutex
	alone bool // a unit with marks is in hand
}

// begin puts a crash mark before a suspicious delivery. leave removes the mark, and must be called
// when the handler returns. While a unit with marks is in hand, the error is a *fault.Later.
func (s *suspects) begin(ctx context.Context, t job.Task, suspicious bool) (leave func(), alone bool, err error) {
	leave = func() {}
	if !suspicious {
		return leave, false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alone {
		return leave, false, &fault.Later{After: s.pause, Why: "another unit that may have crashed its worker is in hand"}
	}
	mark, err := s.jobs.Begin(ctx, t, true)
	if err != nil {
		return leave, false, err
	}
	s.alone = mark.Alone
	return func() {
		if err := mark.Return(ctx); err != nil {
			s.log.Warn("remove crash mark failed; this delivery will count as a crash", zap.Error(err))
		}
		if mark.Alone {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.alone = false
		}
	}, mark.Alone, nil
}
