package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/pamline/pamline/tools/internal/cluster"
	"github.com/pamline/pamline/tools/internal/fault"
)

// A moment is a write after which something is half done. Workers are killed right before or right
// after it.
type moment struct {
	stage, name string
	of          func(key string) bool
	shard       bool // there is one for each shard
}

func keyEnding(s string) func(string) bool {
	return func(key string) bool { return strings.HasSuffix(key, s) }
}

func keyHolding(s string) func(string) bool {
	return func(key string) bool { return strings.Contains(key, s) }
}

var moments = []moment{
	{"ingest", "drop record", keyEnding("/drop.json"), false},
	{"ingest", "record of what was taken", keyHolding("drops/"), false},
	{"ingest", "hint of a generation", keyHolding("work/open/"), false},
	{"ingest", "job record", keyHolding("/jobs/"), false},
	{"ingest", "crash mark", keyHolding("work/begun/"), false},
	{"ingest", "asset", keyHolding("/assets/"), false},
	{"ingest", "pack", keyEnding(".s2"), true},
	{"ingest", "list of a pack", keyEnding(".jsonl"), true},
	{"ingest", "manifest", keyEnding("/manifest.json"), false},
	{"extract", "result", keyHolding("/candidates/"), true},
	{"extract", "vectors", keyHolding("/vectors/"), true},
	{"extract", "failed object", keyHolding("failed/"), true},
	{"assemble", "conversation", keyHolding("/conversations/"), false},
	{"assemble", "export", keyHolding("/exports/"), false},
	{"assemble", "change", keyEnding(".change.json"), false},
	{"assemble", "input set", keyHolding("/inputs/"), false},
	{"assemble", "head", keyEnding("/head.json"), false},
	{"assemble", "copy of the store", keyEnding("/memory-store.json"), false},
	{"assemble", "receipt", keyHolding("/receipts/"), false},
	{"assemble", "end of a job", keyHolding("/jobs/"), false},
	{"assemble", "hint of a generation", keyHolding("work/open/"), false},
}

// killAtWrite kills all workers of a stage at a write, or at a removal of the same kind of object.
func killAtWrite(d *rand.Rand, _ layout) (string, action) {
	return killAt(d, moments[d.IntN(len(moments))], 1+d.IntN(4))
}

// killAtShard does so at a write of a single shard: what one redelivery costs.
func killAtShard(d *rand.Rand, _ layout) (string, action) {
	var ofShards []moment
	for _, m := range moments {
		if m.shard {
			ofShards = append(ofShards, m)
		}
	}
	return killAt(d, ofShards[d.IntN(len(ofShards))], 1+d.IntN(100))
}

// killAt kills at the nth such write from when the step is taken.
func killAt(d *rand.Rand, at moment, nth int) (string, action) {
	kind, away := fault.Before, drawDuration(d, 0, 300*time.Millisecond)
	if d.IntN(3) > 0 {
		kind = fault.After
	}
	return fmt.Sprintf("%s the %d. %s from now", kind, nth, at.name), func(ctx context.Context, r *run) (func() bool, error) {
		left := nth
		return r.cluster.Gateway.Proxy.Arm(fault.Fault{
			Kind: kind, Times: 1,
			Of: func(q *http.Request) bool { // asked by one at a time
				key := strings.TrimPrefix(q.URL.Path, "/"+cluster.Bucket+"/")
				if (q.Method == http.MethodPut || q.Method == http.MethodDelete) && at.of(key) {
					left--
				}
				return left <= 0
			},
			Then: func() { r.restart(ctx, at.stage, away) },
		}), nil
	}
}

// restart kills all workers of a stage at once and brings them back after a while.
func (r *run) restart(ctx context.Context, stage string, away time.Duration) {
	for _, w := range r.cluster.Workers {
		if w.Stage == stage {
			w.Kill()
		}
	}
	r.back.Go(func() {
		pauseFor(ctx, away)
		for _, w := range r.cluster.Workers {
			if w.Stage != stage {
				continue
			}
			if err := w.Start(); err != nil {
				r.note("start %s again: %v", w.Name, err)
			}
		}
	})
}
