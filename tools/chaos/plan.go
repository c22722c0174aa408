package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/pamline/pamline/tools/internal/fault"
)

// Step is one thing that goes wrong.
type Step struct {
	// At is when, from 0 to 1 of the time in which faults happen.
	At   float64
	Kind string
	What string // for people
	// do lets it happen, waits as long as it lasts, and mends it. It tells whether it met anything.
	do func(ctx context.Context, r *run) (happened func() bool, err error)
}

// kind is a kind of fault with how often it is drawn.
type kind struct {
	name   string
	weight int
	draw   func(d *rand.Rand, r layout) (what string, do func(context.Context, *run) (func() bool, error))
}

// layout is what a plan has to know of what runs.
type layout struct{ workers, nodes int }

// newPlan draws n steps of a seed. Each kind's first turn comes before any kind's second, as far as
// n goes, in an order of chance: a run has as many kinds as it can.
func newPlan(seed uint64, n int, kinds []kind, l layout) []Step {
	d := rand.New(rand.NewPCG(seed, 2))
	var steps []Step
	var bag []kind
	for len(steps) < n {
		if len(bag) == 0 {
			for _, k := range kinds {
				for range k.weight {
					bag = append(bag, k)
				}
			}
			d.Shuffle(len(bag), func(i, j int) { bag[i], bag[j] = bag[j], bag[i] })
		}
		k := bag[0]
		bag = bag[1:]
		s := Step{At: 0.03 + 0.97*d.Float64(), Kind: k.name}
		s.What, s.do = k.draw(d, l)
		steps = append(steps, s)
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return cmp.Compare(a.At, b.At) })
	return steps
}

// drawDuration draws a duration.
func drawDuration(d *rand.Rand, from, to time.Duration) time.Duration {
	return from + time.Duration(d.Int64N(int64(to-from)+1))
}

// pauseFor waits, or until ctx ends: what a step has broken must be mended in either case.
func pauseFor(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

const (
	// everythingLost is the kind after which workers may end by themselves (ends.go).
	everythingLost = "NATS: everything lost"
	diskFull       = "worker: scratch disk full"
)

func always() bool { return true }

func never() bool { return false }

// mixedKinds are the kinds of the ordinary scenario.
func mixedKinds(o options) []kind {
	kinds := []kind{
		{"worker: kill -9", 4, killWorker},
		{"worker: kill -9 at a write", 4, killAtWrite},
		{"worker: SIGTERM", 1, stopWorker},
		{"worker: frozen", 2, freezeWorker},
		{"NATS: connections cut", 1, cutLinks},
		{"NATS: worker cut off", 1, partitionNetwork},
		{"NATS: answers held, then lost", 2, loseAnswers},
		{"NATS: slow", 1, slowLinks},
		{"NATS: kill -9", 1, killNode},
		{"NATS: stream full", 1, fillStream},
		{"NATS: queue lost", 1, purgeQueue},
		{everythingLost, 1, wipeQueues},
		{"S3: kill -9", 1, killGateway},
	}
	if o.canFill {
		kinds = append(kinds, kind{diskFull, 1, fillDisk})
	}
	for _, k := range fault.Kinds {
		weight := 1
		if k == fault.LostAnswer || k == fault.CutRequest {
			weight = 2
		}
		kinds = append(kinds, kind{"S3: " + string(k), weight, requestFault(k)})
	}
	return kinds
}

// requestFault arms the S3 proxy.
func requestFault(k fault.Kind) func(*rand.Rand, layout) (string, func(context.Context, *run) (func() bool, error)) {
	return func(d *rand.Rand, _ layout) (string, func(context.Context, *run) (func() bool, error)) {
		f := fault.Fault{Kind: k, Times: 1 + d.IntN(6), Hold: drawDuration(d, 50*time.Millisecond, time.Second)}
		return fmt.Sprintf("%d requests, %s", f.Times, f.Hold.Round(time.Millisecond)), func(_ context.Context, r *run) (func() bool, error) {
			return r.cluster.Gateway.Proxy.Arm(f), nil
		}
	}
}
