package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Local is the whole pipeline in one process: an embedded broker and all three stages. The data folder must be locked
// by the caller, because the queues are rebuilt from storage when it is opened.
type Local struct {
	deps   Deps
	worker *Worker
	broker *Broker
	nc     *nats.Conn
	js     jetstream.JetStream

	mu      sync.Mutex
	waiting map[string][]chan telemetry.Event // owner/drop → who waits for its end
}

// OpenLocal starts the broker in folder/jetstream with empty work queues. Whatever they held is in storage, too:
// Reconcile or a new Submit brings it back.
func OpenLocal(ctx context.Context, d Deps, folder string) (*Local, error) {
	l := &Local{waiting: map[string][]chan telemetry.Event{}}
	outer := d.Observe
	d.Observe = func(e telemetry.Event) {
		l.wake(e)
		outer.Tell(e)
	}
	l.deps = d
	var err error
	if l.broker, err = StartBroker(filepath.Join(folder, brokerFolder)); err != nil {
		return nil, err
	}
	if err := l.connect(ctx, d); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (l *Local) connect(ctx context.Context, d Deps) (err error) {
	if l.nc, err = l.broker.Connect(); err != nil {
		return err
	}
	if l.js, err = jetstream.New(l.nc, jetstream.WithDefaultTimeout(embeddedPatience)); err != nil {
		return fmt.Errorf("open JetStream: %w", err)
	}
	if err := EnsureTopology(ctx, l.js, Topology{Replicas: 1, AckWait: d.AckWait, own: true}); err != nil {
		return err
	}
	for _, name := range []string{StreamTake, StreamIngest, StreamExtract, StreamAssemble} {
		s, err := l.js.Stream(ctx, name)
		if err != nil {
			return fmt.Errorf("open stream %s: %w", name, err)
		}
		if err := s.Purge(ctx); err != nil {
			return fmt.Errorf("empty stream %s: %w", name, err)
		}
	}
	if l.worker, err = NewWorker(d, l.js); err != nil {
		return err
	}
	l.worker.embedded = true
	l.worker.track.bucket = nil // this process has all there is to tell
	return nil
}

// Run works until ctx ends.
func (l *Local) Run(ctx context.Context) error {
	return l.worker.Run(ctx, telemetry.StageEvents, telemetry.StageTake, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble)
}

// Tend looks for lost messages, and for drops in the inbox of a bucket, until ctx ends.
func (l *Local) Tend(ctx context.Context) {
	var counting sync.WaitGroup
	counting.Go(func() { l.worker.figures(ctx) })
	l.worker.tend(ctx)
	counting.Wait()
}

// Submit records a request and queues it.
func (l *Local) Submit(ctx context.Context, r state.Request) error {
	return submit(ctx, l.deps.Store, l.js, r, l.deps.Limits.OwnerSmall)
}

// Reconcile queues every request that storage has no end for.
func (l *Local) Reconcile(ctx context.Context) (int, error) {
	return Reconcile(ctx, l.deps, l.js)
}

// Wait returns the receipts of a request's drop once it has ended. Call it with a channel from Watch that was opened
// before Submit. A fault that will not pass while the process waits (a full disk) ends the wait with the fault.
func (l *Local) Wait(ctx context.Context, events <-chan telemetry.Event, r state.Request, patience int) (state.Receipt, error) {
	outages := 0
	for {
		select {
		case <-ctx.Done():
			return state.Receipt{}, ctx.Err()
		case e := <-events:
			switch {
			case e.Stage == telemetry.StageDone:
				if open, err := asked(ctx, l.deps.Store, r.Owner, r.Drop, r.Ask); r.Ask != "" && (open || err != nil) {
					if err != nil {
						return state.Receipt{}, err
					}
					continue // another request for the drop has ended
				}
				rec, ok, err := state.ReadReceipt(ctx, l.deps.Store, r.Owner, e.Import)
				if e.Change != nil {
					rec.Store = *e.Change
				}
				if err == nil && !ok {
					err = errors.New("read receipt: it is missing")
				}
				return rec, err
			case e.Outage:
				if outages++; outages >= patience {
					return state.Receipt{}, &fault.Fault{Class: fault.Outage, Err: errors.New(e.Fault)}
				}
			}
		}
	}
}

// Watch gives the events that end a drop, and the outages met meanwhile. Stop it when done.
func (l *Local) Watch(owner, drop string) (events <-chan telemetry.Event, stop func()) {
	ch := make(chan telemetry.Event, 64)
	key := owner + "/" + drop
	l.mu.Lock()
	l.waiting[key] = append(l.waiting[key], ch)
	l.mu.Unlock()
	return ch, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.waiting[key] = slices.DeleteFunc(l.waiting[key], func(c chan telemetry.Event) bool { return c == ch })
		if len(l.waiting[key]) == 0 {
			delete(l.waiting, key)
		}
	}
}

func (l *Local) wake(e telemetry.Event) {
	if e.Stage != telemetry.StageDone && !e.Outage {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, waiters := range l.waiting {
		if !e.Outage && key != e.Owner+"/"+e.Drop {
			continue
		}
		for _, ch := range waiters {
			select {
			case ch <- e:
			default: // a waiter that is 64 events behind has enough to go on
			}
		}
	}
}

// Ready tells why the pipeline cannot work now: the broker or the store does not answer.
func (l *Local) Ready(ctx context.Context) error { return l.worker.Ready(ctx) }

// Close stops the broker; Run must have returned.
func (l *Local) Close() {
	if l.nc != nil {
		l.nc.Close()
	}
	if l.broker != nil {
		l.broker.Close()
	}
}

// Lane chooses the queue by the size of a drop.
func Lane(bytes int64) string {
	if bytes > bulkBytes {
		return state.LaneBulk
	}
	return state.LaneSmall
}

// bulkBytes is the size from which a drop waits in the lane of the large ones.
const bulkBytes = 64 << 20

// Submit records a request in storage, logs the drop, and queues the work, in the small lane only when it is small and not
// many of its owner's stand there already (FairLane). Doing it again is harmless.
func Submit(ctx context.Context, s blob.Store, js jetstream.JetStream, r state.Request) error {
	return submit(ctx, s, js, r, DefaultOwnerSmall)
}

func submit(ctx context.Context, s blob.Store, js jetstream.JetStream, r state.Request, ownerSmall int) error {
	if err := r.Check(); err != nil {
		return err
	}
	s = state.ClassedStore{Store: s}
	if err := r.Record(ctx, s); err != nil {
		return err
	}
	return enqueue(ctx, js, r, ownerSmall)
}
