package receipt

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// StateErased is the state of the report of an erasure.
const StateErased = "erased"

// Unaccepted gives the report of an ended generation that was refused, has failed, or is an
// erasure. Its failed objects say why; the texts are in full, for the owner of the drop.
func (m Maker) Unaccepted(ctx context.Context, ref job.Ref, rec job.Record) (state.Receipt, error) {
	r := state.Receipt{V: 1, Owner: ref.Owner, Drop: ref.Drop, Gen: rec.Gen, Import: rec.Import, State: state.StateFailed}
	switch rec.Outcome {
	case job.Erased:
		r.State = StateErased
		return r, nil
	case job.Refused:
		r.State = state.StateRefused
	}
	if err := m.addParts(ctx, &r); err != nil {
		return r, err
	}
	prefix := state.FailedPrefix(ref.Owner, ref.Drop, rec.Gen)
	for o, err := range m.Store.List(ctx, prefix) {
		if err != nil {
			return r, fmt.Errorf("list failed objects: %w", err)
		}
		var f job.Failure
		if _, err := objects.ReadJSON(ctx, m.Store, o.Key, &f); fault.Of(err) == fault.Permanent && err != nil {
			f = job.Failure{Reason: fault.Loggable(err), Hint: fault.HintOf(err)}
		} else if err != nil {
			return r, err
		}
		switch unit := strings.TrimSuffix(o.Key[len(prefix):], ".json"); job.Kind(unit) {
		case job.Ingest, job.Assemble:
			r.Reason, r.Hint = reasonOf(f), f.Hint
		default:
			r.Extraction.Failed = append(r.Extraction.Failed, state.FailedShard{Shard: unit, Reason: reasonOf(f), Hint: f.Hint})
		}
	}
	return r, nil
}

// addParts adds what is known of the archive: what was read of it, or at least its names.
func (m Maker) addParts(ctx context.Context, r *state.Receipt) error {
	if r.Import != "" {
		manifest, err := readManifest(ctx, m.Store, r.Owner, r.Import)
		if err == nil {
			addManifest(r, manifest)
			return nil
		}
		if fault.Of(err) != fault.Permanent { // else the assembly has failed for that, and says so
			return err
		}
	}
	if r.Drop == state.OwnerJob {
		return nil
	}
	d, err := state.ReadDrop(ctx, m.Store, r.Owner, r.Drop)
	if err != nil && fault.Of(err) != fault.Permanent {
		return err
	}
	for _, p := range d.Parts {
		r.Parts = append(r.Parts, state.Part{Name: p.Name})
	}
	return nil
}

// reasonOf gives the text of a failure for the owner of the drop.
func reasonOf(f job.Failure) string { return cmp.Or(f.Detail, f.Reason) }
