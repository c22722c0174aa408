package pipeline

import (
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/providers"
)

// Deps is what the stages need. Clock and id source come in here; nothing below reads the time or draws a random number.
type Deps struct {
	Store    blob.Store
	Registry *providers.Registry
	// Extractors are the known ones by name; a request selects from them.
	Extractors *extract.Registry
	// Embed makes vectors of memories; nil: there are none.
	Embed Embedder
	// Estimate reckons what asking services would take, and asks none: what they have answered before is read.
	Estimate bool
	Log      *zap.Logger
	Now      func() time.Time
	NewID    func() string // UUID v4
	// Scratch is a folder for temporary files.
	Scratch string
	// Workers is how many units one stage works on at a time in this process.
	Workers int
	Limits  Limits
	// Memory is what the process aims to stay below, in bytes; 0: [MemoryFor] its workers and limits.
	Memory int64
	// Name tells this process from others in the progress of imports; it may be "".
	Name    string
	Observe Observe
	Metrics *Metrics
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
	budget *budget
}

// Breaker says when the units of one stage, owner and importer wait because those before them failed.
type Breaker struct {
	Failures int           // in a row; 0: never
	Pause    time.Duration // before one is tried; it doubles as long as that one fails
}

// Inbox says how drops lie in the store's inbox.
type Inbox struct {
	// Owner is that of what lies in the inbox itself; "": such drops are refused.
	Owner string
	// Quiet is how long nothing in a folder without a marker must have changed.
	Quiet time.Duration
	// Parts is how many files a folder may have; 0: DefaultParts.
	Parts int
	// Scan is how often the inbox, and what has not ended, are looked through; 0: DefaultScan.
	Scan time.Duration
	// Bucket is the name that notifications give the store, and Prefix what keys there begin with; "" for a folder.
	Bucket, Prefix string
}

// Limits bound what a unit may take; sizes in bytes.
type Limits struct {
	Archive         archive.Limits
	MaxConversation int64
	MaxDepth        int
	Sidecar         int64
	// MaxAsset is the largest file that is copied; 0 is DefaultMaxAsset.
	MaxAsset   int64
	ShardBytes int64
	ShardItems int
	// OwnerSmall is how many imports of one owner wait in the small lane.
	OwnerSmall int
	// SortBudget is the memory of one external sort.
	SortBudget int64
}

// units are the limits that decide what a unit becomes.
func (l Limits) units() providers.Limits {
	return providers.Limits{MaxConversation: l.MaxConversation, MaxDepth: l.MaxDepth, MaxSidecar: l.Sidecar}.WithDefaults()
}

// shared is the budget of the process.
func (d Deps) shared() *budget {
	if d.budget != nil {
		return d.budget
	}
	return newBudget(d.Workers, d.Memory, d.Limits.units().MaxConversation)
}

// units are the limits as importers take them, with a folder for their scratch files.
func (d Deps) units() providers.Limits {
	l := d.Limits.units()
	l.Scratch = d.Scratch
	return l
}

// selected gives the extractors a request names; none named: all.
func (d Deps) selected(names []string) ([]extract.Extractor, error) {
	list, err := d.Extractors.Select(names...)
	var unknown *extract.UnknownError
	if errors.As(err, &unknown) {
		return nil, &Fault{Class: Permanent, Err: err, Hint: "`pamline version` lists the extractors"}
	}
	return list, err
}

func extractorVersions(list []extract.Extractor) []string {
	var out []string
	for _, e := range list {
		out = append(out, e.Version())
	}
	return out
}

// check tells what is missing.
func (d Deps) check() error {
	switch {
	case d.Store == nil, d.Registry == nil, d.Extractors == nil, d.Log == nil, d.Now == nil, d.NewID == nil:
		return fmt.Errorf("start pipeline: store, importers, extractors, log, clock and id source must be given")
	case d.Workers < 1, d.Limits.ShardBytes < 1, d.Limits.ShardItems < 1, d.Limits.MaxConversation < 1:
		return fmt.Errorf("start pipeline: workers, shard size and conversation limit must be positive")
	}
	return nil
}
