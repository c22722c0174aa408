package work

import (
	"context"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

// acceptedImport gives the import that the store has of a drop, if reading the drop would come to
// the same: then the archive need not be read.
func (u *units) acceptedImport(ctx context.Context, r ingest.Request) (m state.Manifest, same bool, err error) {
	in, err := u.readInputs(ctx, r.Owner)
	if err != nil || in.Drops[r.Drop].Import == "" {
		return m, false, err
	}
	m, ok, err := state.ReadManifest(ctx, u.Store, r.Owner, in.Drops[r.Drop].Import)
	if fault.Of(err) == fault.Permanent || !ok {
		return m, false, nil // the drop is read again
	}
	if err != nil {
		return m, false, err
	}
	same, err = u.Ingest.ReadsAs(m, r)
	return m, same, err
}

func (u *units) readInputs(ctx context.Context, owner string) (in state.Inputs, err error) {
	head, _, err := state.ReadHead(ctx, u.Store, owner)
	if err != nil {
		return in, err
	}
	return state.ReadInputs(ctx, u.Store, owner, head)
}

// DoneBefore tells whether the store has all of a drop, just as this worker would read it: the last
// generation ended well, no shard is missing, and the same importers and extractors would read the
// drop by the same rules and limits. Then there is no need to ask for the drop.
func (w *Worker) DoneBefore(ctx context.Context, ref job.Ref, want job.Want) (bool, error) {
	r, err := w.jobs.Read(ctx, ref)
	if err != nil || r.Outcome != job.Done || want.Erase {
		return false, err
	}
	m, same, err := w.units.acceptedImport(ctx, requestOf(ref, want, ""))
	if err != nil || !same {
		return false, err
	}
	in, err := w.units.readInputs(ctx, ref.Owner)
	return err == nil && in.Drops[ref.Drop].Import == m.Import && len(in.Short[m.Import]) == 0, err
}
