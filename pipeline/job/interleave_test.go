package job_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/statetest"
)

// scenarios are searched in each order of the calls of their processes, or in each order with a
// bounded number of switches between processes that could go on. what names the rules that the
// scenario defends: without such a rule its search fails.
var scenarios = []struct {
	name     string
	what     string
	switches int // negative: every order
	scenario
}{
	{"a drop", "late handlers stop, settled units need no work", -1,
		scenario{asks: []ask{{0, "x"}}, shards: one("c"), workers: 2}},
	{"a drop and its redrive", "hint before record; receipt before end; no hint ahead of its job is removed", 2,
		scenario{asks: []ask{{0, "x"}, {0, "redrive"}}, shards: one("c"), workers: 1, sweeper: true}},
	{"a drop that may be refused", "failed object before refusal, one of decision and refusal wins", 3,
		scenario{asks: []ask{{0, "x"}}, shards: one("c"), workers: 2, ingestFail: true}},
	{"a shard that may fail, and a redrive", "no sharing after failures; letters are what the store lacks, and stay", 3,
		scenario{asks: []ask{{0, "x"}, {0, "redrive"}}, shards: one("cf", "c"), workers: 1}},
	{"another import and back", "a generation enters even if the store says nothing new", -1,
		scenario{asks: []ask{{0, "y"}, {0, "x"}}, shards: both("c"), workers: 1, start: "whole"}},
	{"a partial result and a redrive", "only the failed object settles, after the partial result", 3,
		scenario{asks: []ask{{0, "x"}, {0, "redrive"}}, shards: one("cfp"), workers: 1}},
	{"two redrives of a partial result", "the newest partial result of any generation stands for a shard", 1,
		scenario{asks: []ask{{0, "x"}, {0, "redrive"}, {0, "redrive"}}, shards: one("cp"), workers: 1}},
	{"ingest and assembly may fail", "a failed assembly goes through the head, too", 3,
		scenario{asks: []ask{{0, "x"}, {0, "redrive"}}, shards: one("c"), workers: 1, ingestFail: true, asmFail: true}},
	{"two assemblers, one fails", "the head decides which of two outcomes counts", 2,
		scenario{asks: []ask{{0, "x"}}, shards: one(), workers: 2, asmFail: true}},
	{"replacements that may be refused", "one of decision and refusal wins, with an older import in the store", 4,
		scenario{asks: []ask{{0, "y"}, {0, "x"}}, shards: both("c"), workers: 1, ingestFail: true, start: "whole"}},
	{"workers of two versions", "the record tells the import, not the want", 2,
		scenario{asks: []ask{{0, "x"}}, shards: both("c"), workers: 2, mixed: true}},
	{"two drops of an owner", "each generation of a batch is checked by itself", 3,
		scenario{asks: []ask{{0, "x"}, {1, "x"}}, shards: one("cf"), workers: 1}},
	{"two drops, assemblies may fail", "what fails together is tried alone", 1,
		scenario{asks: []ask{{0, "x"}, {1, "x"}}, shards: one(), workers: 2, asmFail: true}},
	{"other bytes each time", "results are written once", 2,
		scenario{asks: []ask{{0, "x"}}, shards: one("cf"), workers: 2, values: 2}},
	{"an erasure", "the entry of an erased drop stays in the input set", 1,
		scenario{asks: []ask{{0, "x"}, {0, "erase"}}, shards: one("c"), workers: 2}},
	{"an erasure of what the store has", "past imports and short shards leave with the drop", 3,
		scenario{asks: []ask{{0, "y"}, {0, "erase"}}, shards: both("c"), workers: 1, start: "whole"}},
	{"three workers", "a lost swap reads head and results again, and finds decided generations", 1,
		scenario{asks: []ask{{0, "x"}, {0, "redrive"}}, shards: one("cf"), workers: 3}},
	{"two workers and a redrive", "the same, with partial results", 1,
		scenario{asks: []ask{{0, "x"}, {0, "redrive"}}, shards: one("cp"), workers: 2}},
	{"a late complete result", "a worker that completes what the ended job lacks asks again", 2,
		scenario{asks: []ask{{0, "x"}}, shards: one("cf"), workers: 2, late: true}},
	{"an incomplete replay", "an incomplete import does not replace a whole one", 2,
		scenario{asks: []ask{{0, "y"}, {0, "redrive"}}, shards: map[string][]string{"x": {"c"}, "y": {"cf", "c"}}, workers: 1, start: "whole"}},
	{"a prune and imports", "a file that a publisher has found is not removed before its head", 2,
		scenario{asks: []ask{{0, "y"}, {0, "x"}}, shards: both("c"), workers: 1, start: "whole", pruners: 1}},
	{"a prune and an erasure", "assemblies without an ingest wait for a prune, too", 2,
		scenario{asks: []ask{{1, "x"}, {1, "erase"}}, shards: one("c"), workers: 1, start: "whole", pruners: 1}},
	{"a prune and two assemblers", "who began before a prune loses the swap, who begins after it waits", 1,
		scenario{asks: []ask{{0, "y"}, {0, "x"}}, shards: both("c"), workers: 2, start: "whole", pruners: 1}},
	{"two prunes and an import", "one prune holds the mark, and frees nobody else's", 2,
		scenario{asks: []ask{{0, "y"}}, shards: both("c"), workers: 1, start: "whole", pruners: 2}},
	{"edits and a drop", "edits that were asked for are never left out", 1,
		scenario{asks: []ask{{2, "edits:a"}, {2, "edits:ab"}, {0, "x"}}, shards: one(), workers: 1}},
}

func one(results ...string) map[string][]string { return map[string][]string{"x": results} }

func both(results ...string) map[string][]string {
	return map[string][]string{"x": results, "y": results}
}

func (sc *scenario) exploration(t testing.TB, switches int) statetest.Exploration {
	actors := map[string]statetest.Actor{}
	for i, a := range sc.asks {
		actors[fmt.Sprintf("asker %d", i)] = sc.asker(a)
	}
	cache := map[uint64][][]job.Task{}
	offered := func(s *statetest.Store) [][]job.Task {
		got, ok := cache[s.Sum()]
		if !ok {
			got = sc.offered(s)
			cache[s.Sum()] = got
		}
		return got
	}
	for i := range sc.workers {
		actors[fmt.Sprintf("worker %d", i)] = sc.worker(offered)
	}
	if sc.sweeper {
		actors["sweeper"] = sweep
	}
	for i := range sc.pruners {
		actors[fmt.Sprintf("pruner %d", i)] = pruner(fmt.Sprint("prune ", i))
	}
	return statetest.Exploration{Start: sc.begun(t), Actors: actors, Switches: switches, Check: newOracle(sc).check}
}

// deeper makes a search as deep as there is time for.
var deeper = flag.Int("deeper", 0, "more switches between processes in each search")

// depth is the number of switches that a search may make.
func depth(switches int) int {
	if switches < 0 {
		return switches
	}
	return switches + *deeper
}

func TestPromisesHoldInEveryOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: a search runs one process at a time, which the detector sees nothing of")
	}
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			stats, err := s.exploration(t, depth(s.switches)).Explore()
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %+v", s.what, stats)
		})
	}
}

// TestPromisesHoldInLongRunsWithKills draws orders at random, of more processes and generations
// than can be searched.
func TestPromisesHoldInLongRunsWithKills(t *testing.T) {
	sc := scenario{shards: both("cfp", "cf", "cp", "c", "cfp"), ingestFail: true, asmFail: true, mixed: true, values: 2, late: true, sweeper: true, workers: 4,
		asks: []ask{{0, "x"}, {0, "redrive"}, {0, "y"}, {1, "x"}, {1, "redrive"}, {0, "erase"}, {0, "x"}, {2, "edits:a"}, {2, "redrive"}, {1, "y"}}}
	seeds := uint64(12)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		if err := sc.exploration(t, -1).Walk(rand.New(rand.NewPCG(seed, 1)), 600, 25); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}
