package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/tools/internal/cluster"
)

// writes counts how often workers wrote each object, as the S3 server saw it.
type writes struct {
	mu  sync.Mutex
	of  map[string]int // key → successful writes
	all int
}

func newWrites() *writes { return &writes{of: map[string]int{}} }

// saw is told of each answer of the server.
func (w *writes) saw(r *http.Request, status int) {
	if r.Method != http.MethodPut || status != http.StatusOK {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of[strings.TrimPrefix(r.URL.Path, "/"+cluster.Bucket+"/")]++
	w.all++
}

// Cost is what was done more than once.
type Cost struct {
	Shards int
	// Redelivered counts messages that came again, by stage: after a fault, or because they waited.
	Redelivered map[string]int
	// Packs and Candidates count objects of shards that were written again; Tasks messages that
	// asked for a shard again.
	Packs, Candidates, Tasks int
}

func (c *Cost) add(o Cost) {
	if c.Redelivered == nil {
		c.Redelivered = map[string]int{}
	}
	c.Shards += o.Shards
	c.Packs += o.Packs
	c.Candidates += o.Candidates
	c.Tasks += o.Tasks
	for k, n := range o.Redelivered {
		c.Redelivered[k] += n
	}
}

// reckon adds up what the faults have cost.
func (r *run) reckon(ctx context.Context, s State) (Cost, error) {
	c := Cost{Shards: s.Shards, Redelivered: map[string]int{}}
	r.writes.mu.Lock()
	for key, n := range r.writes.of {
		switch {
		case !strings.Contains(key, "/imports/"):
		case path.Ext(key) == ".s2":
			if c.Packs += n - 1; n > 1 {
				r.say("written %d times: %s", n, key)
			}
		case strings.Contains(key, "/candidates/"):
			c.Candidates += n - 1
		}
	}
	r.writes.mu.Unlock()
	for name, stage := range map[string]string{
		dispatch.StreamTake: "take", dispatch.StreamIngest: "ingest", dispatch.StreamExtract: "extract", dispatch.StreamAssemble: "assemble",
	} {
		stream, err := r.js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue
		}
		if err != nil {
			return c, fmt.Errorf("look at stream %s: %w", name, err)
		}
		stored := int(stream.CachedInfo().State.LastSeq)
		r.say("%s: %d messages", name, stored)
		if name == dispatch.StreamExtract {
			c.Tasks = max(stored-s.Asked, 0)
		}
		delivered := 0
		consumers := stream.ListConsumers(ctx)
		for info := range consumers.Info() {
			delivered += int(info.Delivered.Consumer)
		}
		if err := consumers.Err(); err != nil {
			return c, fmt.Errorf("look at consumers of %s: %w", name, err)
		}
		c.Redelivered[stage] = max(delivered-stored, 0)
	}
	return c, nil
}
