package queue

import (
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/queue/hints"
)

// heldDeliveries are the tasks in hand of one run. Heartbeats extend their acknowledgement time
// until they are settled. It is also the stall detector: a process that was stopped, swapped out or
// suspended for longer than the acknowledgement time has lost its tasks, and must neither go on
// with them beside the other worker nor answer in its place.
type heldDeliveries struct {
	log     *zap.Logger
	ackWait time.Duration
	// now is a monotonic clock. It measures stalls only and reaches no output.
	now  func() time.Time
	mu   sync.Mutex
	held map[*Delivery]struct{}
}

func newHeldDeliveries(q *Queue) *heldDeliveries {
	return &heldDeliveries{log: q.o.Log, ackWait: q.t.ackWait(), now: time.Now, held: map[*Delivery]struct{}{}} //nolint:forbidigo // see now
}

func (h *heldDeliveries) add(d *Delivery) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d.beat = h.now()
	h.held[d] = struct{}{}
}

func (h *heldDeliveries) remove(d *Delivery) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.held, d)
}

// sendHeartbeats sends them until ended is closed.
func (h *heldDeliveries) sendHeartbeats(ended <-chan struct{}) {
	tick := time.NewTicker(h.ackWait / 3)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			h.beatAll()
		}
	}
}

func (h *heldDeliveries) beatAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for d := range h.held {
		now := h.now()
		if now.Sub(d.beat) > h.ackWait {
			d.cancel(ErrTaskLost)
			delete(h.held, d)
			continue
		}
		d.beat = now
		// A task that is being settled just now is no failure.
		if err := d.msg.InProgress(); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			h.log.Warn("heartbeat failed; stopping the task, another worker may take it", zap.Error(hints.RedactError(err)))
			d.cancel(nil)
			delete(h.held, d)
		}
	}
}
