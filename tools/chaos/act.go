package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// act is a part of a run: something that people want, and what goes wrong meanwhile. It ends when
// all of it has, and what it has left must be what it leaves when nothing goes wrong.
type act struct {
	name  string
	do    func(ctx context.Context, r *run, span time.Duration) error
	steps []Step
	// span is the time in which the steps are taken; do may take longer.
	span time.Duration
}

// acts are those of a scenario, without what goes wrong.
func (o options) acts() []act {
	out := []act{{name: "imports", do: putDrops, span: o.span}}
	switch {
	case o.scenario != "mixed":
	case o.short:
		out = append(out, act{name: "poison and replay", do: healAndReplay, span: o.span * 3 / 4})
	default:
		out = append(out, act{name: "poison", do: healFailures, span: o.span * 3 / 4}, act{name: "replays", do: askReplays, span: o.span / 2})
	}
	return out
}

// disturbed are the same acts with the steps of a seed: most of them in the first.
func (o options) disturbed(seed uint64) []act {
	acts := o.acts()
	l := layout{workers: 3 * o.workers, nodes: o.nodes}
	for n := range acts {
		// More steps than faults that are asked for: one that waits for a request that does not
		// come is none.
		steps, kinds := o.faults+o.faults/2, o.kinds()
		if n > 0 {
			steps = o.faults / 2
		}
		acts[n].steps = newPlan(seed+uint64(n)<<32, steps, kinds, l)
	}
	return acts
}

// putDrops puts all drops, each at its time.
func putDrops(ctx context.Context, r *run, span time.Duration) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, d := range r.material.Drops {
		g.Go(func() error {
			pauseFor(ctx, time.Duration(d.At*float64(span)))
			return r.put(ctx, d)
		})
	}
	return g.Wait()
}

// perform lets an act and its steps happen, mends everything, and waits until all has ended.
func (r *run) perform(ctx context.Context, n int, a act, began time.Time) error {
	r.say("%5.2f s  %s", time.Since(began).Seconds(), a.name)
	if r.disturbed() {
		var verifying sync.WaitGroup
		until, stop := context.WithCancel(ctx)
		verifying.Go(func() { r.verifyMeanwhile(until) })
		defer func() { stop(); verifying.Wait() }()
	}
	g, during := errgroup.WithContext(ctx)
	g.Go(func() error { return a.do(during, r, a.span) })
	for _, s := range a.steps {
		g.Go(func() error { return r.take(during, s, a.span, began) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if r.options.chained && n == 0 { // what is to happen happens as the imports go on
		if err := r.settle(ctx); err != nil {
			return err
		}
	}
	if err := r.mend(ctx); err != nil {
		return err
	}
	mended := time.Now()
	if err := r.settle(ctx); err != nil {
		return err
	}
	r.say("%5.2f s  everything has ended, %s after the last fault", time.Since(began).Seconds(), time.Since(mended).Round(time.Millisecond))
	return nil
}

// take lets a step happen at its time.
func (r *run) take(ctx context.Context, s Step, span time.Duration, began time.Time) error {
	pauseFor(ctx, time.Duration(s.At*float64(span)))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.say("%5.2f s  %s: %s", time.Since(began).Seconds(), s.Kind, s.What)
	happened, err := s.do(ctx, r)
	if err != nil {
		return fmt.Errorf("let happen %s (%s): %w", s.Kind, s.What, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.met = append(r.met, met{s.Kind, happened})
	return nil
}
