package extraction

import (
	"context"
	"fmt"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/membudget"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Task names one shard in a generation of a job.
type Task struct {
	Owner, Import, Shard string
	// Pack is the number of the shard's pack; Gen is the generation that a partial result is of.
	Pack, Gen int
}

// ExtractShard reads the snapshots and records of a shard and writes their candidates, once. The
// answers of services are recorded before. If services have answered everything, the result is
// complete, for all generations; else it is the partial result of the task's generation, and the
// caller fails the shard. If the result exists already, the stored one counts and its header is
// returned.
func ExtractShard(ctx context.Context, o Options, t Task) (h state.ResultHeader, complete bool, err error) {
	x, err := o.extract(ctx, t)
	if err != nil {
		return h, false, err
	}
	x.header.Candidates, x.header.Counts = x.found.Count, x.found.Counts
	complete = x.header.IsComplete()
	key := state.PartialKey(t.Owner, t.Import, t.Shard, t.Gen)
	if complete {
		key = state.CompleteKey(t.Owner, t.Import, t.Shard)
		x.header.Trouble, x.header.Hint = "", ""
	}
	if err := x.putSideObjects(ctx); err != nil {
		return h, false, err
	}
	written, err := state.PutResult(ctx, o.Store, key, x.header, x.found.Candidates)
	if err != nil {
		return h, false, fmt.Errorf("put result of shard %s: %w", t.Shard, err)
	}
	if !written {
		h, err = state.ReadResultHeader(ctx, o.Store, key)
		return h, complete, err
	}
	o.Metrics.Found(x.header.Candidates)
	return x.header, complete, nil
}

// extract makes the result of a shard in memory.
func (o Options) extract(ctx context.Context, t Task) (*shardRun, error) {
	list, err := state.OpenPackList(ctx, o.Store, state.PackListKey(t.Owner, t.Import, t.Pack))
	if err != nil {
		return nil, err
	}
	if list.Shard != t.Shard {
		return nil, fault.Permanentf("import the drop again", "extract shard %s: pack %d holds shard %s", t.Shard, t.Pack, list.Shard)
	}
	if o.Admit != nil {
		if err := o.Admit(list.Importers); err != nil {
			return nil, err
		}
	}
	selected, err := state.SelectExtractors(o.Extractors, list.Extractors)
	if err != nil {
		// While versions change, a worker of the other version may get it next.
		return nil, &fault.Fault{Class: fault.Unit, Err: err, Hint: "workers of another version began the import: if none of them runs any more, replay its drop"}
	}
	o.Budget = membudget.BudgetOr(o.Budget, o.Workers, o.Memory, o.Limits)
	x := &shardRun{Options: o, task: t, found: finder{extractors: selected}, pack: list.Pack, embeddings: list.Embeddings,
		header: state.ResultHeader{V: 1, Shard: t.Shard}}
	if list.Count == 0 { // only skips and quarantined units
		return x, nil
	}
	if !o.Estimate {
		if err := telemetry.RunStep(ctx, o.Tracer, "ask", x.ask); err != nil {
			return nil, err
		}
	}
	if err := telemetry.RunStep(ctx, o.Tracer, "extract shard", func(ctx context.Context) error { return x.read(ctx, list) }); err != nil {
		return nil, err
	}
	return x, telemetry.RunStep(ctx, o.Tracer, "embed", x.embed)
}

// putSideObjects writes what the result names by digest.
func (x *shardRun) putSideObjects(ctx context.Context) (err error) {
	t := x.task
	if x.header.Rejects, err = state.PutRejects(ctx, x.Store, t.Owner, t.Import, x.found.Rejects); err != nil {
		return fmt.Errorf("put rejects of shard %s: %w", t.Shard, err)
	}
	x.header.Vectors, err = state.PutLines(ctx, x.Store, func(digest string) string { return state.VectorsKey(t.Owner, t.Import, digest) }, x.vectors)
	if err != nil {
		return fmt.Errorf("put vectors of shard %s: %w", t.Shard, err)
	}
	return nil
}

// shardRun is the extraction of one shard.
type shardRun struct {
	Options
	task   Task
	header state.ResultHeader
	found  finder
	// pack is the digest of the documents, embeddings the identity of the vectors, "" for none.
	pack, embeddings string
	vectors          []byte // JSON lines
}

// read asks every extractor about every document of the pack.
func (x *shardRun) read(ctx context.Context, list *state.PackList) error {
	pack, err := state.OpenPack(ctx, x.Store, state.PackKey(x.task.Owner, x.task.Import, x.pack))
	if err != nil {
		return err
	}
	defer pack.Close()
	x.found.read = x.readAnswers(ctx)
	for line, err := range list.Lines {
		if err == nil && line.Wanted {
			err = x.extractLine(ctx, pack, line, list.Files[line.Source])
		}
		if err != nil {
			return pack.Finish(err)
		}
	}
	return pack.Finish(nil)
}

// extractLine extracts one document, when there is memory for it.
func (x *shardRun) extractLine(ctx context.Context, pack *state.PackReader, line state.SnapshotLine, file string) error {
	memory, err := x.Budget.Reserve(ctx, membudget.DocumentWeight*line.Size)
	if err != nil {
		return err
	}
	defer x.Budget.Release(memory)
	defer pack.Forget()
	doc, err := pack.Next(line.Offset, line.Length, line.Size)
	if err != nil {
		return err
	}
	if line.Record != "" {
		if err := x.found.readRecord(doc, line.Source, file); err != nil {
			return fmt.Errorf("extract record of %s: %w", file, err)
		}
		return nil
	}
	if err := x.found.readConversation(nil, doc, line.Source, file); err != nil {
		return fmt.Errorf("extract conversation %s: %w", line.Conversation, err)
	}
	return nil
}

// readAnswers gives what an extractor makes of the recorded answers of its service.
func (x *shardRun) readAnswers(ctx context.Context) func(extract.Asking, *pamio.Conversation) ([]normalize.Candidate, extract.Report, error) {
	return func(e extract.Asking, parsed *pamio.Conversation) ([]normalize.Candidate, extract.Report, error) {
		found, report, err := e.Read(ctx, parsed, x.answers())
		if err != nil {
			return nil, report, err
		}
		if x.Estimate && len(report.Failed) > 0 {
			x.header.Usage.Add(e.Estimate(parsed)) // it is not answered yet, or not as a whole
			report.Failed = nil
		}
		for reason, n := range report.Failed {
			x.addUnanswered(reason, n)
		}
		return found, report, nil
	}
}
