package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// purgeQueue loses all messages of a queue, those that are being worked on among them.
func purgeQueue(d *rand.Rand, _ layout) (string, action) {
	name := queues[d.IntN(len(queues))]
	return name, func(ctx context.Context, r *run) (func() bool, error) {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		s, err := r.js.Stream(ctx, name)
		if err != nil {
			return never, nil //nolint:nilerr // NATS is away just now: another fault came first
		}
		lost := s.CachedInfo().State.Msgs > 0
		if err := s.Purge(ctx); err != nil {
			return never, nil //nolint:nilerr // the same
		}
		return func() bool { return lost }, nil
	}
}

// wipeQueues loses everything that a NATS server had on its disk, all streams with their consumers.
// One worker of each stage is started anew, as a person would who set the server up again; the
// others have to find their way.
func wipeQueues(d *rand.Rand, l layout) (string, action) {
	which := d.IntN(l.workers / 3)
	return "all streams, then worker " + fmt.Sprint(which+1) + " of each stage started anew", func(_ context.Context, r *run) (func() bool, error) {
		node := r.cluster.Broker.Nodes[0]
		// Another step may bring the server back at any moment, and it would go on without its
		// files.
		if err := node.Without(func() error { return os.RemoveAll(filepath.Join(r.folder, "cluster", node.Name)) }); err != nil {
			return nil, fmt.Errorf("remove what a NATS server had: %w", err)
		}
		if err := node.Start(); err != nil {
			return nil, err
		}
		for i, w := range r.cluster.Workers {
			if i%(len(r.cluster.Workers)/3) != which {
				continue
			}
			w.Kill()
			if err := w.Start(); err != nil {
				return nil, err
			}
		}
		return always, nil
	}
}

// fillDisk gives a worker a life on a scratch disk that has no room.
func fillDisk(d *rand.Rand, l layout) (string, action) {
	n, still := d.IntN(l.workers), drawDuration(d, time.Second, 3*time.Second)
	return fmt.Sprintf("worker %d for %s", n, still.Round(time.Millisecond)), func(ctx context.Context, r *run) (func() bool, error) {
		w := r.cluster.Workers[n]
		w.Kill()
		w.Fill(true)
		err := w.Start()
		pauseFor(ctx, still)
		w.Kill()
		w.Fill(false)
		return always, errors.Join(err, w.Start())
	}
}

// clockSkews are the seconds by which workers' clocks are wrong in a run: at most one worker of
// each stage.
func clockSkews(seed uint64, o options) map[string]int64 {
	if o.skewed == "" {
		return nil
	}
	d := rand.New(rand.NewPCG(seed, 3))
	by := []int64{-93_600, -1_300, -90, -3, 3, 90, 1_300, 93_600}
	out := map[string]int64{}
	for _, stage := range []string{"ingest", "extract", "assemble"} {
		if n := d.IntN(2 * o.workers); n < o.workers {
			out[fmt.Sprintf("%s-%d", stage, n+1)] = by[d.IntN(len(by))]
		}
	}
	return out
}
