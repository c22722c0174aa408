package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/tools/internal/cluster"
	"github.com/pamline/pamline/tools/internal/fault"
)

// ackWait is how long a worker may be silent about a message here; the default of a minute would make runs long.
const ackWait = 2 * time.Second

// settings are those of all workers: shards small, so that there are many, and waits short.
func settings(o options, embeddings string) map[string]any {
	return map[string]any{
		"workers": 2, "nats.ack_wait": ackWait.String(), "nats.replicas": o.nodes,
		"retry.first_delay": "50ms", "retry.max_delay": "1s", "breaker.pause": "200ms",
		"drop.scan": "1s", "drop.quiet": "3s", "limits.shard_items": 4, "limits.shard_bytes": "96KiB",
		"embeddings.url": embeddings, "embeddings.model": "chaos", "embeddings.dimensions": vectorLength,
	}
}

// run is a set of drops on its way through a cluster.
type run struct {
	options  options
	material Material
	steps    []Step
	clocks   map[string]int64
	folder   string
	cluster  *cluster.Cluster
	nc       *nats.Conn
	js       jetstream.JetStream
	loud     blob.Store // NATS is told of what is put here
	quiet    blob.Store // it is not
	writes   *writes
	// back are those who bring workers back.
	back sync.WaitGroup

	mu    sync.Mutex
	notes []string
	met   []met
	// wiped: what NATS had was lost; dead letters are not made again.
	wiped bool
}

// outcome is what came of a run.
type outcome struct {
	state  State
	faults map[string]int // what happened, by kind
	cost   Cost
	took   time.Duration
	notes  []string
	// fell is how often workers ended of their own accord, as they do when NATS is away while they start.
	fell int
	// folder is where everything lies; whoever reads the outcome removes it.
	folder string
}

// note keeps a finding that is no difference of results.
func (r *run) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// begin starts everything in a folder of its own.
func begin(ctx context.Context, o options, m Material, steps []Step, clocks map[string]int64, embeddings string) (*run, error) {
	folder, err := os.MkdirTemp(o.scratch, "chaos-")
	if err != nil {
		return nil, fmt.Errorf("make folder of the run: %w", err)
	}
	r := &run{options: o, material: m, steps: steps, clocks: clocks, folder: folder, writes: newWrites()}
	r.cluster, err = cluster.Start(ctx, cluster.Options{
		Root: o.root, Programs: o.programs, Folder: filepath.Join(folder, "cluster"), Nodes: o.nodes, Events: "pam.events",
		Workers:  map[string]int{"ingest": o.workers, "extract": o.workers, "assemble": o.workers},
		Settings: settings(o, embeddings), Observe: r.writes.saw,
		Skewed: o.skewed, Skews: clocks,
	})
	if err != nil {
		return nil, fmt.Errorf("start cluster: %w", err)
	}
	if r.nc, err = r.cluster.Broker.Connect(); err == nil {
		r.js, err = jetstream.New(r.nc)
	}
	if err == nil {
		r.loud, err = r.cluster.Gateway.Open(ctx, true)
	}
	if err == nil {
		r.quiet, err = r.cluster.Gateway.Open(ctx, false)
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// close ends the processes.
func (r *run) close() error {
	if r.nc != nil {
		r.nc.Close()
	}
	return r.cluster.Close()
}

// met is a step that was taken.
type met struct {
	kind     string
	happened func() bool
}

// play drops the drops and lets the steps happen within span, mends everything, waits until all imports have ended, and reads
// what came of it.
func (r *run) play(ctx context.Context, span time.Duration) (out outcome, err error) {
	began := time.Now()
	if err := r.disturb(ctx, began, span); err != nil {
		return out, err
	}
	if r.options.chained { // what is to happen happens as the imports go on
		if err := r.settle(ctx); err != nil {
			return out, err
		}
	}
	if err := r.mend(ctx); err != nil {
		return out, err
	}
	mended := time.Now()
	if err := r.settle(ctx); err != nil {
		return out, err
	}
	r.say("%5.2f s  everything has ended, %s after the last fault", time.Since(began).Seconds(), time.Since(mended).Round(time.Millisecond))
	if out.state, err = r.read(ctx); err != nil {
		return out, err
	}
	if out.cost, err = r.reckon(ctx, out.state); err != nil {
		return out, err
	}
	out.faults = map[string]int{}
	for _, m := range r.met {
		if m.happened() {
			out.faults[m.kind]++
		}
	}
	for _, by := range r.clocks {
		out.faults["worker: clock wrong"]++
		r.say("a clock was wrong by %d s", by)
	}
	out.state.LettersLost = r.wiped
	out.took = time.Since(began)
	return out, nil
}

// disturb puts the drops and takes the steps, each at its time.
func (r *run) disturb(ctx context.Context, began time.Time, span time.Duration) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, d := range r.material.Drops {
		g.Go(func() error {
			pause(ctx, time.Duration(d.At*float64(span)))
			return r.put(ctx, d)
		})
	}
	for _, s := range r.steps {
		g.Go(func() error {
			pause(ctx, time.Duration(s.At*float64(span)))
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
		})
	}
	return g.Wait()
}

// mend ends what is still wrong, and brings back who is away.
func (r *run) mend(ctx context.Context) error {
	r.cluster.Gateway.Proxy.Disarm()
	r.back.Wait()
	for _, n := range r.cluster.Broker.Nodes {
		n.Rejoin()
		if err := n.Start(); err != nil {
			return err
		}
	}
	if err := r.cluster.Gateway.Start(ctx); err != nil {
		return err
	}
	for _, w := range r.cluster.Workers {
		for _, l := range w.Links {
			l.Up()
			l.Slow(0)
			l.Release(fault.Answers)
		}
		if err := errors.Join(w.Thaw(), w.Start()); err != nil {
			return err
		}
	}
	return r.cluster.Broker.Ready(ctx)
}

// say tells what happens, when it is asked for.
func (r *run) say(format string, args ...any) {
	if r.options.verbose {
		_, _ = fmt.Fprintf(os.Stderr, "  "+format+"\n", args...) // for people
	}
}
