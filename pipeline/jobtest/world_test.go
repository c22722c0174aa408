package jobtest_test

import (
	"errors"
	"testing"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/jobtest"
	"github.com/pamline/pamline/pipeline/state"
)

// outcome imports a drop with a plan and gives its record and its receipt.
func outcome(t *testing.T, p jobtest.Plan) (job.Record, state.Receipt, bool) {
	t.Helper()
	w := jobtest.New(t)
	ref := w.Drop("ann", "a.zip")
	w.Import(ref, p, job.Want{})
	rec, err := w.Jobs.Read(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	receipt, ok, err := state.ReadReceipt(t.Context(), w.Store, ref.Owner, ref.Drop, rec.Gen)
	if err != nil {
		t.Fatal(err)
	}
	return rec, receipt, ok
}

func TestAPlanDecidesTheOutcome(t *testing.T) {
	broken := errors.New("no answer")
	for _, c := range []struct {
		name    string
		plan    jobtest.Plan
		outcome job.Outcome
		failed  int
	}{
		{"whole", jobtest.Plan{Shards: 3}, job.Done, 0},
		{"shards that fail", jobtest.Plan{Shards: 3, Failed: []int{0, 2}}, job.Done, 2},
		{"refused", jobtest.Plan{Refuse: broken}, job.Refused, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec, receipt, _ := outcome(t, c.plan)
			if rec.Outcome != c.outcome || !rec.HasEnded(1) || len(receipt.Extraction.Failed) != c.failed {
				t.Errorf("record %+v, receipt %+v", rec, receipt)
			}
		})
	}
}

func TestADropIsNamedByItsFilesInAnyOrder(t *testing.T) {
	w := jobtest.New(t)
	if one, other := w.Drop("ann", "a.zip", "b.zip"), w.Drop("ann", "b.zip", "a.zip"); one != other {
		t.Errorf("%v and %v", one, other)
	}
	if one, other := w.Drop("ann", "a.zip"), w.Drop("ann", "b.zip"); one == other {
		t.Error("two archives are one drop")
	}
}

func TestAsksAreKeptInOrder(t *testing.T) {
	w := jobtest.New(t)
	one, other := w.Drop("ann", "a.zip"), w.Drop("ann", "b.zip")
	for _, ref := range []job.Ref{one, other} {
		if _, err := w.Ask(t.Context(), ref, job.Want{}); err != nil {
			t.Fatal(err)
		}
		if rec, err := w.Wait(t.Context(), ref, 1); err != nil || rec.Outcome != job.Done {
			t.Fatalf("%+v, %v", rec, err)
		}
	}
	if _, err := w.Redrive(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	if len(w.Asks) != 3 || w.Asks[0] != one || w.Asks[1] != other || w.Asks[2] != one {
		t.Errorf("asks %v", w.Asks)
	}
}
