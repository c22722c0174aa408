package work

import (
	"context"
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
	// patience is how long a suspicious unit waits here for another that runs alone, and pause how
	// long it waits in the queue then.
	patience, pause time.Duration
	// alone is full while a unit with marks is in hand, or marks are being counted.
	alone chan struct{}
}

func newSuspects(jobs *job.Jobs, log *zap.Logger, patience, pause time.Duration) *suspects {
	return &suspects{jobs: jobs, log: log, patience: patience, pause: pause, alone: make(chan struct{}, 1)}
}

// begin puts a crash mark before a suspicious delivery. leave removes the mark, and must be called
// when the handler returns. While a unit with marks is in hand, the error is a *fault.Later.
func (s *suspects) begin(ctx context.Context, t job.Task, suspicious bool) (leave func(), isAlone bool, err error) {
	if !suspicious {
		return func() {}, false, nil
	}
	if err := s.waitAlone(ctx); err != nil {
		return nil, false, err
	}
	mark, err := s.jobs.Begin(ctx, t, true)
	if err != nil || !mark.Alone {
		<-s.alone
	}
	if err != nil {
		return nil, false, err
	}
	return func() {
		if err := mark.Return(ctx); err != nil {
			s.log.Warn("remove crash mark failed; this delivery will count as a crash", zap.Error(err))
		}
		if mark.Alone {
			<-s.alone
		}
	}, mark.Alone, nil
}

// waitAlone waits until no unit with marks is in hand. The unit that waits has no mark: it is not
// being worked on.
func (s *suspects) waitAlone(ctx context.Context) error {
	select {
	case s.alone <- struct{}{}:
		return nil
	default:
	}
	t := time.NewTimer(s.patience)
	defer t.Stop()
	select {
	case s.alone <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return &fault.Later{After: s.pause, Why: "another unit that may have crashed its worker is in hand"}
	}
}
