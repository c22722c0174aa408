// Command chaos runs imports, replays and redrives while things go wrong, and compares what comes
// of them with what comes of the same when nothing does.
//
//	go run ./tools/chaos -seed 7              one run
//	go run ./tools/chaos -seed 1 -runs 100    a hundred, and a table of what happened
//	go run ./tools/chaos -scenario cluster    three NATS nodes: leaders killed, nodes cut off, all rolled
//	go run ./tools/chaos -encrypt all         every run on an encrypted store, not only those of odd seeds
//
// A run starts a real S3 server, real NATS servers and several workers of each stage on loopback,
// puts the drops of several owners into the bucket, and lets at least -faults things go wrong
// meanwhile: workers killed, frozen and cut off, servers killed, streams full, requests to S3
// refused, delayed, broken in the middle or carried out without an answer. Then drops are read
// again in other ways, units fail and are redriven, and faults go on. Whenever all has ended,
// everything in the bucket must be what it is after an undisturbed run: stores, conversations,
// assets, vectors, receipts, and every intermediate result, byte for byte, but for what belongs to
// the moment of publishing.
//
// A seed gives the same drops, and the same faults at the same times; what they meet depends on the
// machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/pamline/pamline/blob/blobtest/toolbin"
	"github.com/pamline/pamline/tools/internal/cluster"
)

type options struct {
	seed     uint64
	runs     int
	faults   int
	short    bool
	scenario string
	span     time.Duration
	verbose  bool
	keep     bool
	programs string
	clock    bool
	encrypt  string // which seeds run on an encrypted store: odd, all or none

	root    string
	scratch string
	nodes   int
	workers int
	// chained: steps wait for what the imports do, not for a time.
	chained bool
	// canFill: workers can be given a full disk here. skewed: folder of workers whose clock can be
	// set; "": there are none.
	canFill bool
	skewed  string
}

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "first seed")
	flag.IntVar(&o.runs, "runs", 1, "how many runs, of one seed after the other")
	flag.IntVar(&o.faults, "faults", 10, "least number of faults in a run")
	flag.BoolVar(&o.short, "short", false, "few drops and a short time, for a check on every change")
	flag.StringVar(&o.scenario, "scenario", "mixed", "mixed: whatever can go wrong; cluster: three NATS nodes of which some are missing; redelivery: one drop and kills at writes of its shards, for what they cost")
	flag.DurationVar(&o.span, "span", 0, "time in which faults happen; 0: that of the scenario")
	flag.BoolVar(&o.verbose, "v", false, "say what happens when")
	flag.BoolVar(&o.keep, "keep", false, "keep the folder of every run, not only of those that went wrong")
	flag.StringVar(&o.programs, "programs", "", "folder of the binaries under test; empty: bin in the repository")
	flag.BoolVar(&o.clock, "clock", false, "wrong clocks, too; building workers for that takes minutes the first time")
	flag.StringVar(&o.encrypt, "encrypt", "odd", "which seeds run on an encrypted store: odd, all or none")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := chaos(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop has been called
	}
}

// errDifferent: the report has named the differences.
var errDifferent = errors.New("what is left depends on what happened")

func chaos(ctx context.Context, o options) (err error) {
	if err := o.complete(); err != nil {
		return err
	}
	if o.scratch, err = os.MkdirTemp("", "pamline-chaos-"); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer func() { _ = os.Remove(o.scratch) }() // stays when a run left its folder there
	if o.clock {
		o.skewed = filepath.Join(o.scratch, "wrong-clock")
		defer func() { _ = os.RemoveAll(o.skewed) }() // the programs are of no use afterwards
		if err := cluster.BuildSkewed(o.root, o.skewed); err != nil {
			return err
		}
	}
	model, err := startEmbedder()
	if err != nil {
		return err
	}
	defer model.close()
	rep := newReport(o)
	calm := map[uint64][]State{}
	for i := range o.runs {
		if err := one(ctx, o, o.seed+uint64(i), model, calm, rep); err != nil {
			return err
		}
	}
	if rep.end() {
		return errDifferent
	}
	return nil
}

// complete fills in what follows from the flags.
func (o *options) complete() (err error) {
	if o.root, err = toolbin.Root(); err != nil {
		return err
	}
	if o.programs == "" {
		o.programs = filepath.Join(o.root, "bin")
	}
	if _, err := os.Stat(filepath.Join(o.programs, "ingest")); err != nil {
		return fmt.Errorf("find the workers: %w: run make build first", err)
	}
	if o.encrypt != "odd" && o.encrypt != "all" && o.encrypt != "none" {
		return fmt.Errorf("-encrypt %q: odd, all or none is expected", o.encrypt)
	}
	o.nodes, o.workers = 1, 2
	span := 7 * time.Second
	switch o.scenario {
	case "mixed":
	case "cluster":
		o.nodes, span = 3, 15*time.Second
	case "redelivery":
		span, o.chained = 100*time.Millisecond, true
	default:
		return fmt.Errorf("scenario %q: mixed, cluster or redelivery is expected", o.scenario)
	}
	if o.short {
		span = span * 5 / 7
	}
	if o.span == 0 {
		o.span = span
	}
	if err := cluster.CanFill(); err == nil {
		o.canFill = true
	} else {
		fmt.Fprintf(os.Stderr, "chaos: no worker gets a full disk: %v\n", err)
	}
	return nil
}

// materials is how many seeds share their drops, and so the undisturbed run that all of them are
// compared with.
const materials = 10

// one is a run of one seed. An error is one of the test itself; differences go to the report.
func one(ctx context.Context, o options, seed uint64, model *embedder, calm map[uint64][]State, rep *report) error {
	m, err := o.material(seed / materials)
	if err != nil {
		return fmt.Errorf("make drops of seed %d: %w", seed, err)
	}
	want, ok := calm[m.Seed]
	if !ok {
		acts := o.acts()
		for i := range acts {
			acts[i].span = 0
		}
		out, err := playRun(ctx, o, m, acts, nil, model, nil, seed)
		if err != nil {
			return fmt.Errorf("undisturbed run of seed %d: %w", seed, err)
		}
		if wrong := out.allWrong(); len(wrong) > 0 {
			return fmt.Errorf("undisturbed run of seed %d: %s", seed, wrong)
		}
		want = out.states
		calm[m.Seed] = want
		if err := rep.calm(m, out); err != nil {
			return err
		}
	}
	out, err := playRun(ctx, o, m, o.disturbed(seed), clockSkews(seed, o), model, want, seed)
	var stuck *stuckError
	if err != nil && !errors.As(err, &stuck) {
		return fmt.Errorf("run of seed %d: %w", seed, err)
	}
	return errors.Join(rep.run(seed, want, out, stuck), ctx.Err())
}

func (o options) material(seed uint64) (Material, error) {
	if o.scenario == "redelivery" {
		return oneDrop(seed)
	}
	return newMaterial(o.root, seed, o.short)
}

func (o options) kinds() []kind {
	switch o.scenario {
	case "cluster":
		return clusterKinds()
	case "redelivery":
		return []kind{{"worker: kill -9 at a write of a shard", 1, killAtShard}}
	default:
		return mixedKinds(o)
	}
}
