package queue

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

func TestHandlersGoOnForAsLongAsDrainSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stopFetching := context.WithCancel(t.Context())
		work, stop := drainContext(ctx, time.Minute)
		defer stop()
		stopFetching()
		synctest.Wait()
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if work.Err() != nil {
			t.Error("the handler was cut off before its time")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if work.Err() == nil {
			t.Error("the handler goes on for ever")
		}
	})
}

func TestEmbeddedQueueDrainsAtOnce(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	q.o.Drain = time.Hour
	begun := make(chan struct{})
	stop := consuming(t, q, func(ctx context.Context, _ *Delivery) Result {
		close(begun)
		<-ctx.Done() // an hour later, if it drained
		return Release()
	}, smallLane)
	sendAll(t, q, taskOf("ann", "1"))
	<-begun
	stop()
}

func TestDrainingWorkerFinishesItsTaskAndBeginsNoOther(t *testing.T) {
	t.Parallel()
	q := clusterQueue(t, testTopology())
	q.o.Drain = time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	begun, finish := make(chan string, 4), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- q.Consume(ctx, streamJobs, func(ctx context.Context, d *Delivery) Result {
			begun <- d.Subject
			select {
			case <-finish:
				return Done()
			case <-ctx.Done():
				return Release()
			}
		}, smallLane)
	}()
	sendAll(t, q, taskOf("ann", "1"))
	<-begun
	cancel()
	sendAll(t, q, taskOf("ann", "2"))
	close(finish)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if len(begun) > 0 {
		t.Errorf("a draining worker began %s", <-begun)
	}
	if left := subjects(t, q, streamJobs, ">"); len(left) != 1 || left[0] != taskOf("ann", "2").Subject {
		t.Errorf("left: %v", left)
	}
}

func TestTaskThatIsCutOffIsReleasedWithItsAttempt(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]Result{"released": Release(), "outage": Outage()} {
		q := clusterQueue(t, testTopology())
		begun := make(chan struct{})
		stop := consuming(t, q, func(ctx context.Context, _ *Delivery) Result {
			close(begun)
			<-ctx.Done()
			return result
		}, smallLane)
		sendAll(t, q, taskOf("ann", "1"))
		<-begun
		stop()
		got := make(chan *Delivery, 1)
		consuming(t, q, func(_ context.Context, d *Delivery) Result { got <- d; return Done() }, smallLane)
		if d := <-got; d.Attempt != 1 || d.NumDelivered != 2 {
			t.Errorf("%s: attempt %d, delivery %d", name, d.Attempt, d.NumDelivered)
		}
	}
}

// stoppedByFetch is a consumer whose worker is stopped while a pull waits.
type stoppedByFetch struct {
	jetstream.Consumer
	stop func()
}

func (s stoppedByFetch) Fetch(n int, o ...jetstream.FetchOpt) (jetstream.MessageBatch, error) {
	s.stop()
	return s.Consumer.Fetch(n, o...)
}

func TestTaskThatArrivesWhileTheWorkerStopsIsReleased(t *testing.T) {
	t.Parallel()
	q := clusterQueue(t, testTopology())
	sendAll(t, q, taskOf("ann", "1"))
	c, err := q.js.Consumer(t.Context(), streamJobs, "jobs-small")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &run{q: q, ctx: ctx, work: t.Context(), gate: &gate{}, held: newHeldDeliveries(q)}
	r.fetch(stoppedByFetch{c, cancel}, fetchLoop{handle: func(*Delivery, jetstream.Consumer) { t.Error("a task began") }})
	got := make(chan *Delivery, 1)
	consuming(t, q, func(_ context.Context, d *Delivery) Result { got <- d; return Done() }, smallLane)
	if d := <-got; d.NumDelivered != 2 {
		t.Errorf("delivery %d", d.NumDelivered)
	}
}
