package pipeline

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// A shard that was given up has a failed marker, and may have candidates all the same: of a worker that was killed before its
// marker, or that was so slow that others gave the shard up, and finishes it at last. The store must not depend on when such a
// worker writes. So what is missing is decided by the markers, once for each computation of the store, and stands in its input
// set; receipts are written by the same markers. A shard that is done at last is taken in when somebody asks for its import
// again, as the late worker does.

// settleLost writes into the input set which shards the imports that are about to be taken in are without, and leaves out the
// imports that have to wait for a shard that is tried again. It is done again when a race for the head is lost: who won it may have
// had other markers.
func settleLost(ctx context.Context, d Deps, ready []readyImport, in *state.Inputs) (out []readyImport, err error) {
	keep := make([]bool, len(ready))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(publish.IOOverlap * d.Workers)
	for i := range ready {
		g.Go(func() (err error) {
			keep[i], err = ready[i].settle(gctx, d.Store, in.Lost[ready[i].Import])
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	lost := maps.Clone(in.Lost)
	for i, r := range ready {
		switch {
		case !keep[i]:
			continue
		case len(r.lost) > 0:
			if lost == nil {
				lost = map[string][]string{}
			}
			lost[r.Import] = r.lost
		default:
			delete(lost, r.Import)
		}
		out = append(out, r)
	}
	in.Lost = lost
	return out, nil
}

// settle finds the shards that the store does not have of an import, and reads the markers that its receipt will be written by.
// before are those that the store did not have when the head was written. ok is false when one is tried again: whoever does that
// asks for the import to be assembled.
func (r *readyImport) settle(ctx context.Context, s blob.Store, before []string) (ok bool, err error) {
	if r.lost = before; r.final {
		back, again, err := r.anyDone(ctx, s, before)
		if err != nil || !back || again {
			return !again, err // of an import that has ended the other markers may have been removed
		}
	}
	markers, again, err := readMarkers(ctx, s, r.Manifest, r.markers)
	if err != nil || again {
		return false, err
	}
	if len(markers) < len(r.Shards) {
		receipt, ended, err := state.ReadReceipt(ctx, s, r.Owner, r.Import)
		r.markers = nil
		return ended && receipt.Ended() && receipt.State != state.StateFailed, err // somebody else has just ended it
	}
	r.markers, r.lost = markers, lostBy(r.Manifest, markers)
	return true, nil
}

// lostBy gives the shards of an import that its markers do not call done.
func lostBy(m state.Manifest, markers map[string]state.Marker) (lost []string) {
	for _, shard := range m.Shards {
		if markers[shard.ID].State != state.MarkerOK {
			lost = append(lost, shard.ID)
		}
	}
	return lost
}

// anyDone tells whether one of the shards has been done since it was given up, and whether one is tried again.
func (r *readyImport) anyDone(ctx context.Context, s blob.Store, shards []string) (done, again bool, err error) {
	for _, shard := range shards {
		var m state.Marker
		if _, err := state.ReadJSON(ctx, s, state.MarkerKey(r.Owner, r.Import, shard), &m); err != nil && !state.IsMissing(err) {
			return false, false, err
		}
		done = done || m.State == state.MarkerOK
		again = again || m.State == state.MarkerAgain
	}
	return done, again, nil
}

// says tells whether a receipt says of the shards what the markers do that the store was computed by. One written by older markers
// calls a shard failed that is done; one by newer markers, by whoever was faster, never does so the other way round.
func (r *readyImport) says(receipt state.Receipt) bool {
	return !slices.ContainsFunc(receipt.Extraction.Failed, func(f state.FailedShard) bool {
		m, known := r.markers[f.Shard]
		if !known || m.State != state.MarkerOK {
			return false
		}
		now, failed := m.Failure()
		return !failed || now != f
	})
}
