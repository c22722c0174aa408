package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/sealed"
	"github.com/pamline/pamline/tools/internal/cluster"
	"github.com/pamline/pamline/tools/internal/fault"
)

// ackWait is how long a worker may be silent about a message here; the default of a minute would
// make runs long.
const ackWait = 2 * time.Second

// folderQuiet is how long a folder must be unchanged before it counts as complete. It is longer
// than the uploads of its files may be apart, whatever faults they meet.
const folderQuiet = 10 * time.Second

// workerSettings are those of all workers: shards small, so that there are many, and waits short.
func workerSettings(o options, embeddings string) map[string]any {
	return map[string]any{
		"workers": 2, "nats.ack_wait": ackWait.String(), "nats.replicas": o.nodes,
		"retry.first_delay": "50ms", "retry.max_delay": "1s", "breaker.pause": "200ms",
		"drop.scan": "1s", "drop.quiet": folderQuiet.String(), "limits.shard_items": 4, "limits.shard_bytes": "96KiB",
		"encryption.new": "false", "prune.every": "0s", "prune.grace": "0s", "publish.formats": "mem,mif",
		"embeddings.url": embeddings, "embeddings.model": "chaos", "embeddings.dimensions": vectorLength, "embeddings.attempts": 1,
	}
}

// run is a set of drops on its way through a cluster.
type run struct {
	options  options
	material Material
	acts     []act
	clocks   map[string]int64
	model    *embedder
	// calm are the states that the undisturbed run had after each act; nil: this is that run.
	calm    []State
	seed    uint64
	now     int // the act that is played
	folder  string
	cluster *cluster.Cluster
	nc      *nats.Conn
	js      jetstream.JetStream
	loud    blob.Store // NATS is told of what is put here
	quiet   blob.Store // it is not
	writes  *writes
	poison  poison
	prunes  int64 // of an owner, by the run itself
	// back are those who bring workers back.
	back sync.WaitGroup

	mu    sync.Mutex
	wrong []string
	notes []string
	met   []met
	done  map[string]int // what was asked for again
}

// outcome is what came of a run.
type outcome struct {
	// states are what was left after each act, the last of them that at the end.
	states []State
	// wrong is what is wrong with the run itself.
	wrong  []string
	faults map[string]int // what happened, by kind
	cost   Cost
	took   time.Duration
	notes  []string
	done   map[string]int // what was asked for again: replays, redrives, what they were for
	// ends are those of workers that nobody had told to end.
	ends []ended
	// folder is where everything lies; whoever reads the outcome removes it.
	folder string
}

// allWrong is everything that is wrong in itself.
func (out outcome) allWrong() []string {
	all := slices.Clone(out.wrong)
	for _, s := range out.states {
		all = append(all, s.Wrong...)
	}
	return all
}

// fail keeps what is wrong in itself.
func (r *run) fail(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
}

// note keeps a finding that is no difference of results.
func (r *run) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// disturbed: things go wrong in it.
func (r *run) disturbed() bool { return r.calm != nil }

// count counts what was asked for again.
func (r *run) count(what string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done[what] += n
}

// beginRun starts everything in a folder of its own.
func beginRun(ctx context.Context, o options, m Material, acts []act, clocks map[string]int64, model *embedder, calm []State, seed uint64) (*run, error) {
	folder, err := os.MkdirTemp(o.scratch, "chaos-")
	if err != nil {
		return nil, fmt.Errorf("make folder of the run: %w", err)
	}
	r := &run{
		options: o, material: m, acts: acts, clocks: clocks, model: model, calm: calm, seed: seed, folder: folder,
		writes: newWrites(), done: map[string]int{},
	}
	settings := workerSettings(o, model.url)
	var master sealed.Master
	if r.disturbed() {
		settings["prune.every"] = "1s"
		if o.encrypts(seed) {
			if master, err = newMaster(filepath.Join(folder, "master.key"), settings); err != nil {
				return nil, err
			}
		}
	}
	r.cluster, err = cluster.Start(ctx, cluster.Options{
		Root: o.root, Programs: o.programs, Folder: filepath.Join(folder, "cluster"), Nodes: o.nodes, Events: "pam.events",
		Workers:  map[string]int{"ingest": o.workers, "extract": o.workers, "assemble": o.workers},
		Settings: settings, Observe: r.saw,
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
	if master != nil {
		r.loud, r.quiet = sealStore(r.loud, master), sealStore(r.quiet, master)
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

// play plays the acts, and reads what came of each.
func (r *run) play(ctx context.Context) (out outcome, err error) {
	began := time.Now()
	for n, a := range r.acts {
		r.now = n
		if err := r.perform(ctx, n, a, began); err != nil {
			return out, fmt.Errorf("%s: %w", a.name, err)
		}
		s, err := r.read(ctx)
		if err != nil {
			return out, err
		}
		out.states = append(out.states, s)
	}
	if out.cost, err = r.reckon(ctx, out.states[len(out.states)-1]); err != nil {
		return out, err
	}
	out.took = time.Since(began)
	return out, nil
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
