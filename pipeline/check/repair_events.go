package check

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// setMaker makes input sets of what receipts, job records, manifests and results say. Results that
// are missing, too, are made again beside the store: a set has their digests.
type setMaker struct {
	*repairer
	over blob.Store
}

// event is what entering a decided generation does to an input set.
type event struct {
	drop  string
	gen   int
	enter func(*state.Inputs)
}

// events gives everything that was decided, by drop and generation.
func (m *setMaker) events(ctx context.Context) (all []event, err error) {
	for o, err := range state.ListJobs(ctx, m.Store, m.owner, "") {
		if err != nil {
			return nil, err
		}
		of, err := m.eventsOf(ctx, o.Drop)
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	edits, err := m.eventsOf(ctx, state.OwnerJob)
	return append(all, edits...), err
}

func (m *setMaker) eventsOf(ctx context.Context, drop string) (all []event, err error) {
	prefix := state.ReceiptPrefix(m.owner, drop)
	rec, err := m.jobs.Read(ctx, job.Ref{Owner: m.owner, Drop: drop})
	if err != nil {
		return nil, err
	}
	for o, err := range m.Store.List(ctx, prefix) {
		if err != nil {
			return nil, err
		}
		gen, err := strconv.Atoi(strings.TrimSuffix(o.Key[len(prefix):], ".json"))
		if err != nil {
			continue
		}
		receipt, _, err := state.ReadReceipt(ctx, m.Store, m.owner, drop, gen)
		if err != nil {
			return nil, err
		}
		e := event{drop, gen, func(in *state.Inputs) { in.AcceptEdits(gen, rec.Want.Edits) }}
		if id := receipt.Import; id != "" {
			short, err := m.shortShards(ctx, receipt)
			if err != nil {
				return nil, err
			}
			e.enter = func(in *state.Inputs) { in.Accept(drop, gen, id, short) }
		}
		all = append(all, e)
	}
	if rec.State == job.Ended {
		switch rec.Outcome {
		case job.Failed:
			all = append(all, event{drop, rec.Gen, func(in *state.Inputs) { in.Fail(drop, rec.Gen) }})
		case job.Erased:
			all = append(all, event{drop, rec.Gen, func(in *state.Inputs) { in.Erase(drop, rec.Gen) }})
		}
	}
	slices.SortFunc(all, func(a, b event) int { return cmp.Compare(a.gen, b.gen) })
	return all, nil
}

// shortShards gives the shards of an import without a complete result, with the newest partial one.
func (m *setMaker) shortShards(ctx context.Context, r state.Receipt) (map[string]int, error) {
	shards, err := state.ReadShards(ctx, m.Store, m.owner, r.Import)
	if err != nil {
		return nil, err
	}
	complete, partial := map[string]bool{}, map[string]int{}
	prefix := state.ResultPrefix(m.owner, r.Import)
	for o, err := range m.Store.List(ctx, prefix) {
		if err != nil {
			return nil, err
		}
		shard, gen, ok := state.ParseResult(o.Key[len(prefix):])
		switch {
		case ok && gen == 0:
			complete[shard] = true
		case ok:
			partial[shard] = max(partial[shard], gen)
		}
	}
	short := map[string]int{}
	for _, s := range shards {
		if !s.IsEmpty() && (r.Lacks(s.ID) || !complete[s.ID] && partial[s.ID] > 0) {
			short[s.ID] = partial[s.ID]
		}
	}
	return short, nil
}

// addContents enters the digests of manifests, results and edits.
func (m *setMaker) addContents(ctx context.Context, in state.Inputs) error {
	for _, id := range importsOf(in) {
		manifest, sum, err := state.ReadManifestOf(ctx, m.Store, m.owner, id, "")
		if err != nil {
			return err
		}
		in.SetManifest(id, sum)
		for _, shard := range manifest.Shards {
			if err := m.addResult(ctx, in, manifest, shard); err != nil {
				return err
			}
		}
	}
	for n := 1; n <= in.Edits; n++ {
		sum, err := verifySealed(ctx, m.Store, state.EditKey(m.owner, n))
		if err != nil {
			return err
		}
		in.SetResult(state.OwnerJob, strconv.Itoa(n), sum)
	}
	return nil
}

func (m *setMaker) addResult(ctx context.Context, in state.Inputs, manifest state.Manifest, shard state.Shard) error {
	result := in.ResultOf(manifest, shard)
	if result == nil {
		return nil
	}
	there, err := objects.Exists(ctx, m.over, result.Key)
	if err != nil {
		return err
	}
	if !there {
		o := m.Extraction
		o.Store, o.Admit, o.Metrics, o.Estimate = m.over, nil, nil, true
		if _, _, err := extraction.ExtractShard(ctx, o, extraction.Task{Owner: m.owner, Import: manifest.Import, Shard: shard.ID, Pack: shard.Pack, Gen: 1}); err != nil {
			return err
		}
	}
	result.Digest = ""
	for _, err := range result.Lines(ctx, m.over) {
		if err != nil {
			return err
		}
	}
	in.SetResult(manifest.Import, shard.ID, result.Digest)
	return nil
}
