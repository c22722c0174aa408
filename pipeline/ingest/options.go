package ingest

import (
	"context"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/membudget"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers"
)

// Options is what the reading of drops needs.
type Options struct {
	Store    blob.Store
	Registry *providers.Registry
	// Extractors are the known ones by name; a request selects from them.
	Extractors *extract.Registry
	// Embeddings is the identity of the vectors of the import's memories; "" for none.
	Embeddings string
	Limits     state.Limits
	// Scratch is a folder for temporary files.
	Scratch string
	// Workers is how many units are decoded at a time.
	Workers int
	// Memory is what the process aims to stay below, in bytes; 0: [MemoryFor] its workers and limits.
	Memory  int64
	Log     *zap.Logger
	Observe telemetry.Observe
	Metrics *telemetry.Metrics
	Tracer  trace.Tracer

	// Unchanged tells whether reading a drop would come to the result that the store has, and gives that; nil: every drop is read.
	Unchanged func(ctx context.Context, r state.Request) (state.Manifest, bool, error)
	// Read is called when a drop has been read to its end, before the manifest is written; nil: never.
	Read func(ctx context.Context, m state.Manifest, r state.Request) error
	// Admit is asked before a drop is read by these importers; nil admits all. Its error is that of the ingest.
	Admit func(importers []string) error
	// Weigh is asked before anything of a drop is read, with what it unpacks to; nil takes all. Its error is that of the ingest.
	Weigh func(unpacked int64) error
	// Fresh is called before the first shard is published when nothing of the import was there before; nil: never.
	Fresh func()
	// Budget is the memory that all units of a process share; nil: each drop has its own.
	Budget *membudget.Budget
}

// noteImport reports that a drop was read to its end.
func (d Options) noteImport(ctx context.Context, m state.Manifest, r state.Request) error {
	if d.Read == nil {
		return nil
	}
	return d.Read(ctx, m, r)
}
