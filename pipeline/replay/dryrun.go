package replay

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/receipt"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// Stages are the options of the stages of a dry run. Their stores are replaced.
type Stages struct {
	Ingest     ingest.Options
	Extraction extraction.Options
	Publish    publish.Options
}

// DryRun is what a job would come to.
type DryRun struct {
	// Report is the receipt, or the report of a refusal or a failure.
	Report state.Receipt
	// Before and After are the owner's heads; their exports are equal if nothing would be
	// published.
	Before, After state.Head

	owner string
}

// RunDry takes a job through the stages, without a queue, over a store that is an Overlay. Models
// are not called: their cost is estimated, and recorded answers are used. What fails is not tried
// again, and enters the report; only an outage is an error.
func RunDry(ctx context.Context, over blob.Store, st Stages, ref job.Ref, w job.Want) (DryRun, error) {
	over = objects.ClassedStore{Store: over}
	st.Ingest.Store, st.Extraction.Store, st.Publish.Store = over, over, over
	st.Extraction.Estimate = true
	r := &inline{Stages: st, store: over, ref: ref}
	r.jobs = job.New(over, job.Options{NewID: func() string { return "dry" + strconv.FormatInt(r.marks.Add(1), 10) }})
	out := DryRun{owner: ref.Owner}
	head, _, err := state.ReadHead(ctx, over, ref.Owner)
	if err != nil {
		return out, err
	}
	asked, err := r.jobs.Ask(ctx, ref, w)
	if err != nil {
		return out, err
	}
	if err := r.finish(ctx); err != nil {
		return out, fmt.Errorf("dry run of drop %s: %w", ref.Drop, err)
	}
	after, _, err := state.ReadHead(ctx, over, ref.Owner)
	if err != nil {
		return out, err
	}
	out.Before, out.After = head, after
	out.Report, err = status.NewCatalog(over).Report(ctx, ref, asked.Gen)
	return out, err
}

// Forget removes the export before the dry run from the overlay, after it was compared: else an
// owner with many drops would leave as many stores in the scratch folder.
func (d DryRun) Forget(ctx context.Context, over blob.Store) error {
	if d.Before.ExportID == d.After.ExportID || d.Before.ExportID == "" {
		return nil
	}
	for _, suffix := range []string{".json", ".fold.zst", ".embeddings.json", ".change.json"} {
		if err := over.Delete(ctx, state.ExportKey(d.owner, d.Before.ExportID, suffix)); err != nil {
			return fmt.Errorf("forget export of the dry run: %w", err)
		}
	}
	return nil
}

// inline does the tasks of one job in this goroutine and a few others, without a queue.
type inline struct {
	Stages
	store blob.Store
	jobs  *job.Jobs
	ref   job.Ref
	marks atomic.Int64
}

// finish does tasks until the job needs none.
func (r *inline) finish(ctx context.Context) error {
	for {
		tasks, err := r.jobs.Next(ctx, r.ref)
		if err != nil || len(tasks) == 0 {
			return err
		}
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(max(1, r.Extraction.Workers))
		for _, t := range tasks {
			g.Go(func() error { return r.do(gctx, t) })
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
}

// do does one task. What fails leaves a dead letter.
func (r *inline) do(ctx context.Context, t job.Task) error {
	o, err := r.jobs.Open(ctx, t)
	if errors.Is(err, job.ErrStale) {
		return nil
	}
	if err != nil {
		return err
	}
	err = fault.Recovered("do "+string(t.Kind), func() error {
		switch t.Kind {
		case job.Ingest:
			return r.ingest(ctx, o)
		case job.Extract:
			return r.extract(ctx, t)
		case job.Assemble:
			return r.assemble(ctx, o)
		}
		return fmt.Errorf("do %v: there is no such stage", t)
	})
	if err == nil || ctx.Err() != nil || fault.Of(err) == fault.Outage {
		return err
	}
	if err := r.jobs.Fail(ctx, t, job.FailureOf(err, 1)); err != nil || t.Kind != job.Assemble {
		return err
	}
	return r.assemble(ctx, o) // the failed generation enters the input set
}

func (r *inline) ingest(ctx context.Context, o job.Opened) error {
	want := o.Record.Want
	m, err := ingest.Ingest(ctx, r.Ingest, ingest.Request{Owner: o.Owner, Drop: o.Drop, Importer: want.Importer, Extractors: want.Extractors, Lane: want.Lane, Stored: true},
		func(state.Manifest, state.Shard, bool) error { return nil })
	if err != nil {
		return err
	}
	body, err := ingest.EncodeManifest(m)
	if err != nil {
		return err
	}
	_, err = r.jobs.Decide(ctx, o.Task, m.Import, body)
	return err
}

func (r *inline) extract(ctx context.Context, t job.Task) error {
	h, complete, err := extraction.ExtractShard(ctx, r.Extraction, extraction.Task{Owner: t.Owner, Import: t.Import, Shard: t.Shard, Pack: t.Pack, Gen: t.Gen})
	if err == nil && !complete {
		err = fault.Permanentf(h.Hint, "%s", h.Trouble)
	}
	return err
}

func (r *inline) assemble(ctx context.Context, o job.Opened) error {
	var change state.StoreChange
	decisions, err := r.jobs.Accept(ctx, o.Owner, []job.Opened{o}, func(ctx context.Context, round job.Round) (next state.Head, err error) {
		p := publish.Round{Owner: round.Owner, Prior: round.Prior, Before: round.Before, Inputs: round.Inputs, Digest: round.Digest}
		for _, a := range round.Accepted {
			if id := round.Inputs.Drops[a.Drop].Import; id != "" {
				p.Accepted = append(p.Accepted, id)
			}
		}
		next, change, err = publish.Compute(ctx, r.Publish, p)
		return next, err
	})
	if err != nil {
		return err
	}
	for _, d := range decisions {
		err := r.jobs.End(ctx, d, func(ctx context.Context, d job.Decision) ([]byte, error) {
			made, err := receipt.Maker{Store: r.store, Parallel: r.Extraction.Workers}.Accepted(ctx, d, change.Of(d.Entry.Import))
			if err != nil {
				return nil, err
			}
			return objects.EncodeSealed(state.ReceiptKey(d.Owner, d.Drop, d.Gen), made)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
