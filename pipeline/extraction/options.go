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
	// Extractors are the known ones by name; a task selects from them.
	Extractors *extract.Registry
	// Embed makes vectors of memories; nil: there are none.
	Embed Embedder
	// Estimate adds up what asking services would take, and asks none: recorded answers are read.
	Estimate bool
	Limits   state.Limits
	// Workers is how many documents are read at a time.
	Workers int
	// Memory is what the process aims to stay below, in bytes; 0: [MemoryFor] its workers and limits.
	Memory  int64
	Log     *zap.Logger
	Metrics *telemetry.Metrics
	Tracer  trace.Tracer

	// Budget is the memory that all units of a process share; nil: each shard has its own.
	Budget *membudget.Budget
}
