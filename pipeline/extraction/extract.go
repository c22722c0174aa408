package extraction

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/membudget"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Extract reads the snapshots and records of a shard and writes their candidates, then the marker. Extractors that ask a
// service have their answers recorded first. Run again it finds the marker and does nothing.
func Extract(ctx context.Context, d Options, t state.ExtractTask) (state.Marker, error) {
	m, _, err := ExtractShard(ctx, d, t)
	return m, err
}

// ExtractShard is Extract; late tells that the shard had been given up, or was done before, so that it may have been.
func ExtractShard(ctx context.Context, d Options, t state.ExtractTask) (m state.Marker, late bool, err error) {
	tag, err := state.ReadJSON(ctx, d.Store, state.MarkerKey(t.Owner, t.Import, t.Shard), &m)
	switch {
	case err == nil && m.State == state.MarkerOK:
		return m, true, nil
	case fault.Of(err) == fault.Permanent: // it says nothing, and is written anew
		d.Log.Warn("a marker cannot be read; its shard is extracted again", zap.String("owner", t.Owner), zap.String("error", fault.Loggable(err)))
	case err != nil && !state.IsMissing(err):
		return m, false, err
	}
	if m, err = d.extractNow(ctx, t); err != nil {
		return m, false, err
	}
	m, late, err = putMarker(ctx, d.Store, t, tag, m)
	if err == nil {
		d.Metrics.Found(m.Candidates)
	}
	return m, late, err
}

// putMarker writes the marker of a shard that is done, in the place of the one with the given ETag. Somebody may have given the
// shard up meanwhile; then that was late, and the marker is in its place. One that says ok stays.
func putMarker(ctx context.Context, s blob.Store, t state.ExtractTask, tag string, m state.Marker) (_ state.Marker, late bool, err error) {
	key := state.MarkerKey(t.Owner, t.Import, t.Shard)
	for late = tag != ""; ; late = late || tag != "" {
		if err := state.SwapJSON(ctx, s, key, tag, m); !errors.Is(err, blob.ErrPrecondition) {
			return m, late, err
		}
		var now state.Marker
		if tag, err = state.ReadJSON(ctx, s, key, &now); err != nil && !state.IsMissing(err) && fault.Of(err) != fault.Permanent {
			return m, late, err
		}
		if err == nil && now.State == state.MarkerOK {
			return now, late, nil
		}
	}
}

// extractNow writes the candidates of a shard and gives its marker.
func (d Options) extractNow(ctx context.Context, t state.ExtractTask) (m state.Marker, err error) {
	selected, err := state.SelectExtractors(d.Extractors, t.Extractors)
	if err != nil {
		// While versions change, a worker of the other one may get it next.
		return m, &fault.Fault{Class: fault.Unit, Err: err, Hint: "the import was begun by workers of another version: if none of them runs any more, replay its drop"}
	}
	list, err := state.OpenPackList(ctx, d.Store, state.PackListKey(t.Owner, t.Import, t.Pack))
	if err != nil {
		return m, err
	}
	defer list.Close()
	if list.Shard != t.Shard {
		return m, fault.Permanentf("import the drop again", "extract shard %s: pack %d holds shard %s", t.Shard, t.Pack, list.Shard)
	}
	d.Budget = membudget.BudgetOr(d.Budget, d.Workers, d.Memory, d.Limits)
	x := &ShardRun{Options: d, Task: t, selected: selected, m: state.Marker{V: 1, Shard: t.Shard, State: state.MarkerOK, Counts: map[string]int{}}}
	if list.Count == 0 { // only skips and quarantined units
		return x.m, nil
	}
	if !d.Estimate {
		if err := telemetry.RunStep(ctx, d.Tracer, "ask", x.Ask); err != nil {
			return m, err
		}
	}
	if err := telemetry.RunStep(ctx, d.Tracer, "extract shard", func(ctx context.Context) error { return x.read(ctx, list) }); err != nil {
		return m, err
	}
	if err := telemetry.RunStep(ctx, d.Tracer, "embed", x.embed); err != nil {
		return m, err
	}
	for _, o := range []struct {
		key   string
		lines []byte
	}{{state.CandidatesKey(t.Owner, t.Import, t.Shard), x.candidates}, {state.RejectsKey(t.Owner, t.Import, t.Shard), x.rejects}} {
		if err := putLines(ctx, d.Store, o.key, o.lines); err != nil {
			return m, err
		}
	}
	return x.m, nil
}

// ShardRun is the extraction of one shard.
type ShardRun struct {
	Options
	Task     state.ExtractTask
	selected []extract.Extractor
	m        state.Marker
	// candidates and rejects are JSON lines.
	candidates, rejects []byte
}

// read asks every extractor about every document of the pack.
func (x *ShardRun) read(ctx context.Context, list *state.PackList) error {
	pack, err := state.OpenPack(ctx, x.Store, state.PackKey(x.Task.Owner, x.Task.Import, x.Task.Pack))
	if err != nil {
		return err
	}
	defer pack.Close()
	for line, err := range list.Lines {
		if err != nil {
			return err
		}
		if !line.Wanted {
			continue
		}
		if err := x.line(ctx, pack, line, fileOf(list.PackHeader, line)); err != nil {
			return err
		}
	}
	return nil
}

// line asks about one document, when there is memory for it.
func (x *ShardRun) line(ctx context.Context, pack *state.PackReader, line state.SnapshotLine, file string) error {
	memory, err := x.Budget.Admit(ctx, membudget.DocumentWeight*line.Size)
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
		if err := x.Record(doc, file, line.Source); err != nil {
			return fmt.Errorf("extract record of %s: %w", file, err)
		}
		return nil
	}
	if err := x.conversation(ctx, doc, file, line.Source); err != nil {
		return fmt.Errorf("extract conversation %s: %w", line.Conversation, err)
	}
	return nil
}

func fileOf(h state.PackHeader, line state.SnapshotLine) string {
	if line.Source < 0 || line.Source >= len(h.Files) {
		return ""
	}
	return h.Files[line.Source]
}

// conversation takes the candidates of one document, which was read from the member file.
func (x *ShardRun) conversation(ctx context.Context, doc []byte, file string, source int) error {
	var parsed *pamio.Conversation
	for _, e := range x.selected {
		if !extract.Wants(e, doc) {
			continue
		}
		if parsed == nil {
			var err error
			if parsed, err = pamio.ParseConversation(doc); err != nil {
				return err
			}
		}
		if asking, asks := e.(extract.Asking); asks {
			found, report, err := asking.Read(ctx, parsed, x.Answers())
			if err != nil {
				return err
			}
			if x.Estimate && len(report.Failed) > 0 {
				x.m.Usage.Add(asking.Estimate(parsed)) // it is not answered yet, or not as a whole
				report.Failed = nil
			}
			x.take(found, report, file, source)
			continue
		}
		found, report := e.Extract(parsed, doc)
		x.take(found, report, file, source)
	}
	return nil
}

// Record takes the candidates of one record, which was read from the member file.
func (x *ShardRun) Record(doc []byte, file string, source int) error {
	r, err := extract.ParseRecord(doc)
	if err != nil {
		return err
	}
	for _, e := range x.selected {
		if r2, ok := e.(extract.RecordExtractor); ok {
			found, report := r2.ExtractRecord(&r)
			for i := range found {
				state.ListIn(&found[i], source)
			}
			x.take(found, report, file, source)
		}
	}
	return nil
}

// take counts what an extractor found and held back, names the member in the evidence of records, and keeps the candidates.
func (x *ShardRun) take(found []normalize.Candidate, report extract.Report, file string, source int) {
	for reason, n := range report.Skipped {
		x.m.Counts[reason] += n
	}
	for reason, n := range report.Failed {
		x.unanswered(reason, n)
	}
	for i := range report.Rejects {
		if r := &report.Rejects[i]; r.Conversation == "" {
			r.Member = file
		}
		x.rejects = report.Rejects[i].AppendLine(x.rejects)
	}
	extract.Finish(found)
	for i := range found {
		state.ObserveIn(&found[i], source)
		if found[i].Act == "" {
			x.m.Candidates++
		}
		for k := range found[i].Evidence {
			if e := &found[i].Evidence[k]; e.Pointer != "" || e.Conversation == "" {
				e.Member = file
			}
		}
		x.candidates = extract.AppendCandidate(x.candidates, &found[i])
	}
}

// putLines stores lines, or sees to it that there is no object when there are none: an earlier run may have had some.
func putLines(ctx context.Context, s blob.Store, key string, lines []byte) error {
	if len(lines) == 0 {
		return s.Delete(ctx, key)
	}
	_, err := s.Put(ctx, key, bytes.NewReader(state.CompressLines(lines)), blob.PutOptions{})
	return err
}
