package extraction_test

import (
	"maps"
	"testing"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/harvest"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
)

// vectorsOf gives the hashes that a result has vectors of.
func vectorsOf(t *testing.T, r *stagetest.Rig, m state.Manifest, h state.ResultHeader) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	if h.Vectors == "" {
		return all
	}
	for line, err := range objects.ReadLines(t.Context(), r.Store(), state.VectorsKey(owner, m.Import, h.Vectors)) {
		if err != nil {
			t.Fatal(err)
		}
		all[string(line)] = true
	}
	return all
}

func TestACompleteResultHasTheVectorsOfThePartialOnes(t *testing.T) {
	r, model := stagetest.New(t), &stagetest.Model{}
	r.Ingest.Extractors = extract.NewRegistry(harvest.New(), model)
	e := &stagetest.Embedder{}
	r.Ingest.Embeddings, r.Extraction.Extractors, r.Extraction.Embed = e.Identity(), r.Ingest.Extractors, e
	m := ingested(t, r, 2)
	partial, complete := extracted(t, r, m, 1)
	if before := vectorsOf(t, r, m, partial); complete || len(before) != 2 {
		t.Fatalf("%v, %d vectors", complete, len(before))
	}
	model.Answers = true
	whole, complete := extracted(t, r, m, 2)
	after := vectorsOf(t, r, m, whole)
	if !complete || len(after) != 3 {
		t.Errorf("%v, %d vectors", complete, len(after))
	}
	for line := range maps.Keys(vectorsOf(t, r, m, partial)) {
		if !after[line] {
			t.Error("a vector of the partial result is missing")
		}
	}
	for text, n := range e.Asked {
		if n != 1 {
			t.Errorf("the vector of %q was asked for %d times", text, n)
		}
	}
}

func TestVectorsBeforeAFailureOfTheirServiceAreKept(t *testing.T) {
	r := stagetest.New(t)
	n := extraction.TextsAtOnce + 20
	e := &stagetest.Embedder{Limit: extraction.TextsAtOnce}
	r.Ingest.Limits.ShardItems, r.Ingest.Embeddings, r.Extraction.Embed = 2*n, e.Identity(), e
	m := ingested(t, r, n)
	h, complete := extracted(t, r, m, 1)
	if complete || h.Unanswered["embeddings"] != 20 || h.Hint != "open it" || len(vectorsOf(t, r, m, h)) != extraction.TextsAtOnce {
		t.Fatalf("%v, %+v", complete, h)
	}
	e.Given = 0
	h, complete = extracted(t, r, m, 2)
	if !complete || len(vectorsOf(t, r, m, h)) != n || e.Given != 20 {
		t.Errorf("%v, %d vectors, %d asked for", complete, len(vectorsOf(t, r, m, h)), e.Given)
	}
}
