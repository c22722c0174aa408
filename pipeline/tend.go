package pipeline

import (
	"cmp"
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// DefaultScan is how often the inbox and the open imports are looked through.
const DefaultScan = time.Minute

// turnScan is the name of the turn to do so, turnHold how long a process that has it may be silent at most; a worker that may
// be silent about a message for less may be so here, too.
const (
	turnScan = "scan"
	turnHold = 30 * time.Second
)

// StagesOf are the stages that the worker of a name runs: with ingest goes what leads to it.
func StagesOf(worker string) []string {
	if worker == telemetry.StageIngest {
		return []string{telemetry.StageEvents, telemetry.StageTake, telemetry.StageTend, telemetry.StageIngest}
	}
	return []string{worker}
}

// tend looks for what no message tells of, until ctx ends: drops in the inbox that nobody has taken, and open imports whose
// messages were lost. Of a cluster's processes one does it at a time.
func (w *Worker) tend(ctx context.Context) {
	every := cmp.Or(w.Inbox.Scan, DefaultScan)
	for {
		wait := every
		if w.embedded {
			w.tendOnce(ctx)
		} else {
			w.tendInTurn(ctx, every)
			wait = every/4 + backoff(1, Backoff{First: every / 4, Max: every / 4})
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		}
	}
}

// tendInTurn does it if it is this process's turn. The next turn begins when so long has gone by.
func (w *Worker) tendInTurn(ctx context.Context, every time.Duration) {
	who, hold := w.NewID(), min(turnHold, w.ackWait)
	t, ok, err := takeTurn(ctx, w.js, turnScan, who, hold)
	if err != nil {
		w.mend(ctx) // the bucket of turns may be among what is gone
	}
	if err == nil && ok {
		err = t.holding(ctx, who, hold, every, func(ctx context.Context) error {
			w.mend(ctx)
			w.tendOnce(ctx)
			return nil
		})
	} else {
		w.Metrics.ForgetOldest() // another process tells it
	}
	if err != nil && ctx.Err() == nil {
		w.Log.Warn("the turn to look through the inbox was not taken or lost; another process does it, or this one again", zap.String("error", fault.Loggable(err)))
	}
}

// Mend has the streams made again when they go while workers run: with the turn to look through the inbox goes a look at
// them. What they held is then made again from storage.
func (w *Worker) Mend(t Topology) {
	w.mend = func(ctx context.Context) {
		if err := EnsureTopology(ctx, w.js, t); err != nil && ctx.Err() == nil {
			w.Log.Error("the streams are not as they must be", zap.Error(err))
		}
	}
}

// tendOnce makes one pass. What goes wrong with it is for the next.
func (w *Worker) tendOnce(ctx context.Context) {
	open, oldest, bad, err := reconcile(ctx, w.Deps, w.js)
	if err == nil {
		w.openSince(oldest)
	}
	for _, one := range bad {
		w.Log.Error("an object of the store cannot be used; what it is about waits for somebody to mend it, and everything else goes on", zap.String("error", fault.Loggable(one)))
	}
	if err != nil && ctx.Err() == nil {
		w.Log.Warn("look for lost messages failed; trying again", zap.String("error", fault.Loggable(err)))
	} else if open > 0 {
		w.Log.Debug("imports are open", zap.Int("open", open))
	}
	swept, err := Sweep(ctx, w.Deps)
	w.swept(ctx, "objects", swept, err)
	swept, err = w.sweepLetters(ctx)
	w.swept(ctx, "letters", swept, err)
	if w.embedded && w.Inbox.Bucket == "" {
		return // the inbox of a folder that only this process uses holds what it put there itself
	}
	p, err := ScanInbox(ctx, w.Deps, w.js)
	if err != nil && ctx.Err() == nil {
		w.Log.Warn("look through the inbox failed; trying again", zap.String("error", fault.Loggable(err)))
		return
	}
	level := zap.DebugLevel
	if p.Asked > 0 {
		level = zap.InfoLevel
	}
	w.Log.Log(level, "inbox looked through", zap.Int("drops", p.Drops), zap.Int("new", p.Asked), zap.Int("queued", p.Queued),
		zap.Int("growing", p.Growing), zap.Int("records_removed", p.Removed))
}

// swept tells what a sweep came to.
func (w *Worker) swept(ctx context.Context, what string, n int, err error) {
	if err != nil && ctx.Err() == nil {
		w.Log.Warn("sweep what was left behind failed; trying again", zap.String("what", what), zap.String("error", fault.Loggable(err)))
	}
	if n > 0 {
		w.Log.Info("removed what was left behind", zap.String("what", what), zap.Int("removed", n))
	}
}
