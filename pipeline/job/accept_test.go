package job_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// ready gives the opened assemblies of n drops without shards.
func ready(t *testing.T, s *statetest.Store, n int) (*job.Jobs, []job.Opened) {
	t.Helper()
	var j *job.Jobs
	var opened []job.Opened
	for drop := range n {
		j, _ = decided(t, s, drop, 0)
		o, err := j.Open(t.Context(), job.Task{Kind: job.Assemble, Ref: ref(drop), Gen: 1})
		if err != nil {
			t.Fatal(err)
		}
		opened = append(opened, o)
	}
	return j, opened
}

func TestSeveralDropsShareASwap(t *testing.T) {
	s := stagetest.NewStore()
	j, opened := ready(t, s, 2)
	computed := 0
	ds, err := j.Accept(t.Context(), owner, opened, func(_ context.Context, r job.Round) (state.Head, error) {
		computed++
		if len(r.Accepted) != 2 || len(r.Inputs.Drops) != 2 || len(r.Before.Drops) != 0 || !reflect.DeepEqual(r.Prior, state.Head{}) {
			t.Errorf("round %+v", r)
		}
		return state.Head{ExportID: "e", Sequence: 70, Inputs: "mine"}, nil
	})
	if err != nil || computed != 1 || ds[0].Status != job.Accepted || ds[1].Status != job.Accepted {
		t.Fatal(ds, computed, err)
	}
	head, _, err := state.ReadHead(t.Context(), s, owner)
	if err != nil || head.Sequence != 1 || head.ExportID != "e" || !reflect.DeepEqual(head, ds[0].Head) || !strings.Contains(strings.Join(s.Keys("owners/ann/inputs/"), " "), head.Inputs) {
		t.Errorf("head %+v, %v", head, err)
	}
	// Whoever comes later finds the decision.
	ds, err = j.Accept(t.Context(), owner, opened[:1], nil)
	if err != nil || ds[0].Status != job.Accepted || ds[0].Entry.Gen != 1 {
		t.Errorf("found %+v, %v", ds, err)
	}
}

func TestWhatFailsTogetherIsLeftToItsCaller(t *testing.T) {
	s := stagetest.NewStore()
	j, opened := ready(t, s, 2)
	broken := func(_ context.Context, r job.Round) (state.Head, error) {
		return state.Head{}, fault.Permanentf("report it", "no store of %d", len(r.Accepted))
	}
	_, err := j.Accept(t.Context(), owner, opened, broken)
	if !errors.Is(err, job.ErrTogether) || fault.Of(err) != fault.Permanent || len(s.Keys("failed/")) > 0 {
		t.Fatalf("together: %v, %v", err, s.Keys("failed/"))
	}
	ds, err := j.Accept(t.Context(), owner, opened[:1], broken)
	if err != nil || ds[0].Status != job.GivenUp || !ds[0].Entry.Failed || ds[0].Entry.Import != "" {
		t.Fatalf("alone: %+v, %v", ds, err)
	}
	if err := j.End(t.Context(), ds[0], nil); err != nil {
		t.Fatal(err)
	}
	var f job.Failure
	if _, err := objects.ReadJSON(t.Context(), s, state.FailedKey(owner, drops[0], 1, "assemble"), &f); err != nil || f != (job.Failure{V: 1, Class: fault.Permanent, Reason: "no store of 1", Hint: "report it", Attempts: 1}) {
		t.Errorf("failed object %+v, %v", f, err)
	}
}

func TestErrorsThatMayPassFailNothing(t *testing.T) {
	s := stagetest.NewStore()
	j, opened := ready(t, s, 1)
	_, err := j.Accept(t.Context(), owner, opened, func(context.Context, job.Round) (state.Head, error) {
		return state.Head{}, fmt.Errorf("write export: %w", blob.ErrPrecondition)
	})
	if err == nil || fault.Of(err) != fault.Unit || len(s.Keys("failed/")) > 0 {
		t.Errorf("%v, %v", err, s.Keys("failed/"))
	}
}

func TestAHeadThatAlwaysMovesIsAnOutage(t *testing.T) {
	s := stagetest.NewStore()
	j, opened := ready(t, s, 1)
	rounds := int64(0)
	_, err := j.Accept(t.Context(), owner, opened, func(_ context.Context, r job.Round) (state.Head, error) {
		rounds++
		if r.Prior.Sequence != (rounds-1)*10 {
			t.Errorf("round %d begins at %d", rounds, r.Prior.Sequence)
		}
		body, err := objects.EncodeSealed(state.HeadKey(owner), state.Head{V: 1, Sequence: rounds * 10})
		putText(t, s, state.HeadKey(owner), string(body))
		return state.Head{}, err
	})
	if fault.Of(err) != fault.Outage || rounds != 20 {
		t.Errorf("%d rounds, %v", rounds, err)
	}
}

func TestAnUnreadableHeadLeavesTheJobOpenWithADeadLetter(t *testing.T) {
	for what, spoil := range map[string]func(*statetest.Store){
		"head":      func(s *statetest.Store) { putText(t, s, state.HeadKey(owner), "{") },
		"input set": func(s *statetest.Store) { putText(t, s, state.HeadKey(owner), `{"v":1,"inputs":"gone"}`) },
	} {
		s := stagetest.NewStore()
		j, opened := ready(t, s, 2)
		spoil(s)
		if _, err := j.Accept(t.Context(), owner, opened, nil); fault.Of(err) != fault.Permanent {
			t.Errorf("%s: %v", what, err)
		}
		if r, err := j.Read(t.Context(), ref(0)); err != nil || r.State != job.Open {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
		if got := letters(t, j, job.Filter{}); len(got) != 2 || !strings.HasSuffix(got[0], ".1/assemble") {
			t.Errorf("%s: dead letters %v", what, got)
		}
	}
}

func TestABatchHasOneAssemblyOfEachDrop(t *testing.T) {
	s := stagetest.NewStore()
	j, opened := ready(t, s, 1)
	other := opened[0]
	other.Owner = "bob"
	shard := opened[0]
	shard.Kind = job.Extract
	for what, batch := range map[string][]job.Opened{
		"twice": {opened[0], opened[0]}, "other owner": {other}, "a shard": {shard}, "too many": make([]job.Opened, job.MaxBatch+1),
	} {
		if _, err := j.Accept(t.Context(), owner, batch, nil); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

func letters(t *testing.T, j *job.Jobs, f job.Filter) []string {
	t.Helper()
	var ids []string
	for l, err := range j.DeadLetters(t.Context(), f) {
		if err != nil {
			t.Error(err)
		}
		ids = append(ids, l.ID)
	}
	return ids
}

func TestDeadLettersAreFiltered(t *testing.T) {
	s := stagetest.NewStore()
	sc := scenario{shards: one("f", "c", "f"), ingestFail: true}
	h := sc.always(s, s, 0)
	for _, a := range []ask{{0, "x"}, {1, "x"}} {
		if _, err := a.do(t.Context(), h.jobs()); err != nil {
			t.Fatal(err)
		}
		if a.drop == 1 {
			h = sc.always(s, s, 1)
		}
		if err := h.finish(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	j, id := h.jobs(), importOf(drops[0], "x")
	all := []string{owner + "/" + drops[0] + ".1/" + shardOf(id, 0), owner + "/" + drops[0] + ".1/" + shardOf(id, 2), owner + "/" + drops[1] + ".1/ingest"}
	for _, c := range []struct {
		job.Filter
		want []string
	}{
		{job.Filter{}, all},
		{job.Filter{Owner: owner}, all},
		{job.Filter{Owner: "bob"}, nil},
		{job.Filter{Kind: job.Extract}, all[:2]},
		{job.Filter{Kind: job.Ingest}, all[2:]},
		{job.Filter{Prefix: owner + "/d1"}, all[2:]},
		{job.Filter{Prefix: all[1]}, all[1:2]},
		{job.Filter{Owner: "bob", Prefix: owner + "/d1"}, nil},
	} {
		if got := letters(t, j, c.Filter); strings.Join(got, " ") != strings.Join(c.want, " ") {
			t.Errorf("%+v: %v, want %v", c.Filter, got, c.want)
		}
	}
	putText(t, s, "failed/"+all[2]+".json", "{")
	seen := 0
	for l, err := range j.DeadLetters(t.Context(), job.Filter{}) {
		if seen++; (err != nil) != (l.ID == all[2]) {
			t.Errorf("%s: %v", l.ID, err)
		}
	}
	if seen != 3 {
		t.Errorf("%d letters with one that cannot be read", seen)
	}
}

func TestAnIncompleteReplayReplacesAWholeImportWhenThatIsWanted(t *testing.T) {
	for _, incomplete := range []bool{false, true} {
		sc := scenario{shards: map[string][]string{"x": {"c"}, "y": {"c", "f"}}, start: "whole"}
		s := sc.begun(t)
		h := sc.always(s, s, 0)
		if _, err := h.jobs().Ask(t.Context(), ref(0), job.Want{Importer: "y", Incomplete: incomplete}); err != nil {
			t.Fatal(err)
		}
		if err := h.finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		v, err := viewOf(s)
		if err != nil {
			t.Fatal(err)
		}
		got := v.inputs.Drops[drops[0]]
		want := state.Entry{Import: importOf(drops[0], "x"), Gen: 2, Failed: true}
		n := 2 // the assembly says why, and the shard
		if incomplete {
			want, n = state.Entry{Import: importOf(drops[0], "y"), Gen: 2}, 1
		}
		if l := letters(t, h.jobs(), job.Filter{}); got != want || len(l) != n {
			t.Errorf("incomplete %v: entry %+v, letters %v", incomplete, got, l)
		}
	}
}

func TestALateCompleteResultIsAskedForOnce(t *testing.T) {
	sc := scenario{shards: one("f", "c")}
	s := stagetest.NewStore()
	h := sc.always(s, s, 0)
	if _, err := (ask{0, "x"}).do(t.Context(), h.jobs()); err != nil {
		t.Fatal(err)
	}
	if err := h.finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	id := importOf(drops[0], "x")
	complete(t, s, id, 0)
	late := job.Task{Kind: job.Extract, Ref: ref(0), Gen: 1, Import: id, Shard: shardOf(id, 0)}
	other := late
	other.Shard = shardOf(id, 1)
	if _, asked, err := h.jobs().AskAfterLate(t.Context(), other); err != nil || asked {
		t.Errorf("a shard that the store has: %v, %v", asked, err)
	}
	a, asked, err := h.jobs().AskAfterLate(t.Context(), late)
	if err != nil || !asked || a.Gen != 2 || names(a.Tasks) != "assemble" {
		t.Errorf("late: %+v, %v, %v", a, asked, err)
	}
	if _, asked, err = h.jobs().AskAfterLate(t.Context(), late); err != nil || asked {
		t.Errorf("late, a second time: %v, %v", asked, err)
	}
	if err := h.finish(t.Context()); err != nil || len(letters(t, h.jobs(), job.Filter{})) > 0 {
		t.Errorf("after the redrive: %v, %v", letters(t, h.jobs(), job.Filter{}), err)
	}
}

func TestAnImportWhoseManifestCannotBeReadFails(t *testing.T) {
	sc := scenario{shards: one("c")}
	for what, spoil := range map[string]func(*statetest.Store, string) error{
		"missing":    func(s *statetest.Store, key string) error { return s.Delete(t.Context(), key) },
		"unreadable": func(s *statetest.Store, key string) error { putText(t, s, key, "{"); return nil },
	} {
		s := stagetest.NewStore()
		_, id := decided(t, s, 0, 1)
		if err := spoil(s, state.ManifestKey(owner, id)); err != nil {
			t.Fatal(err)
		}
		h := sc.always(s, s, 0)
		shard := job.Task{Kind: job.Extract, Ref: ref(0), Gen: 1, Import: id, Shard: shardOf(id, 0)}
		if tasks, err := h.jobs().NextAfter(t.Context(), shard); err != nil || names(tasks) != "assemble" {
			t.Errorf("%s: next %v, %v", what, tasks, err)
		}
		if err := h.finish(t.Context()); err != nil {
			t.Fatal(what, err)
		}
		r, err := h.jobs().Read(t.Context(), ref(0))
		if got := letters(t, h.jobs(), job.Filter{}); err != nil || r.Outcome != job.Failed || len(got) != 1 {
			t.Errorf("%s: %+v, letters %v, %v", what, r, got, err)
		}
	}
}

func TestARedriveKeepsTheImport(t *testing.T) {
	sc := scenario{shards: one("f")}
	s := stagetest.NewStore()
	h := sc.always(s, s, 0)
	for _, a := range []ask{{0, "x"}, {0, "redrive"}} {
		got, err := a.do(t.Context(), h.jobs())
		if err != nil || a.want == "redrive" && names(got.Tasks) != "0" {
			t.Errorf("%s: %v, %v", a.want, got, err)
		}
		if err := h.finish(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestResultsAreReadAfterTheHead: while a generation is being assembled, a shard is completed, and
// a late assembler of the generation before takes it into the store. It must not leave again.
func TestResultsAreReadAfterTheHead(t *testing.T) {
	s := stagetest.NewStore()
	j, id := decided(t, s, 0, 1)
	var opened []job.Opened
	for gen := 1; gen <= 2; gen++ {
		shard := job.Task{Kind: job.Extract, Ref: ref(0), Gen: gen, Import: id, Shard: shardOf(id, 0)}
		if err := j.Fail(t.Context(), shard, job.Failure{Reason: "no answer", Attempts: 6}); err != nil {
			t.Fatal(err)
		}
		o, err := j.Open(t.Context(), job.Task{Kind: job.Assemble, Ref: ref(0), Gen: gen})
		if err != nil {
			t.Fatal(err)
		}
		opened = append(opened, o)
		if _, err := j.Redrive(t.Context(), ref(0)); err != nil {
			t.Fatal(err)
		}
	}
	nothing := func(_ context.Context, r job.Round) (state.Head, error) { return r.Prior, nil }
	done := false
	v := s.View(nil, func(c statetest.Call) error {
		if c.Op != "list" || !strings.Contains(c.Key, "/candidates/") || done {
			return nil
		}
		done = true
		complete(t, s, id, 0)
		ds, err := j.Accept(t.Context(), owner, opened[:1], nothing)
		if err != nil || len(ds[0].Short) > 0 {
			t.Errorf("the late assembler: %+v, %v", ds, err)
		}
		return nil
	})
	ds, err := job.New(v, job.Options{}).Accept(t.Context(), owner, opened[1:], nothing)
	if err != nil || !done || ds[0].Entry != (state.Entry{Import: id, Gen: 2}) || len(ds[0].Short) > 0 {
		t.Errorf("accepted %+v, %v", ds, err)
	}
	// And the late assembler, once more, finds itself superseded.
	if ds, err = j.Accept(t.Context(), owner, opened[:1], nothing); err != nil || ds[0].Status != job.Superseded {
		t.Errorf("superseded: %+v, %v", ds, err)
	}
}

// TestNoPartialResultOfAFailedShardIsMissed: a shard gets its partial result and fails while an
// assembler lists what there is, between two listings.
func TestNoPartialResultOfAFailedShardIsMissed(t *testing.T) {
	s := stagetest.NewStore()
	j, id := decided(t, s, 0, 1)
	o, err := j.Open(t.Context(), job.Task{Kind: job.Assemble, Ref: ref(0), Gen: 1})
	if err != nil {
		t.Fatal(err)
	}
	done := false
	v := s.View(nil, func(c statetest.Call) error {
		if c.Op != "list" || done || !strings.HasPrefix(c.Key, state.FailedRoot) {
			return nil
		}
		done = true
		putText(t, s, state.PartialKey(owner, id, shardOf(id, 0), 1), "some")
		shard := job.Task{Kind: job.Extract, Ref: ref(0), Gen: 1, Import: id, Shard: shardOf(id, 0)}
		return j.Fail(t.Context(), shard, job.Failure{Reason: "no answer", Attempts: 6})
	})
	nothing := func(_ context.Context, r job.Round) (state.Head, error) { return r.Prior, nil }
	ds, err := job.New(v, job.Options{}).Accept(t.Context(), owner, []job.Opened{o}, nothing)
	if err != nil || !done || ds[0].Status != job.Unsettled {
		t.Errorf("between two listings: %+v, %v", ds, err)
	}
	ds, err = j.Accept(t.Context(), owner, []job.Opened{o}, nothing)
	if err != nil || ds[0].Status != job.Accepted || ds[0].Short[shardOf(id, 0)] != 1 {
		t.Errorf("afterwards: %+v, %v", ds, err)
	}
}
