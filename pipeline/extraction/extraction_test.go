package extraction_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/harvest"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

const owner = stagetest.Owner

// withModel gives a rig whose extractors are the harvest and a model, and an import of n
// conversations.
func withModel(t *testing.T, n int) (*stagetest.Rig, *stagetest.Model, state.Manifest) {
	t.Helper()
	r, m := stagetest.New(t), &stagetest.Model{}
	r.Ingest.Extractors = extract.NewRegistry(harvest.New(), m)
	r.Extraction.Extractors = r.Ingest.Extractors
	return r, m, ingested(t, r, n)
}

func ingested(t *testing.T, r *stagetest.Rig, n int) state.Manifest {
	t.Helper()
	m, err := r.Read(t.Context(), r.PutDrop(t, stagetest.TalksZip(t, n)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func extracted(t *testing.T, r *stagetest.Rig, m state.Manifest, gen int) (state.ResultHeader, bool) {
	t.Helper()
	h, complete, err := r.Extract(t.Context(), m, 0, gen)
	if err != nil {
		t.Fatal(err)
	}
	return h, complete
}

// contents gives the texts of the candidates of a result.
func contents(t *testing.T, r *stagetest.Rig, key string) string {
	t.Helper()
	var all []string
	header := true
	for line, err := range objects.ReadLines(t.Context(), r.Store(), key) {
		if err != nil {
			t.Fatal(err)
		}
		if header {
			header = false
			continue
		}
		c, err := extract.ParseCandidate(line)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c.Content)
	}
	return strings.Join(all, " ")
}

func TestACompleteResultIsWrittenOnce(t *testing.T) {
	r := stagetest.New(t)
	m := ingested(t, r, 3)
	h, complete := extracted(t, r, m, 1)
	key := state.CompleteKey(owner, m.Import, m.Shards[0].ID)
	if !complete || h.Candidates != 3 || h.Shard != m.Shards[0].ID {
		t.Fatalf("%v, %+v", complete, h)
	}
	if stored, err := state.ReadResultHeader(t.Context(), r.Store(), key); err != nil || stored.Candidates != 3 {
		t.Errorf("%+v, %v", stored, err)
	}
	if got := contents(t, r, key); got != "Keeps 0 hens. Keeps 1 hens. Keeps 2 hens." {
		t.Errorf("candidates %q", got)
	}
	// A second worker discards its bytes: the stored result counts.
	body := objects.CompressLines([]byte(`{"v":1,"shard":"s","candidates":9}` + "\n"))
	r2 := stagetest.New(t)
	m = ingested(t, r2, 3)
	if _, err := objects.PutOnce(t.Context(), r2.Store(), state.CompleteKey(owner, m.Import, m.Shards[0].ID), body); err != nil {
		t.Fatal(err)
	}
	if h, complete := extracted(t, r2, m, 2); !complete || h.Candidates != 9 {
		t.Errorf("%v, %+v", complete, h)
	}
}

func TestAServiceThatDoesNotAnswerMakesThePartialResultOfAGeneration(t *testing.T) {
	r, model, m := withModel(t, 2)
	h, complete := extracted(t, r, m, 3)
	if complete || h.Unanswered["no-answer"] != 2 || !strings.Contains(h.Trouble, "does not answer") || h.Hint != "start it" || h.Candidates != 2 {
		t.Fatalf("%v, %+v", complete, h)
	}
	shard := m.Shards[0].ID
	partial := state.PartialKey(owner, m.Import, shard, 3)
	before, _ := r.Data.Body(partial)
	if contents(t, r, partial) != "Keeps 0 hens. Keeps 1 hens." {
		t.Errorf("candidates %q", contents(t, r, partial))
	}
	model.Answers = true
	if h, complete = extracted(t, r, m, 4); !complete || h.Candidates != 4 || h.Trouble != "" || h.Usage.Requests != 1 {
		t.Errorf("%v, %+v", complete, h)
	}
	if after, _ := r.Data.Body(partial); after != before {
		t.Error("the partial result was changed")
	}
	if keys := r.Data.Keys(state.ResultPrefix(owner, m.Import)); len(keys) != 2 {
		t.Errorf("results %v", keys)
	}
}

func TestACrashAtAnyWriteOfExtractionEndsInTheSameResult(t *testing.T) {
	fresh := func() (*stagetest.Rig, state.Manifest) {
		r, model, _ := withModel(t, 1)
		model.Answers = true
		r.Ingest.Embeddings, r.Extraction.Embed = "v@2", &stagetest.Embedder{}
		return r, ingested(t, r, 4)
	}
	r, m := fresh()
	want, _ := extracted(t, r, m, 1)
	result := state.CompleteKey(owner, m.Import, m.Shards[0].ID)
	body, _ := r.Data.Body(result)
	for n := 0; ; n += statetest.Stride(5) {
		r, m := fresh()
		c, reached := r.Crash(n)
		if _, _, err := c.Extract(t.Context(), m, 0, 1); reached() && !errors.Is(err, statetest.ErrCrashed) {
			t.Fatalf("crash at write %d: %v", n, err)
		}
		if _, ok := r.Data.Body(result); ok == reached() {
			t.Errorf("after write %d there is a result: %v", n, ok)
		}
		if h, _ := extracted(t, r, m, 1); h.Vectors != want.Vectors || h.Candidates != want.Candidates {
			t.Errorf("after a crash at write %d: %+v", n, h)
		}
		if got, _ := r.Data.Body(result); got != body {
			t.Errorf("after a crash at write %d the result differs", n)
		}
		if !reached() {
			if n < 2 {
				t.Fatalf("extraction needs %d writes only", n)
			}
			return
		}
	}
}

func TestWhatTheGateHoldsBackIsNamedByDigest(t *testing.T) {
	r := stagetest.New(t)
	text := strings.ReplaceAll(stagetest.Talks(1), "User keeps 0 hens.", "User's password is hunter2hunter2 and the card is 4111 1111 1111 1111.")
	m, err := r.Read(t.Context(), r.PutDrop(t, []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	h, _ := extracted(t, r, m, 1)
	if h.Rejects == "" || len(h.Counts) == 0 {
		t.Fatalf("the gate takes it: %+v", h)
	}
	body, ok := r.Data.Body(state.RejectsKey(owner, m.Import, h.Rejects))
	if !ok || objects.Digest(body) != h.Rejects {
		t.Error("the rejects are not under their digest")
	}
}

// While the versions of workers change, a shard may come to one that does not have its extractor,
// or not the settings of its vectors: it is tried again, for another worker has them.
func TestAShardOfAnotherVersionIsTriedAgain(t *testing.T) {
	r, _, m := withModel(t, 1)
	r.Extraction.Extractors = extract.NewRegistry(harvest.New())
	if _, _, err := r.Extract(t.Context(), m, 0, 1); fault.Of(err) != fault.Unit || !strings.Contains(err.Error(), "replay") {
		t.Errorf("extractors: %s: %v", fault.Of(err), err)
	}
	r = stagetest.New(t)
	r.Ingest.Embeddings = "other@7"
	m = ingested(t, r, 1)
	for _, e := range []extraction.Embedder{nil, &stagetest.Embedder{}} {
		r.Extraction.Embed = e
		if _, _, err := r.Extract(t.Context(), m, 0, 1); fault.Of(err) != fault.Unit || !strings.Contains(err.Error(), "replay") {
			t.Errorf("embeddings: %s: %v", fault.Of(err), err)
		}
	}
}

func TestATaskOfAnotherPackIsPermanent(t *testing.T) {
	r := stagetest.New(t)
	m := ingested(t, r, 1)
	m.Shards[0].ID = objects.Digest("another")[:32]
	if _, _, err := r.Extract(t.Context(), m, 0, 1); fault.Of(err) != fault.Permanent {
		t.Errorf("%s: %v", fault.Of(err), err)
	}
}

func TestADamagedPackIsPermanent(t *testing.T) {
	r := stagetest.New(t)
	m := ingested(t, r, 3)
	for _, key := range r.Data.Keys(state.ImportKey(owner, m.Import, "snapshots/")) {
		body, _ := r.Data.Body(key)
		damaged := stagetest.New(t)
		m := ingested(t, damaged, 3)
		if err := damaged.Data.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		if _, err := objects.PutOnce(t.Context(), damaged.Store(), key, []byte(body[:len(body)/2])); err != nil {
			t.Fatal(err)
		}
		if _, _, err := damaged.Extract(t.Context(), m, 0, 1); fault.Of(err) != fault.Permanent {
			t.Errorf("%s: %s: %v", key, fault.Of(err), err)
		}
	}
}

func TestAnEstimateAsksNobody(t *testing.T) {
	r, _, m := withModel(t, 3)
	r.Ingest.Embeddings, r.Extraction.Estimate = "v@2", true
	h, complete := extracted(t, r, m, 1)
	if !complete || h.Usage.Requests != 3 || len(h.Unanswered) != 0 {
		t.Errorf("%v, %+v", complete, h)
	}
}

func TestAFailureOfAnyCallOfStorageWritesNoWrongResult(t *testing.T) {
	for n := 0; ; n += statetest.Stride(5) {
		r := stagetest.New(t)
		m := ingested(t, r, 2)
		fail, reached := statetest.FailCall(n, fmt.Errorf("the network is gone"))
		_, _, err := r.On(objects.ClassedStore{Store: r.Data.View(fail, nil)}).Extract(t.Context(), m, 0, 1)
		if !reached() {
			return
		}
		if fault.Of(err) != fault.Outage {
			t.Errorf("call %d: %s: %v", n, fault.Of(err), err)
		}
		if h, complete := extracted(t, r, m, 1); !complete || h.Candidates != 2 {
			t.Errorf("after call %d failed: %+v", n, h)
		}
	}
}
