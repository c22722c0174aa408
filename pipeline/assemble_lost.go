package pipeline

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
)

// A shard that was given up has a failed marker, and may have candidates all the same: of a worker that was killed before its
// marker, or that was so slow that others gave the shard up, and finishes it at last. The store must not depend on when such a
// worker writes. So what is missing is decided by the markers, once for each computation of the store, and stands in its input
// set; receipts are written by the same markers. A shard that is done at last is taken in when somebody asks for its import
// again, as the late worker does.

// settleLost writes into the input set which shards the imports that are about to be taken in are without. It is done again when
// a race for the head is lost: who won it may have had other markers.
func settleLost(ctx context.Context, d Deps, ready []readyImport, in *Inputs) error {
	without := make([][]string, len(ready))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(ioOverlap * d.Workers)
	for i := range ready {
		g.Go(func() (err error) {
			without[i], err = ready[i].without(gctx, d.Store, in.Lost[ready[i].Import])
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	lost := maps.Clone(in.Lost)
	for i, r := range ready {
		if len(without[i]) > 0 {
			if lost == nil {
				lost = map[string][]string{}
			}
			lost[r.Import] = without[i]
		} else {
			delete(lost, r.Import)
		}
	}
	in.Lost = lost
	return nil
}

// without gives the shards that the store does not have of an import, and reads the markers that its receipt will be written by.
// before are those that the store did not have when the head was written.
func (r *readyImport) without(ctx context.Context, s blob.Store, before []string) ([]string, error) {
	if r.final {
		back, err := r.anyDone(ctx, s, before)
		if err != nil || !back {
			return before, err // of an import that has ended the other markers may have been removed
		}
	}
	markers, err := readMarkers(ctx, s, r.Manifest, r.markers)
	if isMissing(err) {
		_, ended, bad := ReadReceipt(ctx, s, r.Owner, r.Import)
		if bad == nil && ended {
			r.markers = nil
			return before, nil // somebody else has just ended it
		}
	}
	if err != nil {
		return nil, err
	}
	r.markers = markers
	var out []string
	for _, shard := range r.Shards {
		if markers[shard.ID].State != MarkerOK {
			out = append(out, shard.ID)
		}
	}
	return out, nil
}

// anyDone tells whether one of the shards has been done since it was given up.
func (r *readyImport) anyDone(ctx context.Context, s blob.Store, shards []string) (bool, error) {
	for _, shard := range shards {
		var m Marker
		if _, err := readJSON(ctx, s, markerKey(r.Owner, r.Import, shard), &m); err != nil && !isMissing(err) {
			return false, err
		}
		if m.State == MarkerOK {
			return true, nil
		}
	}
	return false, nil
}

// says tells whether a receipt says of the shards what the markers do that the store was computed by. One written by older markers
// calls a shard failed that is done; one by newer markers, by whoever was faster, never does so the other way round.
func (r *readyImport) says(receipt Receipt) bool {
	return !slices.ContainsFunc(receipt.Extraction.Failed, func(f FailedShard) bool {
		m, known := r.markers[f.Shard]
		if !known || m.State != MarkerOK {
			return false
		}
		now, failed := m.failure()
		return !failed || now != f
	})
}
