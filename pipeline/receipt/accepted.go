package receipt

import (
	"cmp"
	"context"
	"fmt"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Accepted gives the receipt of an accepted generation, from storage alone but for the change: the
// manifest, the headers of the results that stand for the shards, and the failed objects. An object
// that cannot be read makes the receipt incomplete, not the import.
func (m Maker) Accepted(ctx context.Context, d job.Decision, change state.StoreChange) (state.Receipt, error) {
	r := state.Receipt{V: 1, Owner: d.Owner, Drop: d.Drop, Gen: d.Gen, Import: d.Entry.Import, State: state.StateDone, Store: change}
	if d.Entry.Import == "" {
		return r, nil // edits of the owner
	}
	err := m.fill(ctx, d, &r)
	if fault.Of(err) == fault.Permanent && err != nil {
		if m.Log != nil {
			m.Log.Error("an object of the store cannot be used; a receipt is incomplete", zap.String("owner", d.Owner), zap.String("drop", d.Drop),
				zap.String("import", r.Import), zap.String("error", fault.Loggable(err)))
		}
		r.State, r.Reason, r.Hint = state.StateLosses, "this report is incomplete: "+fault.Loggable(err), fault.HintOf(err)
		err = nil
	}
	return r, err
}

// fill fills a receipt with what the import says.
func (m Maker) fill(ctx context.Context, d job.Decision, r *state.Receipt) error {
	manifest, err := readManifest(ctx, m.Store, d.Owner, d.Entry.Import)
	if err != nil {
		return err
	}
	addManifest(r, manifest)
	if r.Extraction, err = m.extractionOf(ctx, d, manifest); err != nil {
		return err
	}
	if r.Counts.Quarantined > 0 {
		for q, err := range state.ListQuarantined(ctx, m.Store, manifest) {
			if err != nil {
				return err
			}
			if r.Quarantined = append(r.Quarantined, q); len(r.Quarantined) == state.MaxListed {
				break
			}
		}
	}
	if r.Counts.Quarantined > 0 || len(r.Extraction.Failed) > 0 || len(r.Refused) > 0 || len(r.Notes) > 0 {
		r.State = state.StateLosses
	}
	return nil
}

// extractionOf adds up the headers of the results, in the order of the shards.
func (m Maker) extractionOf(ctx context.Context, d job.Decision, manifest state.Manifest) (state.Extraction, error) {
	x := state.Extraction{Shards: len(manifest.Shards), Counts: map[string]int{}}
	headers, failed := make([]state.ResultHeader, len(manifest.Shards)), make([]*state.FailedShard, len(manifest.Shards))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, m.Parallel))
	for i, s := range manifest.Shards {
		gen, short := d.Short[s.ID]
		if s.IsEmpty() {
			continue
		}
		g.Go(func() (err error) {
			key := state.CompleteKey(d.Owner, manifest.Import, s.ID)
			if short {
				if failed[i], err = m.failedShard(gctx, d, s.ID); err != nil || gen == 0 {
					return err
				}
				key = state.PartialKey(d.Owner, manifest.Import, s.ID, gen)
			}
			if headers[i], err = state.ReadResultHeader(gctx, m.Store, key); objects.IsMissing(err) {
				err = fault.Permanentf(objects.UnusableHint(key), "read result: %w", err)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return x, fmt.Errorf("read results of import %s: %w", manifest.Import, err)
	}
	for i, h := range headers {
		if failed[i] != nil {
			x.Failed = append(x.Failed, *failed[i])
		}
		x.Candidates += h.Candidates
		x.Usage.Add(h.Usage)
		for reason, n := range h.Counts {
			x.Counts[reason] += n
		}
		for reason, n := range h.Unanswered {
			if x.Unanswered == nil {
				x.Unanswered = map[string]int{}
			}
			x.Unanswered[reason] += n
		}
	}
	return x, nil
}

// failedShard tells why a shard of a generation failed, in full: the receipt is the owner's.
func (m Maker) failedShard(ctx context.Context, d job.Decision, shard string) (*state.FailedShard, error) {
	var f job.Failure
	_, err := objects.ReadJSON(ctx, m.Store, state.FailedKey(d.Owner, d.Drop, d.Gen, shard), &f)
	if err != nil && !objects.IsMissing(err) && fault.Of(err) != fault.Permanent {
		return nil, err
	}
	return &state.FailedShard{Shard: shard, Reason: cmp.Or(reasonOf(f), "the reason is not recorded"), Hint: f.Hint}, nil
}
