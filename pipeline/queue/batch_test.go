package queue

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/natstest"
)

func part(p int, name string) Task {
	return Task{Subject: fmt.Sprintf("pam.parts.%d.ann.%s", p, name), Origin: FromHandler}
}

func TestWaitingTasksOfAPartitionComeTogetherInOrder(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	const n = 700
	for i := range n {
		sendAll(t, q, part(0, fmt.Sprintf("%04d", i)))
	}
	sendAll(t, q, part(1, "x"))
	var mu sync.Mutex
	var got []string
	var sizes []int
	running(t, func(ctx context.Context) error {
		return q.ConsumeBatches(ctx, streamParts, Batches{Size: 512, Parallel: 1}, func(_ context.Context, batch []*Delivery) {
			mu.Lock()
			defer mu.Unlock()
			if batch[0].Lane() == "0" {
				sizes = append(sizes, len(batch))
			}
			for _, d := range batch {
				if d.Lane() != batch[0].Lane() {
					t.Error("a batch mixes partitions")
				}
				if d.Lane() == "0" {
					got = append(got, d.Subject)
				}
				d.Settle(Done())
			}
		})
	})
	natstest.Eventually(t, "all are done", isEmpty(t, q, streamParts))
	mu.Lock()
	defer mu.Unlock()
	for i, s := range got {
		if want := part(0, fmt.Sprintf("%04d", i)).Subject; s != want {
			t.Fatalf("task %d is %s, want %s", i, s, want)
		}
	}
	if len(got) != n || sizes[0] != 512 || len(sizes) != 2 {
		t.Errorf("%d tasks in batches of %v", len(got), sizes)
	}
}

func TestTasksOfABatchAreSettledSeparately(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	sendAll(t, q, part(0, "done"), part(0, "retry"), part(0, "outage"), part(0, "drop"))
	var mu sync.Mutex
	seen := map[string][]int{}
	running(t, func(ctx context.Context) error {
		return q.ConsumeBatches(ctx, streamParts, Batches{Consumers: []string{"parts-0"}, Size: 10, Parallel: 2}, func(_ context.Context, batch []*Delivery) {
			mu.Lock()
			defer mu.Unlock()
			for _, d := range batch {
				name := d.Tokens()[4]
				seen[name] = append(seen[name], d.Attempt)
				switch {
				case len(seen[name]) > 1:
					d.Settle(Done())
				case name == "retry":
					d.Settle(RetryAfter(time.Millisecond))
				case name == "outage":
					d.Settle(Outage())
				case name == "drop":
					d.Settle(Drop("permanent"))
				default:
					d.Settle(Done())
					d.Settle(RetryAfter(time.Millisecond)) // only the first answer counts
				}
			}
		})
	})
	natstest.Eventually(t, "all are done", isEmpty(t, q, streamParts))
	mu.Lock()
	defer mu.Unlock()
	if got := fmt.Sprint(seen); got != "map[done:[1] drop:[1] outage:[1 1] retry:[1 2]]" {
		t.Errorf("attempts %s", got)
	}
}

func TestTasksThatABatchHandlerForgetsAreReleased(t *testing.T) {
	t.Parallel()
	q := clusterQueue(t, testTopology())
	sendAll(t, q, part(0, "1"))
	deliveries := make(chan uint64, 2)
	running(t, func(ctx context.Context) error {
		return q.ConsumeBatches(ctx, streamParts, Batches{Size: 10}, func(_ context.Context, batch []*Delivery) {
			deliveries <- batch[0].NumDelivered
			if batch[0].NumDelivered > 1 {
				batch[0].Settle(Done())
			}
		})
	})
	if a, b := <-deliveries, <-deliveries; a != 1 || b != 2 {
		t.Errorf("deliveries %d and %d", a, b)
	}
	natstest.Eventually(t, "it is done", isEmpty(t, q, streamParts))
}

func TestBatchesInHandAreBounded(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	sendAll(t, q, part(0, "1"), part(1, "1"))
	begun, finish := make(chan string, 2), make(chan struct{})
	running(t, func(ctx context.Context) error {
		return q.ConsumeBatches(ctx, streamParts, Batches{Size: 10, Parallel: 1}, func(_ context.Context, batch []*Delivery) {
			begun <- batch[0].Lane()
			<-finish
			batch[0].Settle(Done())
		})
	})
	<-begun
	natstest.Eventually(t, "the other partition's task is fetched", func() bool {
		depths, err := q.Depths(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n := uint64(0)
		for _, d := range depths {
			if d.Stream == streamParts {
				n += d.InFlight
			}
		}
		return n == 2
	})
	if len(begun) != 0 {
		t.Error("a second batch began")
	}
	close(finish)
	natstest.Eventually(t, "all are done", isEmpty(t, q, streamParts))
}
