package queue

import (
	"context"
	"flag"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/natstest"
)

// TestMain lets more tests run side by side than there are processors: most of them wait.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// streamJobs is the stream of most tests, with two lanes, and streamParts one with partitions.
const (
	streamJobs   = "JOBS"
	streamParts  = "PARTS"
	streamEvents = "EVENTS"
	bucketLeases = "LEASES"
	bucketNotes  = "NOTES"
)

func testTopology() Topology {
	return Topology{
		Streams: []Stream{
			{Name: streamEvents, Subjects: []string{"pam.events"}, Kind: Intake, Consumers: []Consumer{{Name: "events"}}},
			TaskStream(streamJobs, "pam.jobs", "jobs", 64, "small", "bulk"),
			TaskStream(streamParts, "pam.parts", "parts", 1024, "0", "1"),
			{Name: "DIARY", Subjects: []string{"pam.diary.>"}, Kind: Log},
		},
		Buckets: []Bucket{{Name: bucketLeases, KeyTTL: true}, {Name: bucketNotes, TTL: time.Hour}},
	}
}

// withFair limits the small lane of the test topology.
func withFair(limit int) Topology {
	t := testTopology()
	t.Streams[1].Fair = &FairLane{Lane: "small", Overflow: "bulk", Limit: limit}
	return t
}

var quickBackoff = Backoff{First: time.Millisecond, Max: 5 * time.Millisecond}

// embeddedQueue is a queue in this process, as a single machine has it.
func embeddedQueue(t *testing.T, top Topology) *Queue {
	t.Helper()
	q, err := OpenEmbedded(t.Context(), top, Options{Log: zaptest.NewLogger(t), Backoff: quickBackoff})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

// clusterQueue is a queue that stops like one of a cluster. Its pulls do not wait long.
func clusterQueue(t *testing.T, top Topology) *Queue {
	t.Helper()
	q := embeddedQueue(t, top)
	q.embedded, q.o.PullWait = false, 100*time.Millisecond
	return q
}

// bareJetStream is a server without streams.
func bareJetStream(t *testing.T) jetstream.JetStream {
	t.Helper()
	return natstest.JetStream(t, natstest.Connect(t, natstest.Server(t, nil).ClientURL()))
}

// taskOf is a task of an owner in the small lane.
func taskOf(owner, name string) Task {
	return Task{Subject: "pam.jobs.small." + owner + "." + name, Origin: FromHandler}
}

func sendAll(t *testing.T, q *Queue, tasks ...Task) {
	t.Helper()
	for _, task := range tasks {
		if err := q.Send(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
}

// consuming runs Consume until stop, or the end of the test.
func consuming(t *testing.T, q *Queue, h Handler, pulls ...Pull) (stop func()) {
	t.Helper()
	return running(t, func(ctx context.Context) error { return q.Consume(ctx, streamJobs, h, pulls...) })
}

// running runs a function until stop, or the end of the test.
func running(t *testing.T, run func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := run(ctx); err != nil {
			t.Error(err)
		}
	})
	stop = sync.OnceFunc(func() {
		cancel()
		wg.Wait()
	})
	t.Cleanup(stop)
	return stop
}

var smallLane = Pull{Consumer: "jobs-small", Parallel: 1}

// subjects are those that a stream holds.
func subjects(t *testing.T, q *Queue, stream, filter string) []string {
	t.Helper()
	have, err := q.Subjects(t.Context(), stream, filter)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for s := range have {
		out = append(out, s)
	}
	return out
}

func isEmpty(t *testing.T, q *Queue, stream string) func() bool {
	t.Helper()
	return func() bool { return len(subjects(t, q, stream, ">")) == 0 }
}

func hasAll(text string, words ...string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
