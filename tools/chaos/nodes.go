package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/tools/internal/cluster"
)

// clusterKinds are the kinds of the scenario with three NATS nodes: what happens to one of them,
// and some of what happens anyway.
func clusterKinds() []kind {
	return []kind{
		{"NATS: leader kill -9", 3, killLeader},
		{"NATS: node cut off", 3, isolateNode},
		{"NATS: all nodes rolled", 1, rollNodes},
		{"NATS: node kill -9", 1, killNode},
		{"NATS: answers held, then lost", 1, loseAnswers},
		{"NATS: connections cut", 1, cutLinks},
		{"worker: kill -9", 1, killWorker},
		{"worker: kill -9 at a write", 1, killAtWrite},
		{"worker: frozen", 1, freezeWorker},
	}
}

var queues = []string{dispatch.StreamTake, dispatch.StreamIngest, dispatch.StreamExtract, dispatch.StreamAssemble, dispatch.StreamEvents}

// leader is the node that leads a stream, nil when there is none just now.
func (r *run) leader(ctx context.Context, stream string) *cluster.Node {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	s, err := r.js.Stream(ctx, stream)
	if err != nil || s.CachedInfo().Cluster == nil {
		return nil
	}
	return r.cluster.Broker.Node(s.CachedInfo().Cluster.Leader)
}

func killLeader(d *rand.Rand, _ layout) (string, action) {
	stream, away := queues[d.IntN(len(queues))], drawDuration(d, 100*time.Millisecond, 3*time.Second)
	return fmt.Sprintf("of %s, back after %s", stream, away.Round(time.Millisecond)), func(ctx context.Context, r *run) (func() bool, error) {
		node := r.leader(ctx, stream)
		if node == nil {
			return never, nil
		}
		return always, r.kill(ctx, node, away)
	}
}

// isolateNode cuts a node off from the other two, while workers still reach it.
func isolateNode(d *rand.Rand, l layout) (string, action) {
	n, lead, away := d.IntN(l.nodes), d.IntN(2) == 0, drawDuration(d, time.Second, 5*time.Second)
	stream := queues[d.IntN(len(queues))]
	what := fmt.Sprintf("node %d for %s", n+1, away.Round(time.Millisecond))
	if lead {
		what = fmt.Sprintf("the leader of %s for %s", stream, away.Round(time.Millisecond))
	}
	return what, func(ctx context.Context, r *run) (func() bool, error) {
		node := r.cluster.Broker.Nodes[n]
		if lead {
			if node = r.leader(ctx, stream); node == nil {
				return never, nil
			}
		}
		node.Isolate()
		pauseFor(ctx, away)
		node.Rejoin()
		return always, nil
	}
}

// rollNodes stops and starts the nodes one after the other, as an upgrade does.
func rollNodes(*rand.Rand, layout) (string, action) {
	return "one after the other", func(ctx context.Context, r *run) (func() bool, error) {
		for _, node := range r.cluster.Broker.Nodes {
			if !node.Stop(10 * time.Second) {
				r.note("%s did not end within 10 s of SIGTERM", node.Name)
			}
			if err := node.Start(); err != nil {
				return nil, err
			}
			pauseFor(ctx, time.Second)
		}
		return always, nil
	}
}
