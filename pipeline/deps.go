package pipeline

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/membudget"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers"
)

// Deps is what the stages need. Clock and id source come in here; nothing below reads the time or draws a random number.
type Deps struct {
	Store    blob.Store
	Registry *providers.Registry
	// Extractors are the known ones by name; a request selects from them.
	Extractors *extract.Registry
	// Embed makes vectors of memories; nil: there are none.
	Embed extraction.Embedder
	// Estimate reckons what asking services would take, and asks none: what they have answered before is read.
	Estimate bool
	Log      *zap.Logger
	Now      func() time.Time
	NewID    func() string // UUID v4
	// Scratch is a folder for temporary files.
	Scratch string
	// Workers is how many units one stage works on at a time in this process.
	Workers int
	Limits  state.Limits
	// Memory is what the process aims to stay below, in bytes; 0: [MemoryFor] its workers and limits.
	Memory int64
	// Name tells this process from others in the progress of imports; it may be "".
	Name    string
	Observe telemetry.Observe
	Metrics *telemetry.Metrics
	// Tracer makes the spans of the work; nil: there are none.
	Tracer   trace.Tracer
	Attempts int
	Backoff  Backoff
	// Drain is how long units in hand may go on after the worker was told to stop.
	Drain time.Duration
	// AckWait is that of the consumers ([Topology]); 0: DefaultAckWait.
	AckWait time.Duration
	// Wary: the process before this one, with the same store and a broker of its own, was killed. Then first deliveries may be of
	// units that killed it, and are treated like those that come again.
	Wary    bool
	Breaker Breaker
	Inbox   Inbox

	// admit is asked before a drop is read by these importers; nil admits all. Its error is that of the ingest.
	admit func(importers []string) error
	// weigh is asked before anything of a drop is read, with what it unpacks to; nil takes all. Its error is that of the ingest.
	weigh func(unpacked int64) error
	// fresh is told, before the first shard is published, that nothing of the import was there before; nil: nobody is.
	fresh func()
	// budget is the memory that all units of a process share; nil: each drop and each shard has its own.
	budget *membudget.Budget
}

// check tells what is missing.
func (d Deps) Check() error {
	switch {
	case d.Store == nil, d.Registry == nil, d.Extractors == nil, d.Log == nil, d.Now == nil, d.NewID == nil:
		return fmt.Errorf("start pipeline: store, importers, extractors, log, clock and id source must be given")
	case d.Workers < 1, d.Limits.ShardBytes < 1, d.Limits.ShardItems < 1, d.Limits.MaxConversation < 1:
		return fmt.Errorf("start pipeline: workers, shard size and conversation limit must be positive")
	}
	return nil
}

// extraction are the options of the extraction of shards.
func (d Deps) extraction() extraction.Options {
	return extraction.Options{Store: d.Store, Extractors: d.Extractors, Embed: d.Embed, Estimate: d.Estimate, Limits: d.Limits,
		Workers: d.Workers, Memory: d.Memory, Log: d.Log, Metrics: d.Metrics, Tracer: d.Tracer, Budget: d.budget}
}

// ingest are the options of the reading of drops.
func (d Deps) ingest() ingest.Options {
	o := ingest.Options{
		Store: d.Store, Registry: d.Registry, Extractors: d.Extractors, Limits: d.Limits, Scratch: d.Scratch, Workers: d.Workers, Memory: d.Memory,
		Log: d.Log, Observe: d.Observe, Metrics: d.Metrics, Tracer: d.Tracer, Admit: d.admit, Weigh: d.weigh, Fresh: d.fresh, Budget: d.budget,
	}
	if d.Embed != nil {
		o.Embeddings = d.Embed.Identity()
	}
	o.Read = func(ctx context.Context, m state.Manifest, r state.Request) error {
		return noteImport(ctx, d.Store, m, r.Ask)
	}
	o.Unchanged = func(ctx context.Context, r state.Request) (state.Manifest, bool, error) {
		return new(Notice).unchanged(ctx, d, r)
	}
	return o
}

// publication are the options of the computation and publication of stores.
func (d Deps) publication() publish.Options {
	return publish.Options{Store: d.Store, Log: d.Log, Now: d.Now, NewID: d.NewID, Scratch: d.Scratch, Workers: d.Workers,
		SortBudget: d.Limits.SortBudget, Observe: d.Observe, Metrics: d.Metrics, Tracer: d.Tracer}
}
