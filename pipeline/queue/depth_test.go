package queue

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/natstest"
)

// depthOf are waiting and in flight of each consumer that has any.
func depthOf(t *testing.T, q *Queue) map[string]string {
	t.Helper()
	depths, err := q.Depths(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, d := range depths {
		if d.Delayed != (d.Consumer == "jobs-wait" || d.Consumer == "parts-wait") {
			t.Errorf("%+v", d)
		}
		if d.Waiting+d.InFlight > 0 {
			out[d.Stream+" "+d.Consumer] = fmt.Sprint(d.Waiting, "+", d.InFlight)
		}
	}
	return out
}

func TestDepthsCountWaitingInFlightAndDelayedTasks(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	if got := depthOf(t, q); len(got) != 0 {
		t.Errorf("an empty queue has %v", got)
	}
	sendAll(t, q, taskOf("ann", "later"), taskOf("ann", "1"), taskOf("ann", "2"), Task{Subject: "pam.jobs.bulk.ann.3"})
	begun, finish := make(chan struct{}), make(chan struct{})
	consuming(t, q, func(_ context.Context, d *Delivery) Result {
		if d.Tokens()[4] == "later" {
			return Later(time.Hour)
		}
		begun <- struct{}{}
		<-finish
		return Done()
	}, smallLane)
	<-begun
	natstest.Eventually(t, "the copy waits", func() bool { return depthOf(t, q)["JOBS jobs-wait"] == "0+1" })
	if got := fmt.Sprint(depthOf(t, q)); got != "map[JOBS jobs-bulk:1+0 JOBS jobs-small:1+1 JOBS jobs-wait:0+1]" {
		t.Errorf("got %s", got)
	}
	close(finish)
	<-begun
	natstest.Eventually(t, "the lane is empty", func() bool { return depthOf(t, q)["JOBS jobs-small"] == "" })
}

func TestReadyNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	if err := q.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	if err := q.js.DeleteStream(t.Context(), streamEvents); err != nil {
		t.Fatal(err)
	}
	if err := q.Ready(t.Context()); err == nil || !hasAll(err.Error(), "check NATS", streamEvents) {
		t.Errorf("got %v", err)
	}
	q.js.Conn().Close()
	if err := q.Ready(t.Context()); err == nil || !hasAll(err.Error(), "check NATS", "closed") {
		t.Errorf("got %v", err)
	}
}
