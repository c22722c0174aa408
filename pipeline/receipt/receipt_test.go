package receipt_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/jobtest"
	"github.com/pamline/pamline/pipeline/receipt"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// decision is that of the first generation of a job for an import.
func decision(ref job.Ref, id string, short map[string]int) job.Decision {
	return job.Decision{Opened: job.Opened{Task: job.Task{Kind: job.Assemble, Ref: ref, Gen: 1}}, Status: job.Accepted, Entry: state.Entry{Import: id, Gen: 1}, Short: short}
}

func TestAReceiptAddsUpItsResultsAndNamesWhatIsMissing(t *testing.T) {
	w := jobtest.New(t)
	ref := w.Drop("ann", "a.zip")
	w.Import(ref, jobtest.Plan{Shards: 3, Failed: []int{1, 2}, Counts: state.Counts{Conversations: 4}}, job.Want{})
	shards, err := state.ReadShards(t.Context(), w.Store, "ann", jobtest.ImportID(ref))
	if err != nil {
		t.Fatal(err)
	}
	put := func(key string, h state.ResultHeader) {
		t.Helper()
		if err := w.Store.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		if _, err := state.PutResult(t.Context(), w.Store, key, h, nil); err != nil {
			t.Fatal(err)
		}
	}
	id := jobtest.ImportID(ref)
	put(state.CompleteKey("ann", id, shards[0].ID), state.ResultHeader{V: 1, Candidates: 5, Counts: map[string]int{"secret": 1}})
	put(state.PartialKey("ann", id, shards[1].ID, 1), state.ResultHeader{V: 1, Candidates: 2, Counts: map[string]int{"secret": 2}, Unanswered: map[string]int{"timeout": 3}})
	m := receipt.Maker{Store: w.Store}
	r, err := m.Accepted(t.Context(), decision(ref, id, map[string]int{shards[1].ID: 1, shards[2].ID: 0}), state.StoreChange{Memories: 7})
	x := r.Extraction
	if err != nil || r.State != state.StateLosses || r.Counts.Conversations != 4 || r.Store.Memories != 7 || x.Shards != 3 || x.Candidates != 7 || x.Counts["secret"] != 3 ||
		x.Unanswered["timeout"] != 3 || len(x.Failed) != 2 || x.Failed[0].Reason != "no answer" || x.Failed[0].Hint != "try later" || !r.Lacks(shards[2].ID) || r.Lacks(shards[0].ID) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAReceiptWithoutAnObjectIsIncompleteAndAnOutageGivesNone(t *testing.T) {
	w := jobtest.New(t)
	ref := w.Drop("ann", "a.zip")
	w.Import(ref, jobtest.Plan{Shards: 1}, job.Want{})
	m := receipt.Maker{Store: w.Store} // the results of the test world cannot be decoded
	r, err := m.Accepted(t.Context(), decision(ref, jobtest.ImportID(ref), nil), state.StoreChange{})
	if err != nil || r.State != state.StateLosses || !strings.HasPrefix(r.Reason, "this report is incomplete") || r.Hint == "" {
		t.Errorf("%+v, %v", r, err)
	}
	out := errors.New("connection refused")
	m.Store = w.Store.View(func(statetest.Call) error { return out }, nil)
	if _, err := m.Accepted(t.Context(), decision(ref, jobtest.ImportID(ref), nil), state.StoreChange{}); !errors.Is(err, out) {
		t.Error(err)
	}
	edits := job.Ref{Owner: "ann", Drop: state.OwnerJob}
	if r, err := m.Accepted(t.Context(), decision(edits, "", nil), state.StoreChange{Memories: 2}); err != nil || r.State != state.StateDone || r.Store.Memories != 2 {
		t.Errorf("of edits: %+v, %v", r, err)
	}
}

func TestTheReportOfARefusalHasItsTextInFull(t *testing.T) {
	w := jobtest.New(t)
	ref := w.Drop("ann", "letters to Ann.zip")
	named := &fault.NamedError{Doing: "open", Name: "letters to Ann.zip", Err: errors.New("it is encrypted")}
	w.Import(ref, jobtest.Plan{Refuse: &fault.Fault{Class: fault.Permanent, Hint: "remove the password", Err: named}}, job.Want{})
	rec, err := w.Jobs.Read(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	r, err := receipt.Maker{Store: w.Store}.Unaccepted(t.Context(), ref, rec)
	if err != nil || r.State != state.StateRefused || !strings.Contains(r.Reason, "letters to Ann.zip") || r.Hint != "remove the password" || len(r.Parts) != 1 || r.Parts[0].Name != "letters to Ann.zip" {
		t.Errorf("%+v, %v", r, err)
	}
}
