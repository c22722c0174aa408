package status_test

import (
	"errors"
	"testing"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/jobtest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

func TestEveryEndedImportHasAReport(t *testing.T) {
	w := jobtest.New(t)
	c := status.NewCatalog(w.Store)
	ref := w.Drop("ann", "a.zip")
	report := func(gen int) (state.Receipt, error) { return c.Report(t.Context(), ref, gen) }
	if _, err := report(0); !errors.Is(err, status.ErrNoImport) {
		t.Errorf("never asked for: %v", err)
	}
	if _, err := w.Jobs.Ask(t.Context(), ref, job.Want{}); err != nil {
		t.Fatal(err)
	}
	if _, err := report(0); !errors.Is(err, status.ErrNotEnded) {
		t.Errorf("open: %v", err)
	}
	w.Import(ref, upload, job.Want{})
	r, err := report(1)
	if err != nil || r.State != state.StateRefused || r.Gen != 1 || r.Reason == "" || r.Hint == "" || len(r.Parts) != 1 || r.Parts[0].Name != "a.zip" || r.OK() {
		t.Errorf("refused: %+v, %v", r, err)
	}
	w.Import(ref, losses, job.Want{Importer: "x"})
	r, err = report(0)
	if err != nil || r.State != state.StateLosses || r.Gen != 2 || len(r.Extraction.Failed) != 1 {
		t.Errorf("with losses: %+v, %v", r, err)
	}
	if _, err := report(1); !errors.Is(err, status.ErrNoReport) {
		t.Errorf("older, never accepted: %v", err)
	}
	p := broken
	p.Counts, p.Shards, p.Failed = state.Counts{Conversations: 7}, 2, []int{0}
	w.Import(ref, p, job.Want{Importer: "y"})
	r, err = report(0)
	if err != nil || r.State != state.StateFailed || r.Reason != "the store cannot be computed" || r.Counts.Conversations != 7 || len(r.Extraction.Failed) != 1 || r.Extraction.Failed[0].Reason != "no answer" || r.Import == "" {
		t.Errorf("failed: %+v, %v", r, err)
	}
	if r, err = report(2); err != nil || r.State != state.StateLosses {
		t.Errorf("older, accepted: %+v, %v", r, err)
	}
	w.Import(ref, small, job.Want{Erase: true})
	if r, err = report(0); err != nil || r.State != status.StateErased {
		t.Errorf("erased: %+v, %v", r, err)
	}
	if _, err := report(9); !errors.Is(err, status.ErrNoImport) {
		t.Errorf("later than any: %v", err)
	}
}

func TestAReportNamesADeadLetterThatCannotBeRead(t *testing.T) {
	w := jobtest.New(t)
	ref := w.Drop("ann", "a.zip")
	w.Import(ref, upload, job.Want{})
	w.Put(state.FailedKey("ann", ref.Drop, 1, "ingest"), "{")
	r, err := status.NewCatalog(w.Store).Report(t.Context(), ref, 0)
	if err != nil || r.State != state.StateRefused || r.Reason == "" || r.Hint == "" {
		t.Errorf("%+v, %v", r, err)
	}
}
