package queue

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/natstest"
)

func TestFinishedTaskIsRemovedAndItsHandlerSeesItsHeaders(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	got := make(chan *Delivery, 1)
	consuming(t, q, func(_ context.Context, d *Delivery) Result {
		got <- d
		return Done()
	}, smallLane)
	sendAll(t, q, Task{Subject: "pam.jobs.small.ann.1", Body: []byte("body"), Origin: FromAsk})
	d := <-got
	if string(d.Body) != "body" || d.Origin != FromAsk || d.Attempt != 1 || d.NumDelivered != 1 || !d.IsFirst() || d.Lane() != "small" || d.Kind() != "jobs" {
		t.Errorf("got %+v, delivery %d", d.Task, d.NumDelivered)
	}
	natstest.Eventually(t, "the task is removed", isEmpty(t, q, streamJobs))
}

func TestSecondTaskOfOneSubjectIsAbsorbed(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	sendAll(t, q, taskOf("ann", "1"), taskOf("ann", "1"), taskOf("ann", "2"))
	begun, finish := make(chan string), make(chan struct{})
	consuming(t, q, func(_ context.Context, d *Delivery) Result {
		begun <- d.Subject
		<-finish
		return Done()
	}, smallLane)
	first := <-begun
	sendAll(t, q, Task{Subject: first}) // also while it is handled
	close(finish)
	if second := <-begun; second == first {
		t.Errorf("%s was handled twice", first)
	}
	natstest.Eventually(t, "both are removed", isEmpty(t, q, streamJobs))
}

func TestFullStreamIsAnOutageForTheSender(t *testing.T) {
	t.Parallel()
	js := bareJetStream(t)
	top := testTopology()
	c := top.Streams[1].config(top, 1)
	c.MaxMsgs = 1
	if _, err := js.CreateStream(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	q := New(js, top, Options{})
	sendAll(t, q, taskOf("ann", "1"))
	if err := q.Send(t.Context(), taskOf("ann", "2")); err == nil || !hasAll(err.Error(), "maximum messages exceeded", "streams are not full") {
		t.Errorf("got %v", err)
	}
	sendAll(t, q, taskOf("ann", "1"))
}

func TestSubjectThatNoConsumerDeliversIsRefused(t *testing.T) {
	q := New(nil, testTopology(), Options{})
	for _, subject := range []string{"", "pam.jobs.small", "pam.jobs.small.", "pam.jobs.small.*", "pam.jobs.small.>", "pam.jobs.small.a b", "pam.jobs.wait.ann.1", "pam..small.ann"} {
		if err := q.Send(t.Context(), Task{Subject: subject}); err == nil || !strings.Contains(err.Error(), "check task") {
			t.Errorf("%q: %v", subject, err)
		}
	}
	if err := q.SendAfter(t.Context(), Task{Subject: "pam.diary.small.ann"}, time.Second); err == nil || !strings.Contains(err.Error(), "delayed copies") {
		t.Errorf("got %v", err)
	}
}

func TestRetryComesBackWithItsAttemptAndOrigin(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	type seen struct {
		attempt   int
		origin    Origin
		delivered uint64
		first     bool
		body      string
	}
	got := make(chan seen, 3)
	consuming(t, q, func(_ context.Context, d *Delivery) Result {
		got <- seen{d.Attempt, d.Origin, d.NumDelivered, d.IsFirst(), string(d.Body)}
		switch len(got) {
		case 1:
			return RetryAfter(time.Millisecond)
		case 2:
			return Later(time.Millisecond)
		}
		return Done()
	}, smallLane)
	task := taskOf("ann", "1")
	task.Body = []byte("body")
	sendAll(t, q, task)
	natstest.Eventually(t, "the task is done", func() bool { return len(got) == 3 && isEmpty(t, q, streamJobs)() })
	for _, want := range []seen{{1, FromHandler, 1, true, "body"}, {2, FromRetry, 1, false, "body"}, {2, FromRetry, 1, false, "body"}} {
		if have := <-got; have != want {
			t.Errorf("got %+v, want %+v", have, want)
		}
	}
}

func TestDroppedTaskIsRemovedWithItsReason(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	advisory, err := q.js.Conn().SubscribeSync("$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.>")
	if err != nil {
		t.Fatal(err)
	}
	consuming(t, q, func(context.Context, *Delivery) Result { return Drop("permanent") }, smallLane)
	sendAll(t, q, taskOf("ann", "1"))
	msg, err := advisory.NextMsg(5 * time.Minute)
	if err != nil || !strings.Contains(string(msg.Data), `"reason":"permanent"`) {
		t.Errorf("advisory %v, %v", msg, err)
	}
	natstest.Eventually(t, "the task is removed", isEmpty(t, q, streamJobs))
}

func TestOutageKeepsTheTaskAndItsAttempt(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	var tries atomic.Int32
	done := make(chan *Delivery, 1)
	consuming(t, q, func(_ context.Context, d *Delivery) Result {
		if tries.Add(1) <= 5 {
			return Outage()
		}
		done <- d
		return Done()
	}, smallLane)
	sendAll(t, q, taskOf("ann", "1"))
	if d := <-done; d.Attempt != 1 || d.NumDelivered != 6 || d.Origin != FromHandler || d.IsFirst() {
		t.Errorf("got %+v, delivery %d", d.Task, d.NumDelivered)
	}
	natstest.Eventually(t, "the task is removed", isEmpty(t, q, streamJobs))
}

func TestTaskOfAPassIsNeverFirst(t *testing.T) {
	for _, c := range []struct {
		origin Origin
		n      uint64
		want   bool
	}{
		{FromAsk, 1, true}, {FromHandler, 1, true}, {FromPass, 1, false}, {FromRetry, 1, false}, {FromAsk, 2, false}, {FromHandler, 3, false},
		{"", 1, false}, {"somebody", 1, false},
	} {
		msg := Task{Subject: "pam.jobs.small.ann.1", Origin: c.origin}.message("pam.jobs.small.ann.1")
		d := &Delivery{Task: readTask(msg.Subject, msg.Header, nil), NumDelivered: c.n}
		if d.IsFirst() != c.want {
			t.Errorf("%+v: %t", c, d.IsFirst())
		}
	}
}

func TestHostileHeadersAreRead(t *testing.T) {
	for _, text := range []string{"", "0", "-4", "x", "99999999999999999999999", "1.5"} {
		h := map[string][]string{headerAttempt: {text}}
		if got := readTask("pam.jobs.small.ann.1", h, nil); got.Attempt != 1 || got.Origin != FromPass {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestTaskOfAWorkerThatDiesComesBack(t *testing.T) {
	t.Parallel()
	top := testTopology()
	top.AckWait = 100 * time.Millisecond
	q := clusterQueue(t, top)
	var died atomic.Bool
	done := make(chan uint64, 1)
	consuming(t, q, func(_ context.Context, d *Delivery) Result {
		if died.CompareAndSwap(false, true) {
			runtime.Goexit()
		}
		done <- d.NumDelivered
		return Done()
	}, Pull{Consumer: "jobs-small", Parallel: 2})
	sendAll(t, q, taskOf("ann", "1"))
	if n := <-done; n != 2 {
		t.Errorf("delivery %d, want the second", n)
	}
}

func TestHeartbeatsKeepATaskThatTakesLong(t *testing.T) {
	t.Parallel()
	top := testTopology()
	top.AckWait = 3 * time.Second // heartbeats every second leave two for a busy machine
	q := clusterQueue(t, top)
	beats, err := q.js.Conn().SubscribeSync("$JS.ACK.JOBS.jobs-small.>")
	if err != nil {
		t.Fatal(err)
	}
	begun, finish := make(chan uint64, 8), make(chan struct{})
	consuming(t, q, func(_ context.Context, d *Delivery) Result {
		begun <- d.NumDelivered
		<-finish
		return Done()
	}, Pull{Consumer: "jobs-small", Parallel: 2})
	sendAll(t, q, taskOf("ann", "1"))
	<-begun
	for n := 0; n < 2; { // heard by the server
		msg, err := beats.NextMsg(5 * time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if string(msg.Data) == "+WPI" {
			n++
		}
	}
	close(finish)
	natstest.Eventually(t, "the task is removed", isEmpty(t, q, streamJobs))
}

func TestOneMissingConsumerEndsConsume(t *testing.T) {
	t.Parallel()
	for _, missing := range []string{"jobs-small", "jobs-bulk", "jobs-wait"} {
		q := embeddedQueue(t, testTopology())
		if err := q.js.DeleteConsumer(t.Context(), streamJobs, missing); err != nil {
			t.Fatal(err)
		}
		err := q.Consume(t.Context(), streamJobs, func(context.Context, *Delivery) Result { return Done() }, smallLane, Pull{Consumer: "jobs-bulk"})
		if err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s: %v", missing, err)
		}
		if err := q.Repair(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := q.js.Consumer(t.Context(), streamJobs, missing); err != nil {
			t.Errorf("not repaired: %v", err)
		}
	}
}

func TestNamesOutsideTheTopologyAreRefused(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	done := func(context.Context, *Delivery) Result { return Done() }
	if err := q.Consume(t.Context(), "NONE", done, smallLane); err == nil || !strings.Contains(err.Error(), "NONE") {
		t.Errorf("got %v", err)
	}
	if err := q.Consume(t.Context(), streamJobs, done, Pull{Consumer: "parts-0"}); err == nil || !strings.Contains(err.Error(), "parts-0") {
		t.Errorf("got %v", err)
	}
}

func TestConsumeThatIsStoppedAtOnceEndsWithoutAnError(t *testing.T) {
	t.Parallel()
	q := clusterQueue(t, testTopology())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.Consume(ctx, streamJobs, func(context.Context, *Delivery) Result { return Done() }, smallLane); err != nil {
		t.Error(err)
	}
}

// awayAtFirst is a JetStream that does not answer the first requests for consumers.
type awayAtFirst struct {
	jetstream.JetStream
	asked atomic.Int64
	err   error
}

func (a *awayAtFirst) Consumer(ctx context.Context, stream, name string) (jetstream.Consumer, error) {
	if a.asked.Add(1) <= 3 {
		return nil, a.err
	}
	return a.JetStream.Consumer(ctx, stream, name)
}

func TestConsumeWaitsForANATSThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	inner := q.js
	q.js = &awayAtFirst{JetStream: inner, err: context.DeadlineExceeded}
	done := make(chan struct{})
	consuming(t, q, func(context.Context, *Delivery) Result { close(done); return Done() }, smallLane)
	sendAll(t, q, taskOf("ann", "1"))
	<-done
	other := New(&awayAtFirst{JetStream: inner, err: jetstream.ErrConsumerNotFound}, testTopology(), Options{})
	if err := other.Consume(t.Context(), streamJobs, nil, smallLane); err == nil || other.js.(*awayAtFirst).asked.Load() != 1 {
		t.Errorf("waited for a consumer that does not exist: %v", err)
	}
}

func TestParallelTasksAreHandledAtOneTime(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	const n = 4
	var together sync.WaitGroup
	together.Add(n)
	consuming(t, q, func(context.Context, *Delivery) Result {
		together.Done()
		together.Wait()
		return Done()
	}, Pull{Consumer: "jobs-small", Parallel: n})
	for i := range n {
		sendAll(t, q, taskOf("ann", fmt.Sprint(i)))
	}
	natstest.Eventually(t, "all are done", isEmpty(t, q, streamJobs))
}
