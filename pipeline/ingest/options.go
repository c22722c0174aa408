package ingest

import (
	"context"
	"time"

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
	// Now is the clock that the consent in an input is held against; nil: no consent ends.
	Now func() time.Time
	// Workers is how many units are decoded at a time.
	Workers int
	// Memory is what the process aims to stay below, in bytes; 0: what its workers and limits need.
	Memory  int64
	Log     *zap.Logger
	Observe telemetry.Observe
	Metrics *telemetry.Metrics
	Tracer  trace.Tracer

	// Unchanged gives the accepted import of a drop if reading the drop would come to the same;
	// nil: every drop is read.
	Unchanged func(ctx context.Context, r Request) (state.Manifest, bool, error)
	// Admit is asked before a drop is read by these importers; nil admits all. Its error is that of
	// the ingest.
	Admit func(importers []string) error
	// Weigh is asked before anything of a drop is read, with what it unpacks to; nil takes all. Its
	// error is that of the ingest.
	Weigh func(unpacked int64) error
	// Finder gives the function that finds the candidates of an import in documents that are in
	// memory anyway, so that nobody has to read them again; nil, or a nil function: the shards wait
	// for their extraction. What the function fails at waits, too.
	Finder func(extractors []extract.Extractor, embeddings string) state.Find
	// ReuseFrom is the size of an archive, in bytes of what importers read, from which elements
	// that earlier imports have read are taken over; 0: what pays for looking for them. Below 0,
	// every element is decoded, and none is noted.
	ReuseFrom int64
	// Budget is the memory that all units of a process share; nil: each drop has its own.
	Budget *membudget.Budget
}

// Request is the drop to be read, and what it is read for.
type Request struct {
	Owner, Drop string
	// Importer pins an importer, by name or version; "" stands for the newest that recognizes the
	// drop.
	Importer string
	// Extractors are those of the import, by name; none: all.
	Extractors []string
	Lane       string
	// Stored tells that an earlier generation may have stored the archive: its copies are verified
	// before they are read.
	Stored bool
}

// units are the limits as importers take them.
func (o Options) units() providers.Limits {
	limits := o.Limits.UnitsIn(o.Scratch)
	if o.Now != nil {
		limits.Now = o.Now()
	}
	return limits
}
