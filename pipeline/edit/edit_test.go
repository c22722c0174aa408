package edit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/pipeline/edit"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/jobtest"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

var ownerJob = job.Ref{Owner: "ann", Drop: state.OwnerJob}

func add(content string) assemble.Edit {
	return assemble.Edit{ID: "e-" + content, At: "2026-01-01T00:00:00Z", Action: assemble.EditAdd, Type: "fact", Content: content}
}

// stored gives the edits of the owner, by number.
func stored(t *testing.T, s *statetest.Store) (list []assemble.Edit) {
	t.Helper()
	for n := range len(s.Keys("owners/ann/edits/")) {
		var e assemble.Edit
		if _, err := objects.ReadJSON(t.Context(), s, state.EditKey("ann", n+1), &e); err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// withStore gives a world in which ann has a store of two memories.
func withStore(t *testing.T) *jobtest.World {
	w := jobtest.New(t)
	w.Import(w.Drop("ann", "a.zip"), jobtest.Plan{Shards: 1}, job.Want{})
	head, _, err := state.ReadHead(t.Context(), w.Store, "ann")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range [][2]string{{"4f2a90c1-0000-5000-8000-000000000001", "skill"}, {"4f2a77aa-0000-5000-8000-000000000002", "fact"}} {
		list = append(list, fmt.Sprintf(`{"id":%q,"type":%q,"content":"Sings.","content_hash":"sha256:00","temporal":{"created_at":"2026-01-01T00:00:00Z"},"provenance":{"platform":"manual"}}`, m[0], m[1]))
	}
	w.Put(state.ExportKey("ann", head.ExportID, ".json"), `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"ann"},"memories":[`+strings.Join(list, ",")+`]}`)
	return w
}

func TestAnEditIsRecordedThenPublished(t *testing.T) {
	w := withStore(t)
	for n, e := range []assemble.Edit{add("Keeps a diary."), {ID: "r", At: "2026-01-02T00:00:00Z", Action: assemble.EditRetract, Memory: "4F2A90"}} {
		got, err := edit.Apply(t.Context(), w.Store, w, "ann", e)
		if err != nil || got.Number != n+1 || !got.Published || got.ExportID == "" {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	head, _, err := state.ReadHead(t.Context(), w.Store, "ann")
	if err != nil {
		t.Fatal(err)
	}
	in, err := state.ReadInputs(t.Context(), w.Store, "ann", head)
	if err != nil || in.Edits != 2 || in.Drops[state.OwnerJob].Gen != 2 {
		t.Errorf("%+v, %v", in, err)
	}
	if list := stored(t, w.Store); len(list) != 2 || list[0] != add("Keeps a diary.") || list[1].Memory != "4f2a90c1-0000-5000-8000-000000000001" {
		t.Errorf("%+v", list)
	}
}

func TestAMemoryThatReplacesAnotherHasItsTypeAndIsMarked(t *testing.T) {
	w := withStore(t)
	for _, e := range []assemble.Edit{
		{Action: assemble.EditReplace, Memory: "4f2a90", Content: "Has diabetes."},
		{Action: assemble.EditReplace, Memory: "4f2a90", Content: "Sings in a choir.", Type: "custom", CustomType: "music"},
		{Action: assemble.EditAdd, Type: "fact", Content: "Is HIV-positive."},
		{Action: assemble.EditAdd, Type: "fact", Content: "The wifi password is Fjord-77-x!"},
		{Action: assemble.EditAdd, Type: "fact", Content: "The card is 4111 1111 1111 1111."},
	} {
		e.ID, e.At = "e", "2026-01-02T00:00:00Z"
		if _, err := edit.Apply(t.Context(), w.Store, w, "ann", e); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, e := range stored(t, w.Store) {
		got = append(got, e.Type+" "+e.CustomType+" "+e.Sensitive)
	}
	if !slices.Equal(got, []string{"skill  health", "custom music ", "fact  health", "fact  secret", "fact  payment"}) {
		t.Errorf("%q", got)
	}
}

func TestAnEditThatCannotBeMadeIsNotRecorded(t *testing.T) {
	w := withStore(t)
	retract := func(id string) assemble.Edit {
		return assemble.Edit{ID: "e", At: "2026-01-01T00:00:00Z", Action: assemble.EditRetract, Memory: id}
	}
	for _, tt := range []struct {
		owner string
		edit  assemble.Edit
		want  error
		text  string
	}{
		{"ann", add(""), edit.ErrNoContent, "give the words"},
		{"ann", add(" \t\n"), edit.ErrNoContent, ""},
		{"ann", add("a\xff"), edit.ErrNoContent, ""},
		{"bob", add("Sings."), edit.ErrNoStore, "import something first"},
		{"Bob!", add("Sings."), nil, "is not an owner id"},
		{"ann", retract("00000000"), edit.ErrNoMemory, "pamline inspect"},
		{"ann", retract("4f"), edit.ErrNoMemory, "at least 4 characters"},
		{"ann", retract("4f2a"), edit.ErrNoMemory, "2 memories begin like that"},
	} {
		_, err := edit.Apply(t.Context(), w.Store, w, tt.owner, tt.edit)
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%+v: %v", tt.edit, err)
		}
	}
	if len(w.Asks) > 0 || len(stored(t, w.Store)) > 0 {
		t.Errorf("asks %v, edits %v", w.Asks, stored(t, w.Store))
	}
}

func TestEditsOfOneMomentGetDifferentNumbers(t *testing.T) {
	w := withStore(t)
	var all sync.WaitGroup
	numbers := make([]int, 8)
	for i := range numbers {
		all.Go(func() {
			n, err := edit.Append(t.Context(), w.Store, "ann", add(fmt.Sprint(i)))
			if err != nil {
				t.Error(err)
			}
			numbers[i] = n
		})
	}
	all.Wait()
	for i, e := range stored(t, w.Store) {
		if numbers[slices.Index(numbers, i+1)] == 0 || e.Content != fmt.Sprint(slices.Index(numbers, i+1)) {
			t.Errorf("edit %d is %+v of %v", i+1, e, numbers)
		}
	}
}

func TestAnEditThatIsRecordedTwiceIsOneEdit(t *testing.T) {
	for n := 0; ; n += statetest.Stride(5) {
		w := withStore(t)
		crash, crashed := statetest.CrashAtWrite(n)
		s := w.Store.View(nil, func(c statetest.Call) error { // the write is done, and its answer lost
			if c.IsWrite() {
				return crash(c)
			}
			return nil
		})
		_, err := edit.Apply(t.Context(), s, asking{w, job.New(s, job.Options{})}, "ann", add("Sings."))
		if !crashed() {
			if err != nil {
				t.Error(err)
			}
			return
		}
		if !errors.Is(err, statetest.ErrCrashed) {
			t.Fatalf("write %d: %v", n, err)
		}
		if _, err := edit.Apply(t.Context(), w.Store, w, "ann", add("Sings.")); err != nil {
			t.Fatal(err)
		}
		if list := stored(t, w.Store); len(list) != 1 {
			t.Errorf("write %d: %d edits", n, len(list))
		}
	}
}

// asking asks through its own jobs, and leaves the work to the world.
type asking struct {
	*jobtest.World
	jobs *job.Jobs
}

func (a asking) Ask(ctx context.Context, ref job.Ref, w job.Want) (job.Asked, error) {
	return a.jobs.Ask(ctx, ref, w)
}

func TestAnEditThatWasRecordedAndNotAskedForComesWithTheNext(t *testing.T) {
	w := withStore(t)
	if n, err := edit.Append(t.Context(), w.Store, "ann", add("Keeps a diary.")); err != nil || n != 1 { // and here the power went
		t.Fatal(n, err)
	}
	got, err := edit.Apply(t.Context(), w.Store, w, "ann", add("Sings."))
	if err != nil || got.Number != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if r, err := w.Jobs.Read(t.Context(), ownerJob); err != nil || r.Want.Edits != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAnEditThatCannotBePublishedSaysThatItIsRecorded(t *testing.T) {
	w := withStore(t)
	w.Plans[ownerJob] = jobtest.Plan{Broken: fault.Permanentf("report it", "two memories have one id")}
	got, err := edit.Apply(t.Context(), w.Store, w, "ann", add("Sings."))
	if err == nil || got.Number != 1 || fault.HintOf(err) != "report it" || !strings.Contains(err.Error(), "edit 1, which is recorded") || !strings.Contains(err.Error(), "two memories have one id") {
		t.Errorf("%+v, %v", got, err)
	}
	w.Put(state.JobKey("ann", state.OwnerJob), "{")
	if _, err := edit.Apply(t.Context(), w.Store, w, "ann", add("Dances.")); fault.Of(err) != fault.Permanent || len(stored(t, w.Store)) != 1 {
		t.Errorf("with a damaged record: %v", err)
	}
}

func TestAnEditIsStoredInTheFormThatTheAssemblerReads(t *testing.T) {
	w := withStore(t)
	if _, err := edit.Append(t.Context(), w.Store, "ann", add("Has asthma.")); err != nil {
		t.Fatal(err)
	}
	body, _ := w.Store.Body(state.EditKey("ann", 1))
	var e assemble.Edit
	if err := json.Unmarshal([]byte(body), &e); err != nil || e.Sensitive != "health" || e.ID != "e-Has asthma." {
		t.Errorf("%s, %v", body, err)
	}
}

// The number of an edit that is gone from storage must not be given again: the input set names it.
func TestTheNumberOfAMissingEditIsNotGivenAgain(t *testing.T) {
	w := withStore(t)
	if _, err := edit.Apply(t.Context(), w.Store, w, "ann", add("Keeps a diary.")); err != nil {
		t.Fatal(err)
	}
	if err := w.Store.Delete(t.Context(), state.EditKey("ann", 1)); err != nil {
		t.Fatal(err)
	}
	_, err := edit.Append(t.Context(), w.Store, "ann", add("Plays the oboe."))
	if fault.Of(err) != fault.Permanent || fault.HintOf(err) == "" || len(w.Store.Keys("owners/ann/edits/")) != 0 {
		t.Errorf("%v; edits %v", err, w.Store.Keys("owners/ann/edits/"))
	}
}
