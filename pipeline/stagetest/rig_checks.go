package stagetest

import (
	"testing"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// RoundOf gives the round of a job as publish takes it.
func RoundOf(r job.Round) publish.Round {
	out := publish.Round{Owner: r.Owner, Prior: r.Prior, Before: r.Before, Inputs: r.Inputs, Digest: r.Digest}
	for _, o := range r.Accepted {
		if e := r.Inputs.Drops[o.Drop]; e.Import != "" {
			out.Accepted = append(out.Accepted, e.Import)
		}
	}
	return out
}

// Head gives the head of the owner.
func (r *Rig) Head(t testing.TB) state.Head {
	t.Helper()
	h, _, err := state.ReadHead(t.Context(), r.Store(), r.Owner)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Verify fails the test unless the published store is that of the head's input set, and its copy is
// there.
func (r *Rig) Verify(t testing.TB) {
	t.Helper()
	h := r.Head(t)
	if err := publish.VerifyStore(t.Context(), r.Publish, r.Owner, h); err != nil {
		t.Error(err)
	}
	export, _ := r.Data.Body(state.ExportKey(r.Owner, h.ExportID, ".json"))
	if body, ok := r.Data.Body(state.StoreKey(r.Owner)); h.ExportID != "" && (!ok || body != export) {
		t.Error("memory-store.json is no copy of the current export")
	}
}
