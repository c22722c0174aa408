package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/tools/internal/cluster"
	"github.com/pamline/pamline/tools/internal/fault"
)

// action is what a step does.
type action = func(context.Context, *run) (func() bool, error)

func killWorker(d *rand.Rand, l layout) (string, action) {
	n, away := d.IntN(l.workers), drawDuration(d, 0, 500*time.Millisecond)
	return fmt.Sprintf("worker %d, back after %s", n, away.Round(time.Millisecond)), func(ctx context.Context, r *run) (func() bool, error) {
		w := r.cluster.Workers[n]
		w.Kill()
		pauseFor(ctx, away)
		return always, w.Start()
	}
}

func stopWorker(d *rand.Rand, l layout) (string, action) {
	n := d.IntN(l.workers)
	return fmt.Sprintf("worker %d", n), func(_ context.Context, r *run) (func() bool, error) {
		w := r.cluster.Workers[n]
		if !w.Stop(20 * time.Second) {
			r.note("worker %s did not end within 20 s of SIGTERM", w.Name)
		}
		return always, w.Start()
	}
}

// freezeWorker stops a worker for less or more than its messages wait, so that another one gets
// them and both go on.
func freezeWorker(d *rand.Rand, l layout) (string, action) {
	n, still := d.IntN(l.workers), drawDuration(d, 300*time.Millisecond, 2*ackWait)
	return fmt.Sprintf("worker %d for %s", n, still.Round(time.Millisecond)), func(ctx context.Context, r *run) (func() bool, error) {
		w := r.cluster.Workers[n]
		if err := w.Freeze(); err != nil {
			return nil, err
		}
		pauseFor(ctx, still)
		return always, w.Thaw()
	}
}

func cutLinks(d *rand.Rand, l layout) (string, action) {
	n := d.IntN(l.workers + 1) // the last is all
	what := fmt.Sprintf("worker %d", n)
	if n == l.workers {
		what = "all workers"
	}
	return what, func(_ context.Context, r *run) (func() bool, error) {
		for i, w := range r.cluster.Workers {
			if i != n && n != l.workers {
				continue
			}
			for _, link := range w.Links {
				link.Cut()
			}
		}
		return always, nil
	}
}

func partitionNetwork(d *rand.Rand, l layout) (string, action) {
	n, away := d.IntN(l.workers), drawDuration(d, 200*time.Millisecond, 2*ackWait)
	return fmt.Sprintf("worker %d for %s", n, away.Round(time.Millisecond)), func(ctx context.Context, r *run) (func() bool, error) {
		links := r.cluster.Workers[n].Links
		for _, link := range links {
			link.Down()
		}
		pauseFor(ctx, away)
		for _, link := range links {
			link.Up()
		}
		return always, nil
	}
}

// loseAnswers lets what a worker sends arrive, while what NATS says to it does not: stored messages
// of which the sender hears nothing, acknowledgements that nobody confirms.
func loseAnswers(d *rand.Rand, l layout) (string, action) {
	n, still := d.IntN(l.workers), drawDuration(d, 100*time.Millisecond, ackWait+time.Second)
	return fmt.Sprintf("worker %d for %s", n, still.Round(time.Millisecond)), func(ctx context.Context, r *run) (func() bool, error) {
		links := r.cluster.Workers[n].Links
		for _, link := range links {
			link.Hold(fault.Answers)
		}
		pauseFor(ctx, still)
		for _, link := range links {
			link.Cut()
			link.Release(fault.Answers)
		}
		return always, nil
	}
}

func slowLinks(d *rand.Rand, l layout) (string, action) {
	n, by, still := d.IntN(l.workers), drawDuration(d, 5*time.Millisecond, 100*time.Millisecond), drawDuration(d, 500*time.Millisecond, 3*time.Second)
	return fmt.Sprintf("worker %d by %s for %s", n, by.Round(time.Millisecond), still.Round(time.Millisecond)), func(ctx context.Context, r *run) (func() bool, error) {
		links := r.cluster.Workers[n].Links
		for _, link := range links {
			link.Slow(by)
		}
		pauseFor(ctx, still)
		for _, link := range links {
			link.Slow(0)
		}
		return always, nil
	}
}

func killNode(d *rand.Rand, l layout) (string, action) {
	n, away := d.IntN(l.nodes), drawDuration(d, 0, 700*time.Millisecond)
	return fmt.Sprintf("node %d, back after %s", n+1, away.Round(time.Millisecond)), func(ctx context.Context, r *run) (func() bool, error) {
		return always, r.kill(ctx, r.cluster.Broker.Nodes[n], away)
	}
}

// kill kills a NATS server and starts it after a while.
func (r *run) kill(ctx context.Context, node *cluster.Node, away time.Duration) error {
	node.Kill()
	pauseFor(ctx, away)
	return node.Start()
}

func killGateway(d *rand.Rand, _ layout) (string, action) {
	away := drawDuration(d, 0, 700*time.Millisecond)
	return "back after " + away.Round(time.Millisecond).String(), func(ctx context.Context, r *run) (func() bool, error) {
		r.cluster.Gateway.Kill()
		pauseFor(ctx, away)
		return always, r.cluster.Gateway.Start(context.WithoutCancel(ctx))
	}
}

var streams = []string{dispatch.StreamTake, dispatch.StreamIngest, dispatch.StreamExtract, dispatch.StreamAssemble, dispatch.StreamDrops}

// fillStream leaves a stream no room for another message.
func fillStream(d *rand.Rand, _ layout) (string, action) {
	name, still := streams[d.IntN(len(streams))], drawDuration(d, 300*time.Millisecond, 2*time.Second)
	return fmt.Sprintf("%s for %s", name, still.Round(time.Millisecond)), func(ctx context.Context, r *run) (func() bool, error) {
		full := func(bytes int64) error {
			short, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			return limitStream(short, r.js, name, bytes)
		}
		if err := full(1); err != nil {
			return never, nil //nolint:nilerr // NATS is away just now: another fault came first
		}
		pauseFor(ctx, still)
		err := full(-1)
		for range 20 {
			if err == nil {
				break
			}
			pauseFor(context.WithoutCancel(ctx), 250*time.Millisecond)
			err = full(-1)
		}
		return always, err
	}
}

// limitStream sets how many bytes a stream may have beyond those that are in it; -1: any.
func limitStream(ctx context.Context, js jetstream.JetStream, name string, bytes int64) error {
	s, err := js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) && bytes < 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at stream %s: %w", name, err)
	}
	cfg := s.CachedInfo().Config
	cfg.MaxBytes = -1
	if bytes > 0 {
		cfg.MaxBytes = int64(s.CachedInfo().State.Bytes) + bytes
	}
	if _, err := js.UpdateStream(ctx, cfg); err != nil {
		return fmt.Errorf("limit stream %s: %w", name, err)
	}
	return nil
}
