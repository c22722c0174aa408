package pipeline

import (
	"context"

	"github.com/pamline/pamline/pipeline/state"
)

// receiptOf fills in what the manifest and the markers say.
func receiptOf(ctx context.Context, d Deps, m state.Manifest, markers map[string]state.Marker) (state.Receipt, error) {
	r := state.Receipt{
		V: 1, Import: m.Import, Owner: m.Owner, Drop: m.Drop, State: state.StateDone, Importers: m.Importers, Extractors: m.Extractors,
		Parts: m.Parts, Counts: m.Counts, Refused: m.Refused, Unread: m.Unread, Notes: m.Notes,
	}
	r.Extraction = state.Extraction{Shards: len(m.Shards), Counts: map[string]int{}}
	for _, s := range m.Shards {
		mk := markers[s.ID]
		if f, failed := mk.Failure(); failed {
			r.Extraction.Failed = append(r.Extraction.Failed, f)
		}
		for reason, n := range mk.Unanswered {
			if r.Extraction.Unanswered == nil {
				r.Extraction.Unanswered = map[string]int{}
			}
			r.Extraction.Unanswered[reason] += n
		}
		r.Extraction.Usage.Add(mk.Usage)
		r.Extraction.Candidates += mk.Candidates
		for reason, n := range mk.Counts {
			r.Extraction.Counts[reason] += n
		}
	}
	if r.Counts.Quarantined > 0 {
		if err := listQuarantined(ctx, d, m, &r); err != nil {
			return r, err
		}
	}
	if r.Counts.Quarantined > 0 || len(r.Extraction.Failed) > 0 || len(r.Refused) > 0 || len(r.Notes) > 0 {
		r.State = state.StateLosses
	}
	return r, nil
}
