package queue

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pamline/pamline/pipeline/natstest"
)

func TestTaskIsDelayedByTheServerAndThenEntersItsLane(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	got := make(chan *Delivery, 1)
	consuming(t, q, func(_ context.Context, d *Delivery) Result { got <- d; return Done() }, smallLane)
	acks, err := q.js.Conn().SubscribeSync("$JS.ACK.JOBS.jobs-wait.>")
	if err != nil {
		t.Fatal(err)
	}
	task := Task{Subject: "pam.jobs.small.ann.1", Origin: FromPass, Attempt: 3}
	for range 2 { // the second is absorbed
		if err := q.SendAfter(t.Context(), task, 50*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	d := <-got
	if d.Subject != task.Subject || d.Attempt != 3 || d.Origin != FromPass || d.msg.Headers().Get(headerDelay)+d.msg.Headers().Get(headerLane) != "" {
		t.Errorf("got %+v, headers %v", d.Task, d.msg.Headers())
	}
	first, err := acks.NextMsg(5 * time.Minute)
	if err != nil || string(first.Data) != `-NAK {"delay": 50000000}` {
		t.Errorf("%v, %v", first, err)
	}
	natstest.Eventually(t, "nothing is left", isEmpty(t, q, streamJobs))
}

// Many tasks of one owner wait, more than a consumer has places for tasks in flight.
func TestDelayedTasksTakeNoPlaceInTheirLane(t *testing.T) {
	t.Parallel()
	top := testTopology()
	top.Streams[1].Consumers[0].MaxInFlight = 4
	q := embeddedQueue(t, top)
	const waiting = 60
	for i := range waiting {
		sendAll(t, q, taskOf("ann", fmt.Sprint(i)))
	}
	sendAll(t, q, taskOf("bob", "0"))
	bob := make(chan struct{}, 1)
	consuming(t, q, func(_ context.Context, d *Delivery) Result {
		if d.Tokens()[tokenOwner] == "bob" {
			bob <- struct{}{}
			return Done()
		}
		return Later(time.Hour)
	}, smallLane)
	<-bob
	natstest.Eventually(t, "all others are delayed", func() bool {
		return len(subjects(t, q, streamJobs, "pam.jobs.wait.ann.>")) == waiting && len(subjects(t, q, streamJobs, ">")) == waiting
	})
}

// An acknowledgement was lost after the copy was stored, and the task is delivered and fails again.
func TestTaskWhoseCopyExistsIsNotDelayedTwice(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	sendAll(t, q, taskOf("ann", "1"))
	copied := nats.NewMsg("pam.jobs.wait.ann.1.1")
	copied.Header.Set(headerDelay, "1h")
	copied.Header.Set(headerLane, "small")
	if _, err := q.js.PublishMsg(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	consuming(t, q, func(context.Context, *Delivery) Result { return RetryAfter(time.Millisecond) }, smallLane)
	natstest.Eventually(t, "only the copy is left", func() bool {
		return strings.Join(subjects(t, q, streamJobs, ">"), " ") == "pam.jobs.wait.ann.1.1"
	})
}

// A copy may come back before the task that it replaces is acknowledged. If the copy were absorbed
// then, the acknowledgement would remove the last message of the task.
func TestCopyWaitsWhileItsLaneHoldsTheTask(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	answers, err := q.js.Conn().SubscribeSync("$JS.ACK.JOBS.jobs-wait.>")
	if err != nil {
		t.Fatal(err)
	}
	begun, finish := make(chan int, 2), make(chan struct{})
	consuming(t, q, func(_ context.Context, d *Delivery) Result {
		begun <- d.Attempt
		<-finish
		return Done()
	}, smallLane)
	sendAll(t, q, taskOf("ann", "1"))
	<-begun
	if err := q.SendAfter(t.Context(), Task{Subject: taskOf("ann", "1").Subject, Attempt: 2}, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	for range 3 { // the first starts the delay
		msg, err := answers.NextMsg(5 * time.Minute)
		if err != nil || !strings.HasPrefix(string(msg.Data), "-NAK") {
			t.Fatalf("the copy is answered with %v, %v", msg, err)
		}
	}
	close(finish)
	if attempt := <-begun; attempt != 2 {
		t.Errorf("attempt %d came back", attempt)
	}
	natstest.Eventually(t, "nothing is left", isEmpty(t, q, streamJobs))
}

// A copy enters its lane before it is removed. The task may fail again in between.
func TestAttemptsAreCountedWhileTheCopyBeforeIsOnItsWayBack(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	for seq := range uint64(3) { // the copies of all messages before are still there
		if err := q.SendAfter(t.Context(), Task{Subject: "pam.jobs.small.ann.1", Attempt: int(seq) + 1}, time.Hour); err != nil {
			t.Fatal(err)
		}
		sendAll(t, q, Task{Subject: "pam.jobs.small.ann.1", Attempt: int(seq) + 1})
		c, err := q.js.Consumer(t.Context(), streamJobs, "jobs-small")
		if err != nil {
			t.Fatal(err)
		}
		msg, err := c.Next()
		if err != nil {
			t.Fatal(err)
		}
		r := &run{q: q, ctx: t.Context(), work: t.Context(), gate: &gate{}, held: newHeldDeliveries(q)}
		r.newDelivery(msg).Settle(RetryAfter(time.Hour))
		if left := subjects(t, q, streamJobs, "pam.jobs.small.>"); len(left) != 0 {
			t.Errorf("attempt %d waits in its lane: %v", seq+1, left)
		}
	}
	if n := len(subjects(t, q, streamJobs, "pam.jobs.wait.>")); n != 4 {
		t.Errorf("%d delayed copies, want one of SendAfter and three of attempts", n)
	}
}

func TestTaskWhoseStreamHasNoDelayedCopiesWaitsInItsLane(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	if _, err := q.js.Publish(t.Context(), "pam.events", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	deliveries := make(chan uint64, 2)
	running(t, func(ctx context.Context) error {
		return q.Consume(ctx, streamEvents, func(_ context.Context, d *Delivery) Result {
			deliveries <- d.NumDelivered
			if d.NumDelivered == 1 {
				return Later(time.Millisecond)
			}
			return Done()
		}, Pull{Consumer: "events"})
	})
	if a, b := <-deliveries, <-deliveries; a != 1 || b != 2 {
		t.Errorf("deliveries %d and %d", a, b)
	}
	natstest.Eventually(t, "it is done", isEmpty(t, q, streamEvents))
}

func TestStrangeMessagesAmongDelayedCopiesAreRemoved(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	for i, lane := range []string{"", "wait", "a.b c", "*"} {
		msg := nats.NewMsg(fmt.Sprintf("pam.jobs.wait.ann.%d.0", i))
		msg.Header.Set(headerDelay, []string{"", "-1s", "x", "1ms"}[i])
		msg.Header.Set(headerLane, lane)
		if _, err := q.js.PublishMsg(t.Context(), msg); err != nil {
			t.Fatal(err)
		}
	}
	consuming(t, q, func(_ context.Context, d *Delivery) Result { t.Errorf("handled %s", d.Subject); return Done() }, smallLane, Pull{Consumer: "jobs-bulk"})
	natstest.Eventually(t, "all are removed", isEmpty(t, q, streamJobs))
}

func TestDelayedTasksReturnOnceIntoAFairLane(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, withFair(2))
	const n = 5
	var mu sync.Mutex
	tries := map[string]int{}
	consuming(t, q, func(_ context.Context, d *Delivery) Result {
		mu.Lock()
		defer mu.Unlock()
		name := d.Tokens()[4]
		if tries[name]++; tries[name] == 1 {
			return Later(time.Millisecond)
		}
		return Done()
	}, smallLane, Pull{Consumer: "jobs-bulk"})
	for i := range n {
		sendAll(t, q, taskOf("ann", fmt.Sprint(i)))
	}
	natstest.Eventually(t, "all are done", isEmpty(t, q, streamJobs))
	mu.Lock()
	defer mu.Unlock()
	for name, k := range tries {
		if k != 2 {
			t.Errorf("task %s was handled %d times", name, k)
		}
	}
	if len(tries) != n {
		t.Errorf("%d tasks were handled", len(tries))
	}
}

// An owner comes with very many tasks, behind one that takes hours. The task of another owner is
// handled after no more of them than may wait in the small lane.
func TestOneOwnersFloodDoesNotDelayAnothersTask(t *testing.T) {
	t.Parallel()
	const flood, limit = 120, 8
	q := embeddedQueue(t, withFair(limit))
	sendAll(t, q, Task{Subject: "pam.jobs.bulk.ann.large"})
	for i := range flood {
		sendAll(t, q, taskOf("ann", fmt.Sprint(i)))
	}
	sendAll(t, q, taskOf("bob", "0"))
	var before, all atomic.Int32
	hours, bob := make(chan struct{}), make(chan int32, 1)
	consuming(t, q, func(_ context.Context, d *Delivery) Result {
		switch {
		case d.Tokens()[4] == "large":
			<-hours
		case d.Tokens()[tokenOwner] == "bob":
			bob <- before.Load()
		default:
			before.Add(1)
		}
		all.Add(1)
		return Done()
	}, smallLane, Pull{Consumer: "jobs-bulk"})
	if n := <-bob; n != limit {
		t.Errorf("%d tasks of the other owner were handled before, want %d", n, limit)
	}
	close(hours)
	natstest.Eventually(t, "all are handled", func() bool { return all.Load() == flood+2 })
}

func TestFairLaneCountsOneOwnerOnly(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	for i := range 3 {
		sendAll(t, q, taskOf("ann", fmt.Sprint(i)))
	}
	for _, c := range []struct {
		subject string
		limit   int
		want    string
	}{
		{"pam.jobs.small.ann.x", 4, "small"}, {"pam.jobs.small.ann.x", 3, "bulk"}, {"pam.jobs.bulk.ann.x", 9, "bulk"},
		{"pam.jobs.small.ann.2", 3, "small"}, // it waits there already, and is absorbed
		{"pam.jobs.small.an.x", 1, "small"}, {"pam.jobs.small.ann-.x", 1, "small"}, {"pam.jobs.small.bob.x", 1, "small"},
		{"pam.parts.small.ann.x", 0, "small"}, {"pam.none.small.ann.x", 0, "small"},
	} {
		q.t = withFair(c.limit)
		got, err := q.fairSubject(t.Context(), c.subject)
		if err != nil {
			t.Fatal(err)
		}
		if got != withLane(c.subject, c.want) {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestFilterMatchesSubjectsAsTheServerDoes(t *testing.T) {
	for _, c := range []struct {
		filter, subject string
		want            bool
	}{
		{"pam.jobs.>", "pam.jobs.small.a", true}, {"pam.jobs.>", "pam.jobs", false}, {"pam.jobs.*", "pam.jobs.a", true},
		{"pam.jobs.*", "pam.jobs.a.b", false}, {"pam.events", "pam.events", true}, {"pam.events", "pam.events.a", false},
		{">", "a", true}, {"*", "a.b", false}, {"pam.jobs.>", "pam.jobsx.a", false},
	} {
		if got := matchesFilter(c.filter, c.subject); got != c.want {
			t.Errorf("%s %s: %t", c.filter, c.subject, got)
		}
	}
}

func TestOutagesPauseFetchingForLongerAndLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{backoff: Backoff{First: time.Second, Max: 8 * time.Second}}
		waited := func() time.Duration {
			start := time.Now()
			if !g.enter(t.Context()) {
				t.Error("the gate does not let anything in")
			}
			return time.Since(start)
		}
		if got := waited(); got != 0 {
			t.Errorf("without an outage it waits %v", got)
		}
		for _, most := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 8 * time.Second} {
			for range 5 { // the tasks in hand meet the same outage
				g.report(true)
			}
			if got := waited(); got < most/2 || got > most {
				t.Errorf("it waits %v, want %v to %v", got, most/2, most)
			}
			if got := waited(); got != 0 {
				t.Errorf("the second task waits %v more", got)
			}
		}
		g.report(true)
		g.report(false) // it had begun before the outage
		if waited() == 0 {
			t.Error("a task that had begun before opens the gate")
		}
		g.report(false)
		g.report(true)
		if got := waited(); got > time.Second {
			t.Errorf("after a success it waits %v", got)
		}
		g.report(true)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		start := time.Now()
		if g.enter(ctx) || time.Since(start) != 0 {
			t.Error("a process that stops waits, or fetches")
		}
		g.enter(t.Context())
	})
}

func TestBackoffGrowsToItsBound(t *testing.T) {
	b := Backoff{First: 100 * time.Millisecond, Max: time.Second}
	for n := range 70 {
		want := b.Max
		if n < 10 {
			want = min(b.Max, b.First<<(max(n, 1)-1))
		}
		for range 20 {
			if d := b.After(n); d < want/2 || d > want {
				t.Fatalf("After(%d) = %v, want %v to %v", n, d, want/2, want)
			}
		}
	}
	if d := (Backoff{}).After(1); d < defaultFirst/2 || d > defaultFirst {
		t.Errorf("the zero backoff begins with %v", d)
	}
}
