package publish

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/pipeline/membudget"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// IOOverlap is how many conversations are read and written for each worker at a time: most of that
// is waiting for storage.
const IOOverlap = 2

// Round is one try to change the store of an owner.
type Round struct {
	Owner  string
	Prior  state.Head   // zero: the owner has no store yet
	Before state.Inputs // the input set of Prior
	Inputs state.Inputs // the input set whose store is computed; Compute completes its contents
	Digest string       // of Inputs, before the contents are completed
	// Accepted are the imports that Inputs has and Before has not, or has another generation of.
	Accepted []string
}

// Compute computes the store of a round's input set. If the store says anything new, Compute
// publishes it: the export, its figures (ReadChange), and all files that it names are durable when
// Compute returns. It swaps nothing: the caller sets Sequence and Inputs of the next head. Two
// computations of one input set publish the same bytes under the same export id, also after a
// crash. Every object that the input set names is verified against the contents of the set; the set
// gets the digests that it lacks.
func Compute(ctx context.Context, o Options, r Round) (next state.Head, change state.StoreChange, err error) {
	cache, err := openCache(ctx, o, r.Owner, r.Inputs)
	if err != nil {
		return r.Prior, change, err
	}
	defer cache.Close()
	o.Store = cache
	in, err := openInputs(ctx, o, r)
	if err != nil {
		return r.Prior, change, err
	}
	res, err := in.assemble(ctx, in, r.Accepted)
	if err != nil {
		return r.Prior, change, err
	}
	defer closeResult(o, res)
	if err := cache.save(ctx, r.Before.HasDropped(r.Inputs)); err != nil {
		return r.Prior, change, err
	}
	change = state.StoreChange{
		ExportID: r.Prior.ExportID, Memories: res.Memories.Count, Conversations: res.Index.Count,
		Stats: &res.Stats, PerImport: res.Imports,
	}
	asSet, err := o.isAsSet(r.Owner, r.Prior)
	if err != nil {
		return r.Prior, change, err
	}
	if isContentOf(r.Prior, res) && asSet {
		return r.Prior, change, nil
	}
	err = telemetry.RunStep(ctx, o.Tracer, "publish export", func(ctx context.Context) (err error) {
		if next, err = o.putExport(ctx, r, res); err == nil {
			change, err = o.putChange(ctx, r, next, change)
		}
		return err
	})
	return next, change, err
}

// assemble runs the assembler over the input set.
func (in *inputs) assemble(ctx context.Context, out assemble.Output, accepted []string) (*assemble.Result, error) {
	ctx, assembled := telemetry.StartSpan(ctx, in.Tracer, "assemble store")
	res, err := assemble.Assemble(ctx, in, out, assemble.Options{
		Scratch: in.Scratch, Budget: in.SortBudget, Workers: IOOverlap * in.Workers, BatchBytes: 2 << 20,
		InFlight: int64(in.Workers) * membudget.InFlight, Imports: accepted,
	})
	assembled(err)
	if err != nil {
		return nil, fmt.Errorf("assemble store of %s: %w", in.owner, err)
	}
	return res, nil
}

func closeResult(o Options, res *assemble.Result) {
	if err := res.Close(); err != nil {
		o.Log.Warn("remove scratch files failed", zap.Error(err))
	}
}

// isContentOf tells whether a head says the same already.
func isContentOf(h state.Head, res *assemble.Result) bool {
	return h.ExportID != "" && res.SameAs(contentOf(h))
}

func contentOf(h state.Head) assemble.Digests {
	return assemble.Digests{Memories: h.Memories, Relations: h.Relations, Index: h.Index, Embeddings: h.Embeddings}
}
