package extraction

import (
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/membudget"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Options is what the extraction of shards needs.
type Options struct {
	Store blob.Store
	// Extractors are the known ones by name; the list of a pack names those of its import.
	Extractors *extract.Registry
	// Embed makes vectors of memories; nil: there are none.
	Embed Embedder
	// Estimate adds up what asking services would take, and asks none. Recorded answers are read.
	Estimate bool
	Limits   state.Limits
	// Workers is how many documents are read at a time.
	Workers int
	// Memory is what the process aims to stay below, in bytes; 0: what its workers and limits need.
	Memory  int64
	Log     *zap.Logger
	Metrics *telemetry.Metrics
	Tracer  trace.Tracer

	// Admit is asked before a shard of a drop is extracted that these importers have read; nil
	// admits all. Its error is that of the extraction.
	Admit func(importers []string) error
	// Budget is the memory that all documents of a process share; nil: each shard has its own.
	Budget *membudget.Budget
}
