package check

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/receipt"
	"github.com/pamline/pamline/pipeline/state"
)

// currentInputs gives the head and its input set.
func (r *repairer) currentInputs(ctx context.Context) (state.Head, state.Inputs, error) {
	head, _, err := state.ReadHead(ctx, r.Store, r.owner)
	if err != nil {
		return head, state.Inputs{}, err
	}
	in, err := state.ReadInputs(ctx, r.Store, r.owner, head)
	return head, in, err
}

// repairJob makes a job record of what the input set, the hints and the failed objects say.
func (r *repairer) repairJob(ctx context.Context, d Damage) error {
	_, in, err := r.currentInputs(ctx)
	if err != nil {
		return err
	}
	drop := strings.TrimSuffix(path.Base(d.Object), ".json")
	if drop == "job" {
		drop = state.OwnerJob
	}
	rec := recordOf(in, drop)
	if err := r.addOpen(ctx, drop, &rec); err != nil {
		return err
	}
	if rec.Gen == 0 {
		return errNotDerived
	}
	o, err := r.Store.Head(ctx, d.Object)
	if err != nil && !objects.IsMissing(err) {
		return err
	}
	return objects.SwapJSON(ctx, r.Store, d.Object, o.ETag, rec)
}

// recordOf gives the record of the generation that an input set has of a drop.
func recordOf(in state.Inputs, drop string) job.Record {
	e := in.Drops[drop]
	rec := job.Record{V: 1, Gen: e.Gen, State: job.Ended, Import: e.Import, Outcome: job.Done}
	switch {
	case e.Failed:
		rec.Outcome = job.Failed
	case drop == state.OwnerJob:
		rec.Want.Edits = in.Edits
	case e.Import == "":
		rec.Outcome, rec.Want.Erase = job.Erased, true
	}
	return rec
}

// addOpen changes a record to that of a newer generation, if there is one: a hint tells of one that
// is open, a failed ingest of one that was refused.
func (r *repairer) addOpen(ctx context.Context, drop string, rec *job.Record) error {
	for _, prefix := range []string{state.FailedPrefix(r.owner, drop, 0), state.OpenPrefix(r.owner, drop)} {
		root, _, _ := strings.Cut(prefix, r.owner+"/")
		for o, err := range r.Store.List(ctx, prefix) {
			if err != nil {
				return err
			}
			_, _, gen, unit, ok := state.ParseGeneration(root, o.Key)
			if !ok || gen < rec.Gen || gen == rec.Gen && root == state.OpenRoot && rec.State == job.Ended && rec.Outcome == job.Refused {
				continue
			}
			switch {
			case root == state.OpenRoot:
				*rec = job.Record{V: 1, Gen: gen, State: job.Open, Want: rec.Want}
			case gen > rec.Gen && unit == string(job.Ingest)+".json":
				*rec = job.Record{V: 1, Gen: gen, State: job.Ended, Outcome: job.Refused}
			}
		}
	}
	return nil
}

// repairReceipt reports a generation again, if it is the one of the store. What it changed is known
// only if it is the last change of all.
func (r *repairer) repairReceipt(ctx context.Context, d Damage) error {
	head, in, err := r.currentInputs(ctx)
	if err != nil {
		return err
	}
	drop := path.Base(path.Dir(d.Object))
	gen, err := strconv.Atoi(strings.TrimSuffix(path.Base(d.Object), ".json"))
	if err != nil {
		return fmt.Errorf("repair receipt: %w", err)
	}
	e := in.Drops[drop]
	if e.Gen != gen || e.Failed {
		return fmt.Errorf("%w: it is of an earlier generation", errNotDerived)
	}
	change, err := publish.ReadChange(ctx, r.Store, r.owner, head, e.Import)
	if err != nil {
		return err
	}
	made, err := receipt.Maker{Store: r.Store, Parallel: r.Parallel}.Accepted(ctx, job.Decision{
		Opened: job.Opened{Task: job.Task{Ref: job.Ref{Owner: r.owner, Drop: drop}, Gen: gen}},
		Status: job.Accepted, Entry: e, Short: in.Short[e.Import], Head: head,
	}, change)
	if err != nil {
		return err
	}
	return objects.PutJSON(ctx, r.Store, d.Object, made)
}

// repairDrop makes the record of a drop again whose archives lie beside it.
func (r *repairer) repairDrop(ctx context.Context, d Damage) error {
	drop := path.Base(path.Dir(d.Object))
	rec := state.DropRecord{V: 1, Owner: r.owner, Drop: drop}
	for o, err := range r.Store.List(ctx, state.DropKey(r.owner, drop, "part-")) {
		if err != nil {
			return err
		}
		v, err := objects.OpenVerified(ctx, r.Store, o.Key, "")
		if err != nil {
			return err
		}
		if err := errors.Join(v.Finish(nil), v.Close()); err != nil {
			return err
		}
		rec.Parts = append(rec.Parts, state.DropPart{Name: path.Base(o.Key), Key: o.Key, SHA256: v.Digest(), Size: v.Size()})
	}
	if len(rec.Parts) == 0 || state.DropDigest(rec.Parts) != drop {
		return fmt.Errorf("%w: its archives do not lie beside it", errNotDerived)
	}
	if err := r.nameParts(ctx, drop, rec.Parts); err != nil {
		return err
	}
	if err := rec.Check(r.owner, drop); err != nil {
		return err
	}
	return objects.PutJSON(ctx, r.Store, d.Object, rec)
}

// nameParts gives the parts the names that the manifest of an import of the drop has, and marks
// folders.
func (r *repairer) nameParts(ctx context.Context, drop string, parts []state.DropPart) error {
	_, in, err := r.currentInputs(ctx)
	if err != nil && !isDamage(err) {
		return err
	}
	id := in.Drops[drop].Import
	if err != nil || id == "" {
		return nil //nolint:nilerr // the names are labels; the damage is reported by itself
	}
	m, ok, err := state.ReadManifest(ctx, r.Store, r.owner, id)
	if err != nil || !ok || len(m.Parts) != len(parts) {
		if err != nil && !isDamage(err) {
			return err
		}
		return nil
	}
	for i := range parts {
		parts[i].Name, parts[i].Folder = m.Parts[i].Name, m.Parts[i].Kind == "folder"
	}
	return nil
}
