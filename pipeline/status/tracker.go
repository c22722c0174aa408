package status

import (
	"context"
	"iter"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// TrackerOptions of a tracker. Now and Name are needed.
type TrackerOptions struct {
	Now func() time.Time
	// Name is how the reports name this process.
	Name string
	Log  *zap.Logger
	// Queue and Bucket are where the reports of a cluster go; without a Queue they stay in this
	// process.
	Queue  *queue.Queue
	Bucket string
}

// Tracker collects the progress events of this process and reports them: to whoever reads it as a
// Board, or to the bucket of a cluster while Run runs. Its failures never concern the work; they
// are logged once. It is safe for concurrent use.
type Tracker struct {
	TrackerOptions

	mu      sync.Mutex
	drops   map[job.Ref]*tracked
	failing bool // the last write has failed
}

// tracked is a drop that this process works on.
type tracked struct {
	Progress
	dirty   bool
	due     time.Time // not written sooner
	touched time.Time
	written int // Writes of the entry when this process wrote last
}

// NewTracker gives a tracker without reports.
func NewTracker(o TrackerOptions) *Tracker {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return &Tracker{TrackerOptions: o, drops: map[job.Ref]*tracked{}}
}

// Observe takes a progress event.
func (t *Tracker) Observe(e telemetry.Event) {
	if e.Drop == "" {
		return
	}
	ref := job.Ref{Owner: e.Owner, Drop: e.Drop}
	if e.Stage == telemetry.StageDone && t.Queue == nil {
		t.forget(ref, e.Gen)
		return
	}
	t.change(ref, e.Gen, func(p *tracked) {
		if e.Import != "" {
			p.Import = e.Import
		}
		switch e.Stage {
		case telemetry.StageIngest:
			p.BytesRead, p.BytesTotal = max(p.BytesRead, e.Bytes), max(p.BytesTotal, e.Total)
			p.Conversations = max(p.Conversations, e.Units)
		case telemetry.StageDone:
			p.Ended, p.due = true, time.Time{}
		}
	})
}

// Before gives an Observe that reports to the tracker first.
func (t *Tracker) Before(next telemetry.Observe) telemetry.Observe {
	return func(e telemetry.Event) {
		t.Observe(e)
		next.Tell(e)
	}
}

// ReportTrouble takes what went wrong with a task that is going to be tried again.
func (t *Tracker) ReportTrouble(task job.Task, class fault.Class, delivery uint64) {
	t.change(task.Ref, task.Gen, func(p *tracked) {
		p.Trouble = &Trouble{Stage: string(task.Kind), Class: class, Delivery: delivery, At: formatTime(t.Now())}
	})
}

// change changes the report of a generation. Events of older generations change nothing; an event
// without a generation belongs to the newest.
func (t *Tracker) change(ref job.Ref, gen int, do func(*tracked)) {
	now := t.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.drops[ref]
	if p != nil && gen > 0 && gen < p.Gen {
		return
	}
	if p == nil || gen > p.Gen {
		p = &tracked{Progress: Progress{V: progressVersion, Owner: ref.Owner, Drop: ref.Drop, Gen: gen, StartedAt: formatTime(now), Worker: t.Name}}
		t.drops[ref] = p
	}
	do(p)
	p.dirty, p.touched, p.UpdatedAt = true, now, formatTime(now)
}

// forget removes the report of a generation that has ended: from then on storage says it.
func (t *Tracker) forget(ref job.Ref, gen int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.drops[ref]; p != nil && (gen == 0 || gen >= p.Gen) {
		delete(t.drops, ref)
	}
}

// Progress implements Board with the reports of this process.
func (t *Tracker) Progress(_ context.Context, owner, drop string) iter.Seq2[Progress, error] {
	t.mu.Lock()
	var list []Progress
	for ref, p := range t.drops {
		if (owner == "" || ref.Owner == owner) && (drop == "" || ref.Drop == drop) {
			list = append(list, p.Progress)
		}
	}
	t.mu.Unlock()
	return func(yield func(Progress, error) bool) {
		for _, p := range list {
			if !yield(p, nil) {
				return
			}
		}
	}
}
