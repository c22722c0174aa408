package pipeline

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// importName is what progress is told of.
type importName struct{ owner, id string }

// tracker gathers what this process does for imports and tells it in the bucket; without one it is asked itself. What goes
// wrong with that is logged once, and never the work's concern.
type tracker struct {
	now    func() time.Time
	store  blob.Store
	log    *zap.Logger
	worker string
	// bucket is nil in a process that has the whole pipeline in it.
	bucket func(context.Context) (jetstream.KeyValue, error)

	mu    sync.Mutex
	known map[importName]*tracked
	dumb  bool // the last write failed
}

// tracked is one import in this process.
type tracked struct {
	Progress
	dirty   bool
	count   bool // markers were written
	next    time.Time
	touched time.Time
	written int // Writes of the bucket's entry when this process wrote last
}

func newTracker(d Deps, js jetstream.JetStream) *tracker {
	var mu sync.Mutex
	var open jetstream.KeyValue
	return &tracker{now: d.Now, store: d.Store, log: d.Log, worker: d.Name, bucket: func(ctx context.Context) (_ jetstream.KeyValue, err error) {
		mu.Lock()
		defer mu.Unlock()
		if open == nil {
			if open, err = js.KeyValue(ctx, BucketImports); err != nil {
				return nil, fmt.Errorf("open bucket %s: %w", BucketImports, err)
			}
		}
		return open, nil
	}}
}

// before tells the tracker first.
func (t *tracker) before(next telemetry.Observe) telemetry.Observe {
	return func(e telemetry.Event) {
		t.observe(e)
		next.Tell(e)
	}
}

// start writes progress until stop is called: after the stages have ended, so that their last words are told.
func (t *tracker) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { t.run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// observe takes an event.
func (t *tracker) observe(e telemetry.Event) {
	if e.Import == "" {
		return
	}
	t.change(importName{e.Owner, e.Import}, func(p *tracked) {
		p.Drop = e.Drop
		switch e.Stage {
		case telemetry.StageIngest:
			p.reach(StateReading)
			p.BytesRead, p.BytesTotal = max(p.BytesRead, e.Bytes), max(p.BytesTotal, e.Total)
			p.Conversations = max(p.Conversations, e.Units)
		case telemetry.StageExtract:
			p.reach(StateReading)
			p.count = true
		case telemetry.StageAssemble:
			p.reach(StateAssembling)
		case telemetry.StageDone:
			p.State = state.StateDone // what it ended as is read from the receipt
			p.next = time.Time{}
		}
	})
	if e.Stage == telemetry.StageDone && t.bucket == nil {
		t.Forget(e)
	}
}

// forget drops what is known of an ended drop: the receipt says it from here on.
func (t *tracker) Forget(e telemetry.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.known, func(n importName, p *tracked) bool {
		return n.owner == e.Owner && (n.id == e.Import || p.Drop == e.Drop)
	})
}

// read takes the manifest of an import: its drop was read to the end.
func (t *tracker) read(m state.Manifest) {
	if t == nil {
		return
	}
	t.change(importName{m.Owner, m.Import}, func(p *tracked) {
		p.Drop, p.Shards = m.Drop, len(m.Shards)
		p.reach(StateExtracting)
		p.BytesRead = max(p.BytesRead, p.BytesTotal)
		p.Conversations, p.Records = m.Counts.Conversations, m.Counts.RecordCount()
	})
}

// trouble takes what went wrong with a unit. While a drop is being recognised its import has no id yet.
func (t *tracker) trouble(u telemetry.Unit, stage string, c fault.Class, delivery uint64) {
	if t == nil || u.Owner == "" {
		return
	}
	name := importName{u.Owner, u.Import}
	if u.Import == "" {
		t.mu.Lock()
		for n, p := range t.known {
			if n.owner == u.Owner && p.Drop == u.Drop && u.Drop != "" {
				name = n
			}
		}
		t.mu.Unlock()
	}
	if name.id == "" {
		return
	}
	t.change(name, func(p *tracked) {
		p.Trouble = &Trouble{Stage: stage, Class: c, Delivery: delivery, At: stamp(t.now())}
		p.reach(StateReading)
	})
}

func (t *tracker) change(n importName, do func(*tracked)) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil {
		t.known = map[importName]*tracked{}
	}
	p := t.known[n]
	if p == nil {
		p = &tracked{Progress: Progress{V: state.MessageVersion, Owner: n.owner, Import: n.id, StartedAt: stamp(now), Worker: t.worker}}
		t.known[n] = p
	}
	before := p.State
	do(p)
	if p.State != before {
		p.next = time.Time{}
	}
	p.dirty, p.touched, p.UpdatedAt = true, now, stamp(now)
}

// reach goes on to a state, never back.
func (p *tracked) reach(phase string) {
	if rank(phase) > rank(p.State) {
		p.State = phase
	}
}

// each gives what is known in this process, of one owner or of all.
func (t *tracker) each(_ context.Context, owner, id string) iter.Seq2[Progress, error] {
	t.mu.Lock()
	var list []Progress
	for n, p := range t.known {
		if (owner == "" || n.owner == owner) && (id == "" || n.id == id) {
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
