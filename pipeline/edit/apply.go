package edit

import (
	"context"
	"fmt"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Worker does the work of jobs: this process, or others.
type Worker interface {
	// Ask wants work for a job and sends its tasks. An Ask that gives a generation beside an error
	// has opened it.
	Ask(ctx context.Context, ref job.Ref, w job.Want) (job.Asked, error)
	// Wait returns the record of a job when it has ended in a generation or a later one.
	Wait(ctx context.Context, ref job.Ref, gen int) (job.Record, error)
}

// Applied says what an edit has done.
type Applied struct {
	state.StoreChange
	// Number is that of the edit among those of its owner.
	Number int `json:"number"`
}

// Apply resolves an edit, records it, has the store computed, and gives what changed. If the edit
// is recorded and the store is not there yet, the error says so, and Applied has the number of the
// edit. An edit that changes nothing is recorded, too, for it is newer than what said so before.
func Apply(ctx context.Context, s blob.Store, w Worker, owner string, e assemble.Edit) (Applied, error) {
	e, err := Resolve(ctx, s, owner, e)
	if err != nil {
		return Applied{}, err
	}
	out := Applied{}
	if out.Number, err = Append(ctx, s, owner, e); err != nil {
		return out, err
	}
	out.StoreChange, err = publishEdits(ctx, s, w, owner, out.Number)
	if err != nil {
		err = fmt.Errorf("publish edit %d, which is recorded and need not be repeated: %w", out.Number, err)
	}
	return out, err
}

// publishEdits has a store computed with all edits up to a number.
func publishEdits(ctx context.Context, s blob.Store, w Worker, owner string, edits int) (change state.StoreChange, err error) {
	ref := job.Ref{Owner: owner, Drop: state.OwnerJob}
	asked, err := w.Ask(ctx, ref, job.Want{Edits: edits})
	if err != nil {
		return change, err
	}
	rec, err := w.Wait(ctx, ref, asked.Gen)
	if err != nil {
		return change, err
	}
	if rec.Outcome != job.Done {
		return change, failureOf(ctx, s, ref, rec.Gen)
	}
	r, ok, err := state.ReadReceipt(ctx, s, owner, state.OwnerJob, rec.Gen)
	if err == nil && !ok {
		key := state.ReceiptKey(owner, state.OwnerJob, rec.Gen)
		err = fault.Permanentf(objects.UnusableHint(key), "read %s: it is missing", key)
	}
	return r.Store, err
}

// failureOf gives the reason why the assembly of a generation has failed.
func failureOf(ctx context.Context, s blob.Store, ref job.Ref, gen int) error {
	var f job.Failure
	if _, err := objects.ReadJSON(ctx, s, state.FailedKey(ref.Owner, ref.Drop, gen, string(job.Assemble)), &f); err != nil {
		return fmt.Errorf("read why the store could not be computed: %w", err)
	}
	return fault.Permanentf(f.Hint, "compute store: %s", f.Reason)
}
