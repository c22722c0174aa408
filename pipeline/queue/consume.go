package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/queue/hints"
)

// Handler does the work of one delivery. It returns after its results are durable and the tasks
// that follow are sent. When ctx ends, it must return soon, with [Release] if the work is not done:
// the process is draining, or another worker may have the task by now. It must be idempotent, safe
// for concurrent use, and must not panic.
type Handler func(ctx context.Context, d *Delivery) Result

// BatchHandler handles deliveries of one consumer together, in the order of delivery. It calls
// Settle on each when that one's outcome is known; heartbeats keep the others meanwhile. Deliveries
// that are not settled when it returns are released. ctx ends like that of a [Handler], for all.
type BatchHandler func(ctx context.Context, batch []*Delivery)

// Pull says how many tasks of a consumer this process handles at a time.
type Pull struct {
	Consumer string
	Parallel int
}

// Batches says how tasks are fetched together.
type Batches struct {
	// Consumers to fetch from; none means all lanes of the stream.
	Consumers []string
	// Size is the most tasks of a batch, at most 512. A batch does not wait to become full.
	Size int
	// Parallel is the most batches in hand at a time, of all consumers together.
	Parallel int
}

// Consume handles tasks of a stream, one at a time, until ctx ends. It returns when the handlers in
// progress have returned, at most [Options].Drain later. While one of the pulls meets an outage,
// all of them pause. Delayed copies of the stream are brought back meanwhile.
//
// It waits for a NATS that does not answer, and returns an error if a consumer does not exist.
func (q *Queue) Consume(ctx context.Context, stream string, h Handler, pulls ...Pull) error {
	var loops []fetchLoop
	for _, p := range pulls {
		for range max(p.Parallel, 1) {
			loops = append(loops, fetchLoop{p.Consumer, func(d *Delivery, _ jetstream.Consumer) {
				defer d.abandon()
				d.Settle(h(d.ctx, d))
			}})
		}
	}
	return q.consume(ctx, stream, loops)
}

// ConsumeBatches is [Queue.Consume] for tasks that are cheaper to handle together.
func (q *Queue) ConsumeBatches(ctx context.Context, stream string, b Batches, h BatchHandler) error {
	s, err := q.t.stream(stream)
	if err != nil {
		return err
	}
	names := b.Consumers
	for _, c := range s.Consumers {
		if len(b.Consumers) == 0 && !c.delayed {
			names = append(names, c.Name)
		}
	}
	slots := make(chan struct{}, max(b.Parallel, 1))
	var loops []fetchLoop
	for _, name := range names {
		loops = append(loops, fetchLoop{name, func(first *Delivery, c jetstream.Consumer) {
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-first.r.ctx.Done():
			}
			if first.r.ctx.Err() != nil || first.ctx.Err() != nil { // stopped or lost meanwhile
				first.Settle(Release())
				return
			}
			first.r.handleBatch(append([]*Delivery{first}, first.r.fetchMore(c, b.Size-1)...), h)
		}})
	}
	return q.consume(ctx, stream, loops)
}

// fetchLoop fetches one task of a consumer after the other. handle settles it.
type fetchLoop struct {
	consumer string
	handle   func(*Delivery, jetstream.Consumer)
}

// run is one Consume in progress.
type run struct {
	q *Queue
	// ctx ends when nothing new may begin, work when handlers must return.
	ctx, work context.Context
	gate      *gate
	held      *heldDeliveries
}

func (q *Queue) consume(ctx context.Context, stream string, loops []fetchLoop) error {
	s, err := q.t.stream(stream)
	if err != nil {
		return err
	}
	drain := q.o.Drain
	if q.embedded {
		drain = 0 // the queue ends with this process: nobody would get what is released
	}
	work, stop := drainContext(ctx, drain)
	defer stop()
	r := &run{q: q, ctx: ctx, work: work, gate: &gate{backoff: q.o.Backoff}, held: newHeldDeliveries(q)}
	// All consumers are opened before a loop begins: an error must not wait for loops that go on.
	var begin []func()
	for _, loop := range loops {
		c, err := r.openConsumer(s, loop.consumer)
		if err != nil || ctx.Err() != nil {
			return err
		}
		begin = append(begin, func() { r.fetch(c, loop) })
	}
	if d, ok := s.delayed(); ok {
		c, err := r.openConsumer(s, d.Name)
		if err != nil || ctx.Err() != nil {
			return err
		}
		begin = append(begin, func() { r.returnDelayed(c) })
	}
	var wg sync.WaitGroup
	for _, loop := range begin {
		wg.Go(loop)
	}
	ended := make(chan struct{})
	var beats sync.WaitGroup
	beats.Go(func() { r.held.sendHeartbeats(ended) })
	wg.Wait()
	close(ended)
	beats.Wait()
	return nil
}

func (r *run) openConsumer(s Stream, name string) (jetstream.Consumer, error) {
	if !slices.ContainsFunc(s.Consumers, func(c Consumer) bool { return c.Name == name }) {
		return nil, fmt.Errorf("open consumer %s of %s: it is not in the topology", name, s.Name)
	}
	c, err := untilAnswered(r.ctx, r.q.o.Log, r.q.o.Backoff, func() (jetstream.Consumer, error) {
		return r.q.js.Consumer(r.ctx, s.Name, name)
	})
	if err != nil && r.ctx.Err() == nil {
		return nil, fmt.Errorf("open consumer %s of %s: %w", name, s.Name, err)
	}
	return c, nil
}

// fetch runs a loop until the run ends.
func (r *run) fetch(c jetstream.Consumer, loop fetchLoop) {
	for r.gate.enter(r.ctx) {
		r.fetchOnce(c, 1, func(msg jetstream.Msg) {
			d := r.newDelivery(msg)
			if r.ctx.Err() != nil {
				d.Settle(Release()) // it arrived while the worker was stopping
				return
			}
			loop.handle(d, c)
		})
	}
}

// fetchOnce fetches up to n messages, and pauses after an error.
func (r *run) fetchOnce(c jetstream.Consumer, n int, each func(jetstream.Msg)) {
	wait := jetstream.FetchMaxWait(r.q.o.PullWait)
	if r.q.embedded {
		wait = jetstream.FetchContext(r.ctx) // what a broken-off pull loses ends with the process anyway
	}
	msgs, err := c.Fetch(n, wait)
	if !r.receive(msgs, err, each) {
		_ = waitFor(r.ctx, r.q.o.Backoff.After(1)) // the loop looks at the context itself
	}
}

// fetchMore returns up to n tasks that wait already.
func (r *run) fetchMore(c jetstream.Consumer, n int) (more []*Delivery) {
	if n > 0 {
		msgs, err := c.FetchNoWait(min(n, maxBatch-1))
		r.receive(msgs, err, func(msg jetstream.Msg) { more = append(more, r.newDelivery(msg)) })
	}
	return more
}

// receive passes on the messages of a pull. It returns false if the pull failed.
func (r *run) receive(msgs jetstream.MessageBatch, err error, each func(jetstream.Msg)) bool {
	if err == nil {
		for msg := range msgs.Messages() {
			each(msg)
		}
		err = msgs.Error()
	}
	if err == nil || errors.Is(err, nats.ErrTimeout) || r.ctx.Err() != nil {
		return true
	}
	r.q.o.Log.Warn("fetch from NATS failed; trying again", zap.Error(hints.RedactError(err)))
	return false
}

func (r *run) handleBatch(batch []*Delivery, h BatchHandler) {
	ctx, cancel := context.WithCancelCause(r.work)
	defer cancel(nil)
	for _, d := range batch {
		unhook := context.AfterFunc(d.ctx, func() {
			if cause := context.Cause(d.ctx); errors.Is(cause, ErrTaskLost) {
				cancel(cause)
			}
		})
		defer unhook()
		defer d.abandon()
	}
	h(ctx, batch)
	for _, d := range batch {
		d.Settle(Release())
	}
}
