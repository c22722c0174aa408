package pipeline

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/inbox"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/pipeline/work"
	"github.com/pamline/pamline/providers"
)

// Options of a pipeline: the store, and what each part of the pipeline needs from outside. The
// clock and the source of ids come in here; nothing below reads the time or draws a random number.
type Options struct {
	Store blob.Store
	Now   func() time.Time
	NewID func() string // UUID v4

	// KeyOf gives the key that signs what is published for an owner, the zero key for none; nil:
	// nothing is signed.
	KeyOf func(owner string) (keys.Private, error)
	// RenewKey destroys the data keys of an owner who is erased, if the store is encrypted; nil if
	// it is not.
	RenewKey func(ctx context.Context, owner string) (renewed bool, err error)
	// Outside reaches what an erasure has to reach outside of the store, as in erase.Options; nil
	// for nothing.
	Outside func(ctx context.Context, owner string, all bool) error
	// Versions gives the store that keeps earlier versions of objects, which an erasure removes.
	Versions func() blob.Versioned
	// Formats are the formats, beside PAM, in which stores are published.
	Formats []publish.Format
	// IdentityOf gives what published stores say of their owner beside the id; nil: nothing.
	IdentityOf func(owner string) state.Identity

	Reading   Reading
	Resources Resources
	Retry     Retry
	Reports   Reports

	Scrub    Scrub
	Prune    Prune
	Inbox    inbox.Rules
	Topology dispatch.TopologyOptions
	// Scan is how often open generations without messages are looked for, and with ScanInbox the
	// inbox of the store is listed. 0 means one minute.
	Scan      time.Duration
	ScanInbox bool
}

// Reading says by whom and within which limits drops are read.
type Reading struct {
	Registry *providers.Registry
	// Extractors are the known ones by name; a request selects from them.
	Extractors *extract.Registry
	// Embed makes vectors of memories; nil: there are none.
	Embed extraction.Embedder
	// Estimate asks no service, and estimates what asking would take.
	Estimate bool
	Limits   state.Limits
}

// Resources bound what this process uses.
type Resources struct {
	// Scratch is a folder for temporary files.
	Scratch string
	// Workers is how many tasks of a stage run at a time.
	Workers int
	// Memory is what the process aims to stay below, in bytes; 0: what its workers and limits need.
	Memory int64
}

// Retry says what happens after failures.
type Retry struct {
	// Attempts is how often a task is tried.
	Attempts int
	Backoff  queue.Backoff
	Breaker  work.Breaker
	// Drain is how long tasks in hand may go on after the process was told to stop.
	Drain time.Duration
	// Patience is how many outages [Pipeline.Wait] waits through; 0: any number.
	Patience int
	// Wary: the process that used the store before was killed, so any task may be the reason.
	Wary bool
	// Unguarded: work that is asked for again after a kill gets no crash marks. A person watches
	// the process, and may kill it as often as they like.
	Unguarded bool
}

// Reports are where the pipeline reports to.
type Reports struct {
	Log     *zap.Logger
	Observe telemetry.Observe
	Metrics *telemetry.Metrics
	// Tracer makes the spans of the work; nil: there are none.
	Tracer trace.Tracer
	// Name tells this process from others in the progress of imports.
	Name string
}

// check returns what is missing.
func (o Options) check() error {
	switch {
	case o.Store == nil, o.Reading.Registry == nil, o.Reading.Extractors == nil, o.Reports.Log == nil, o.Now == nil, o.NewID == nil:
		return errors.New("open pipeline: store, importers, extractors, log, clock and id source must be given")
	case o.Resources.Workers < 1, o.Reading.Limits.ShardBytes < 1, o.Reading.Limits.ShardItems < 1, o.Reading.Limits.MaxConversation < 1:
		return errors.New("open pipeline: workers, shard size and conversation limit must be positive")
	}
	return nil
}

// ingest returns the options of the reading of drops.
func (o Options) ingest() ingest.Options {
	i := ingest.Options{
		Store: o.Store, Registry: o.Reading.Registry, Extractors: o.Reading.Extractors, Limits: o.Reading.Limits,
		Scratch: o.Resources.Scratch, Now: o.Now, Workers: o.Resources.Workers, Memory: o.Resources.Memory,
		Log: o.Reports.Log, Observe: o.Reports.Observe, Metrics: o.Reports.Metrics, Tracer: o.Reports.Tracer,
	}
	if o.Reading.Embed != nil {
		i.Embeddings = o.Reading.Embed.Identity()
	}
	return i
}

// extraction returns the options of the extraction of shards.
func (o Options) extraction() extraction.Options {
	return extraction.Options{
		Store: o.Store, Extractors: o.Reading.Extractors, Embed: o.Reading.Embed, Estimate: o.Reading.Estimate, Limits: o.Reading.Limits,
		Workers: o.Resources.Workers, Memory: o.Resources.Memory, Log: o.Reports.Log, Metrics: o.Reports.Metrics, Tracer: o.Reports.Tracer,
	}
}

// publish returns the options of the computation of stores.
func (o Options) publish() publish.Options {
	return publish.Options{
		Store: o.Store, Log: o.Reports.Log, Now: o.Now, NewID: o.NewID, Scratch: o.Resources.Scratch, Workers: o.Resources.Workers,
		KeyOf: o.KeyOf, IdentityOf: o.IdentityOf, Formats: o.Formats, SortBudget: o.Reading.Limits.SortBudget, Observe: o.Reports.Observe, Metrics: o.Reports.Metrics, Tracer: o.Reports.Tracer,
	}
}

// inbox returns the options of the inbox.
func (o Options) inbox() inbox.Options {
	return inbox.Options{
		Rules: o.Inbox, Store: o.Store, Registry: o.Reading.Registry, Extractors: o.Reading.Extractors,
		Parallel: publish.IOOverlap * o.Resources.Workers, Attempts: o.Retry.Attempts, Backoff: o.Retry.Backoff,
		Log: o.Reports.Log, Tracer: o.Reports.Tracer, Metrics: o.Reports.Metrics, Now: o.Now,
	}
}

// queue returns the options of the queue.
func (o Options) queue() queue.Options {
	return queue.Options{Log: o.Reports.Log, Tracer: o.Reports.Tracer, Backoff: o.Retry.Backoff, Drain: o.Retry.Drain}
}
