package queue

import (
	"os"
	"strings"
	"testing"
)

func TestEmbeddedQueueLeavesNothingBehind(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	for range 2 {
		q, err := OpenEmbedded(t.Context(), testTopology(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok, err := q.TryLease(t.Context(), bucketLeases, "pass", "one", embeddedPatience); err != nil || !ok {
			t.Errorf("a new queue has a lease already: %v", err)
		}
		if have := subjects(t, q, streamJobs, ">"); len(have) != 0 {
			t.Errorf("a new queue holds %v", have)
		}
		sendAll(t, q, taskOf("ann", "1"))
		q.Close()
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) != 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

func TestTwoEmbeddedQueuesOfOneProcessAreSeparate(t *testing.T) {
	t.Parallel()
	a, b := embeddedQueue(t, testTopology()), embeddedQueue(t, testTopology())
	sendAll(t, a, taskOf("ann", "1"))
	if have := subjects(t, b, streamJobs, ">"); len(have) != 0 {
		t.Errorf("the other holds %v", have)
	}
}

func TestEmbeddedQueueMayBeAsSlowAsItsMachine(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	if in, answer := q.js.Conn().Opts.Timeout, q.js.Options().DefaultTimeout; in != embeddedPatience || answer != embeddedPatience {
		t.Errorf("it has %s to accept a connection and %s to answer", in, answer)
	}
}

func TestWrongTopologyIsAnErrorAndNotAPanic(t *testing.T) {
	t.Parallel()
	top := testTopology()
	top.Streams = append(top.Streams, top.Streams[1])
	top.Streams[4].Name = "OVERLAPS"
	if _, err := OpenEmbedded(t.Context(), top, Options{}); err == nil || !strings.Contains(err.Error(), "create stream OVERLAPS") {
		t.Errorf("got %v", err)
	}
}

// BenchmarkEmbeddedQueue opens and closes a queue with the consumers of a whole pipeline: 16
// partitions and the lanes of three stages.
func BenchmarkEmbeddedQueue(b *testing.B) {
	parts := strings.Split("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", " ")
	top := Topology{
		Streams: []Stream{
			TaskStream("A", "pam.a", "a", 1024, "small", "bulk"), TaskStream("B", "pam.b", "b", 1024, "small", "bulk"),
			TaskStream("C", "pam.c", "c", 1024, "small", "bulk"), TaskStream("D", "pam.d", "d", 1024, parts...),
		},
		Buckets: []Bucket{{Name: bucketLeases, KeyTTL: true}},
	}
	for b.Loop() {
		q, err := OpenEmbedded(b.Context(), top, Options{})
		if err != nil {
			b.Fatal(err)
		}
		q.Close()
	}
}
