package publish_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
)

const owner = stagetest.Owner

func imported(t *testing.T, r *stagetest.Rig, drop string) (job.Record, state.StoreChange) {
	t.Helper()
	rec, c, err := r.Import(t.Context(), drop)
	if err != nil {
		t.Fatal(err)
	}
	r.Verify(t)
	return rec, c
}

// finishCrashed finishes the import of a drop whose process has died at a write.
func finishCrashed(t *testing.T, r *stagetest.Rig, drop string, write int) (change state.StoreChange) {
	t.Helper()
	ref := job.Ref{Owner: owner, Drop: drop}
	rec, err := r.Jobs.Read(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Gen == 0 { // nobody was told that it is accepted
		_, change = imported(t, r, drop)
		return change
	}
	if rec, change, err = r.Finish(t.Context(), ref, rec.Gen); err != nil || rec.Outcome != job.Done {
		t.Fatalf("after a crash at write %d: %+v, %v", write, rec, err)
	}
	return change
}

// ready takes a drop through ingest and extraction, and gives the assembly that it needs.
func ready(t *testing.T, r *stagetest.Rig, drop string) job.Opened {
	t.Helper()
	ref := job.Ref{Owner: owner, Drop: drop}
	if _, err := r.Jobs.Ask(t.Context(), ref, job.Want{}); err != nil {
		t.Fatal(err)
	}
	for {
		tasks, err := r.Jobs.Next(t.Context(), ref)
		if err != nil || len(tasks) == 0 {
			t.Fatal(tasks, err)
		}
		for _, task := range tasks {
			if task.Kind == job.Assemble {
				o, err := r.Jobs.Open(t.Context(), task)
				if err != nil {
					t.Fatal(err)
				}
				return o
			}
			if err := r.Work(t.Context(), task); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// inputsOf gives the input set of the head.
func inputsOf(t *testing.T, r *stagetest.Rig) state.Inputs {
	t.Helper()
	in, err := state.ReadInputs(t.Context(), r.Store(), owner, r.Head(t))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// compute makes the store of an input set the current one, as the winner of a swap does.
func compute(t *testing.T, r *stagetest.Rig, in state.Inputs, accepted ...string) state.StoreChange {
	t.Helper()
	next, change, err := tryCompute(t.Context(), r, in, accepted...)
	if err != nil {
		t.Fatal(err)
	}
	if err := objects.PutJSON(t.Context(), r.Store(), state.HeadKey(owner), next); err != nil {
		t.Fatal(err)
	}
	return change
}

func tryCompute(ctx context.Context, r *stagetest.Rig, in state.Inputs, accepted ...string) (state.Head, state.StoreChange, error) {
	prior, _, err := state.ReadHead(ctx, r.Store(), owner)
	if err != nil {
		return prior, state.StoreChange{}, err
	}
	before, err := state.ReadInputs(ctx, r.Store(), owner, prior)
	if err != nil {
		return prior, state.StoreChange{}, err
	}
	in = in.Clone()
	packed, err := in.Pack()
	if err != nil {
		return prior, state.StoreChange{}, err
	}
	next, change, err := publish.Compute(ctx, r.Publish, publish.Round{Owner: owner, Prior: prior, Before: before, Inputs: in, Digest: packed.Digest, Accepted: accepted})
	if err != nil {
		return prior, change, err
	}
	if packed, err = in.Pack(); err != nil {
		return prior, change, err
	}
	next.V, next.Inputs, next.Sequence = 1, packed.Digest, prior.Sequence+1
	return next, change, packed.Store(ctx, r.Store(), owner)
}

var moments = regexp.MustCompile(`"export_(id|date)":"[^"]*"`)

// exportOf gives the bytes of the current store without what belongs to the moment of publishing.
func exportOf(t *testing.T, r *stagetest.Rig) string {
	t.Helper()
	body, ok := r.Data.Body(state.ExportKey(owner, r.Head(t).ExportID, ".json"))
	if !ok {
		t.Fatal("there is no export")
	}
	return moments.ReplaceAllString(body, "")
}

var exportID = regexp.MustCompile(`0{8}-0000-4000-8000-\d{12}`)

// outcome gives every object, with all ids of exports made equal.
func outcome(r *stagetest.Rig) map[string]string {
	all := map[string]string{}
	for _, key := range r.Data.Keys("") {
		body, _ := r.Data.Body(key)
		if strings.HasSuffix(key, "/head.json") || strings.Contains(key, "/heads/") || strings.Contains(key, "/exports/") || strings.Contains(key, "/receipts/") ||
			strings.Contains(key, "/moments/") || key == state.StoreKey(owner) {
			body = moments.ReplaceAllString(exportID.ReplaceAllString(body, "*"), "")
			body = regexp.MustCompile(`"(store|seal)": "[0-9a-f]*"`).ReplaceAllString(body, "")
		}
		all[exportID.ReplaceAllString(key, "*")] = body
	}
	return all
}

// memories gives those of the current store.
func memories(t *testing.T, r *stagetest.Rig) (all []*pamio.Memory) {
	t.Helper()
	rc, _, err := r.Store().Get(t.Context(), state.ExportKey(owner, r.Head(t).ExportID, ".json"), blob.Range{})
	if err != nil {
		t.Fatal(err)
	}
	defer rc.Close()
	err = pamio.ReadStore(rc, pamio.Visitor{Memory: func(e pamio.Element) error {
		m, err := pamio.ParseMemory(e.Raw)
		all = append(all, m)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
